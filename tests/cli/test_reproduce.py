"""``podium reproduce``: what is listed, run, kept and refused."""

import json
import signal

import pytest

from podium.cli.commands import reproduce as command
from podium.exceptions import InputError
from podium.experiments import EXPERIMENTS, Experiment, Outcome

FILES = ("png", "svg", "csv", "json")


def draw_nothing(figure, columns):
    figure.subplots()


def random_number(settings, rng):
    return {"number": rng.random()}


def no_table(settings, rng):
    raise InputError("The table 'x' must be x.csv in the folder given.", "set PODIUM_DATA to its folder.")


def no_network(settings, rng):
    raise OSError("no route to host")


def interrupt(settings, rng):
    signal.raise_signal(signal.SIGINT)


def listed(settings, findings):
    numbers = [f["number"] for f in findings]
    return Outcome({"a": 1}, {"a": numbers}, {"i": [0]}, "differs", f"{len(numbers)} numbers.", ["a is wrong."])


def experiment(name, trial):
    return Experiment(
        name,
        f"Book, {name}",
        "Numbers",
        lambda quick: [{"i": i} for i in range(2 if quick else 4)],
        trial,
        listed,
        draw_nothing,
    )


@pytest.fixture
def some(monkeypatch):
    """Experiments that take no time instead of those of the papers."""
    trials = {"dice": random_number, "coins": random_number, "tableless": no_table, "offline": no_network}
    made = {name: experiment(name, trial) for name, trial in trials.items()}
    monkeypatch.setattr("podium.experiments.EXPERIMENTS", made)
    return made


def test_all_experiments_are_listed(podium):
    run = podium("reproduce", "--list")
    assert run.code == 0
    for known in EXPERIMENTS.values():
        assert known.name in run.out
    found = json.loads(podium("reproduce", "--list", "--json").out)
    assert [entry["name"] for entry in found] == list(EXPERIMENTS)
    assert set(found[0]) == {"name", "source", "title", "table"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("dise",), "did you mean dice?"),
        (("zzz",), "choose from dice, coins"),
        (("dice", "zzz"), "'zzz' is unknown"),
        ((), "podium reproduce --list shows them"),
        (("--quick",), "or pass --all"),
        (("dice", "--jobs", "0"), "--jobs"),
        (("dice", "--seed", "-1"), "--seed"),
    ],
)
def test_what_cannot_be_run_gets_a_sentence_before_anything_is_run(arguments, sentence, some, podium, tmp_path):
    run = podium("reproduce", *arguments, "--out", tmp_path / "out")
    assert (run.code, run.out) == (2, "")
    assert sentence in run.err
    assert not (tmp_path / "out").exists()


def test_each_is_written_judged_and_timed(some, podium, tmp_path):
    run = podium("reproduce", "coins", "dice", "coins", "--out", tmp_path)
    assert run.code == 0
    assert run.out.splitlines() == [
        "coins differs: 4 numbers.",
        "dice differs: 4 numbers.",
        f"2 written to {tmp_path} (differs: 2)",
    ]
    first, second = run.err.splitlines()
    assert first.startswith("[1/2] coins: ")
    assert second.startswith("[2/2] dice: ")
    assert second.endswith(" s")
    for name in ("coins", "dice"):
        assert all((tmp_path / f"{name}.{ending}").stat().st_size for ending in FILES)


def test_for_machines_there_is_one_json_document(some, podium, tmp_path):
    (found,) = json.loads(podium("reproduce", "dice", "--out", tmp_path, "--json").out)
    assert (found["name"], found["verdict"], found["errata"]) == ("dice", "differs", ["a is wrong."])
    assert found["files"] == [str(tmp_path / f"dice.{ending}") for ending in FILES]


def test_results_of_another_size_or_seed_are_kept_unless_forced(some, podium, tmp_path):
    podium("reproduce", "dice", "--quick", "--out", tmp_path)
    written = (tmp_path / "dice.json").read_bytes()
    for other in ((), ("--quick", "--seed", 1)):
        run = podium("reproduce", "dice", *other, "--out", tmp_path)
        assert (run.code, run.out) == (2, "")
        assert "of a quick run with seed 0; it is kept" in run.err
        assert "--force overwrites it" in run.err
        assert (tmp_path / "dice.json").read_bytes() == written
    assert podium("reproduce", "dice", "--force", "--out", tmp_path).code == 0
    assert not json.loads((tmp_path / "dice.json").read_text())["quick"]


def test_two_processes_give_the_same_files(some, podium, tmp_path):
    podium("reproduce", "dice", "--out", tmp_path / "one")
    assert podium("reproduce", "dice", "--jobs", 2, "--out", tmp_path / "two").code == 0
    for ending in FILES:
        one, two = ((tmp_path / folder / f"dice.{ending}").read_bytes() for folder in ("one", "two"))
        assert one == two


def test_a_table_that_cannot_be_had_does_not_end_the_others(some, podium, tmp_path):
    run = podium("reproduce", "--all", "--out", tmp_path)
    assert run.code == 1
    assert f"2 written to {tmp_path}" in run.out
    assert "[3/4] tableless: The table 'x' must be x.csv" in run.err
    assert "[4/4] offline: no route to host" in run.err
    assert "2 of 4 could not be run: tableless, offline." in run.err
    assert "Traceback" not in run.err
    assert not (tmp_path / "tableless.json").exists()


def test_nothing_could_be_run(some, podium, tmp_path):
    assert podium("reproduce", "tableless", "--out", tmp_path).code == 2


@pytest.fixture
def listening():
    """Ctrl-C is heard, also where a shell has started the tests in the background and told them to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_ctrl_c_says_that_the_same_command_continues(some, podium, tmp_path, monkeypatch):
    monkeypatch.setitem(some, "coins", experiment("coins", interrupt))
    run = podium("reproduce", "dice", "coins", "offline", "--out", tmp_path)
    assert run.code == 130
    assert run.err.splitlines()[1:] == ["[2/3] coins: interrupted; run the same command again to continue."]
    assert (tmp_path / "dice.json").exists()
    monkeypatch.setitem(some, "coins", experiment("coins", random_number))
    assert podium("reproduce", "dice", "coins", "--out", tmp_path).code == 0


def test_names_are_completed():
    assert command.complete("a05-t") == ["a05-table1", "a05-table2"]


def test_broken_lines_of_the_store_are_done_again(podium, some, tmp_path):
    assert podium("reproduce", "dice", "--quick", "--out", tmp_path).code == 0
    before, (store,) = (tmp_path / "dice.json").read_bytes(), (tmp_path / "trials").iterdir()
    whole = store.read_bytes()
    first = whole.splitlines(keepends=True)[0]
    for broken in (b'{"sett', b"\xff\x00\n", b"[]\n", b'{"settings": {"i": 1}, "finding": 3}\n', b"null\n"):
        store.write_bytes(first + broken)
        assert podium("reproduce", "dice", "--quick", "--out", tmp_path).code == 0
        assert (tmp_path / "dice.json").read_bytes() == before
        assert store.read_bytes() == whole


@pytest.mark.parametrize("record", [b"{", b"\xff\xfe", b"[]", b"null", b"{}"])
def test_a_broken_record_is_kept_unless_forced(podium, some, tmp_path, record):
    (tmp_path / "dice.json").write_bytes(record)
    run = podium("reproduce", "dice", "--quick", "--out", tmp_path)
    assert run.code == 2
    assert "--force overwrites it" in run.err
    assert (tmp_path / "dice.json").read_bytes() == record
    assert podium("reproduce", "dice", "--quick", "--out", tmp_path, "--force").code == 0

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_every_block_of_the_readme_is_code_that_is_run_or_what_it_prints():
    kinds = re.findall(r"^```(\w*)\n.*?^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert sorted(set(kinds)) == ["", "console", "python"]
    assert kinds.count("") == 1


def test_the_code_in_the_readme_prints_what_stands_below_it(capsys):
    code, output = re.search(
        r"```python\n(.*?)```\n+```\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL
    ).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == output

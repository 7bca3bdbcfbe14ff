import errno
import os
import pickle
import subprocess
import sys
import textwrap

import numba
import pytest
from numba.core import caching

from podium._fast.compiled import compiled


def run(code):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)


def test_podium_works_where_no_folder_can_be_written_and_says_so_once():
    # as in containers that run as a user without a home; root can write anywhere, so numba's own trial is made to fail
    done = run(
        """
        import warnings
        from numba.core import caching

        def refuse(self):
            raise PermissionError("read-only")

        caching._CacheLocator.ensure_cache_path = refuse
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            from podium import metrics
            from podium._fast import cell_sums, point_sums
        assert [w.category for w in caught] == [RuntimeWarning], [str(w.message) for w in caught]
        assert "NUMBA_CACHE_DIR" in str(caught[0].message)
        print(metrics.auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]))
        """
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "0.75"


def twice(x):
    return 2 * x


def compile_twice():
    """Compile as a new process would; whether the cache was read."""
    loop = compiled(twice)
    assert loop(21) == 42
    return bool(loop.stats.cache_hits)


DAMAGES = {
    "cut": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "zeros, as a crash leaves them": lambda content: bytes(len(content)),
    "another byte": lambda content: content[:-100] + bytes([content[-100] ^ 255]) + content[-99:],
    "text": lambda content: b"garbage",
    "another pickle": lambda content: pickle.dumps("0.0.0") + pickle.dumps(3),
}


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_cache_is_compiled_anew_and_whole_again(tmp_path, monkeypatch, ending, damage):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert not compile_twice()
    assert compile_twice()
    (file,) = tmp_path.rglob(f"*.{ending}")
    file.write_bytes(damage(file.read_bytes()))
    assert not compile_twice()
    assert compile_twice()


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_where_the_cache_cannot_be_written_for_lack_of_room_loops_run_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "_save_data", full)
    assert not compile_twice()

import subprocess
import sys
import textwrap


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

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_the_code_in_the_readme_prints_what_stands_below_it(capsys):
    code, output = re.search(r"```python\n(.*?)```\n+```\n(.*?)```", README.read_text(), re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == output

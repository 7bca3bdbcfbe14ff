"""Where lines of code may break on a narrow screen: between the words of a long name, and never inside an option."""

import re

CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
OPTION = re.compile(r"(?<=[\s>])--[a-z-]+")
CELL = re.compile(r"<(t[dh])\b.*?</\1>", re.DOTALL)
NAME = re.compile(r'(?<=<span class="pre">)[^<]+|(?<=>)(?=[^<]{16})[^<]*\w[_.][a-zA-Z][^<]*')  # of code; or long
JOINT = re.compile(r"(?<=[\w)\]][_.(=/])(?=[a-zA-Z'&])|(?<=[a-z])(?=[A-Z][a-z])|(?<=::)")


def at_joints(body: str) -> str:
    """HTML in which options stay whole (browsers would break after "--") and names in tables may break at joints."""
    body = CODE.sub(lambda code: OPTION.sub(r'<span class="whole">\g<0></span>', code[0]), body)
    return CELL.sub(lambda cell: NAME.sub(lambda name: JOINT.sub("<wbr>", name[0]), cell[0]), body)

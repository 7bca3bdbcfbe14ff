"""Where lines may break on a narrow screen: between the words of a long name, never inside a number or an option."""

import re

from docutils import nodes

NUMBER = re.compile(r"[+\-−]?[\d.,]+ (?:± [\d.]+|\(\d+\))")
PERCENT = re.compile(r"(?<=\d) (?=%)")
AS_THEY_ARE = (nodes.literal, nodes.FixedTextElement, nodes.math, nodes.Invisible)
CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
OPTION = re.compile(r"(?<=[\s>])--[a-z-]+")
CELL = re.compile(r"<(t[dh])\b.*?</\1>", re.DOTALL)
NAME = re.compile(r'(?<=<span class="pre">)[^<]+|(?<=>)(?=[^<]{16})[^<]*\w[_.][a-zA-Z][^<]*')  # of code; or long
JOINT = re.compile(r"(?<=[\w)\]][_.(=/])(?=[a-zA-Z'&])|(?<=[a-z])(?=[A-Z][a-z])|(?<=::)")


def at_joints(body: str) -> str:
    """HTML in which options stay whole (browsers would break after "--") and names in tables may break at joints."""
    body = CODE.sub(lambda code: OPTION.sub(r'<span class="whole">\g<0></span>', code[0]), body)
    return CELL.sub(lambda cell: NAME.sub(lambda name: JOINT.sub("<wbr>", name[0]), cell[0]), body)


def keep_numbers_whole(doctree: nodes.document) -> None:
    """A number is not cut off from its percent sign nor, in a table, from its standard error or what is in brackets."""
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, AS_THEY_ARE) and PERCENT.search(text):
            _replace(text, PERCENT.sub("\N{NO-BREAK SPACE}", text))
    for cell in doctree.findall(nodes.entry):
        for text in list(cell.findall(nodes.Text)) if NUMBER.fullmatch(cell.astext().strip()) else ():
            _replace(text, text.replace(" ", "\N{NO-BREAK SPACE}"))


def _replace(text: nodes.Text, by: str) -> None:
    text.parent.replace(text, nodes.Text(by))

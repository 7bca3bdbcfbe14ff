"""Structures with a few things changed: JSON documents, arrays, and the texts of trees within them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGE = 2**61 - 1  # whose multiples all have the same hash
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 255, 10**6, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63, -(2**63), 2**70),
    *(LARGE, 0.0, -0.0, 0.5, -0.5, 1.5, 1e-300, 1e300, float("nan"), float("inf"), float("-inf")),
    *("", "a", "nan", "__class__", "φ", "\t", "x" * 300, "%", "auc", "power:3", "median", "1"),
    *([], [0], [None], ["a", "b"], {}, {"kind": "dict", "items": []}, {"kind": "tuple", "items": [1, 2]}),
)
WORDS = (
    *("0", "1", "-1", "-2", "2", "7", "99999", "-99999", "2147483647", "2147483648", "99999999999999999999", "0.5"),
    *(
        "1e400",
        "-1e400",
        "nan",
        "inf",
        "1e-400",
        "0x10",
        "+1",
        "01",
        "",
        " ",
        "\t",
        "0\t1",
        "1\v2",
        "1\n",
        "a",
        "=",
        "--1",
    ),
)
DTYPES = ("<i1", "<i2", "<i4", "<i8", "<u1", "<u4", "<u8", "<f2", "<f4", "<f8", "|b1", "<U1", "<U4")
_BOUNDARIES = (0, 1, -1, -2, 2, 7, 255, 2**15, 2**24, 2**30, 2**31 - 1, -(2**31), 2**53, 2**62)


@dataclass
class Block:
    """What lies outside the document for one of its nodes: an array, or bytes."""

    content: Any

    def data(self, node: dict[str, Any]) -> bytes:
        """The bytes, in the order that the node says."""
        if isinstance(self.content, bytes):
            return self.content
        return bytes(self.content.tobytes("F" if node.get("order") == "F" else "C"))


def opened(content: bytes) -> Any:
    """The document of a model file, each array and text in the node that names it."""
    head, _, rest = content.partition(b"\n")
    size, at = int(head.split()[-1]), 0
    document, body = json.loads(rest[:size]), rest[size:]
    for node in nodes(document):
        if node.get("kind") == "array":
            dtype, shape = np.dtype(node["dtype"]), node["shape"]
            n_bytes = int(np.prod(shape, dtype=int)) * dtype.itemsize
            node["block"] = Block(np.frombuffer(body[at : at + n_bytes], dtype).reshape(shape, order=node["order"]))
            at += n_bytes
        elif node.get("kind") == "bytes":
            node["block"] = Block(body[at : at + node["size"]])
            at += node["size"]
    return document


def closed(document: Any) -> tuple[bytes, bytes]:
    """The document and the bytes of the blocks in it."""
    blocks = [node["block"].data(node) for node in nodes(document) if isinstance(node.get("block"), Block)]
    return json.dumps(document, separators=(",", ":"), sort_keys=True, default=lambda _: 0).encode(), b"".join(blocks)


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a document, in the order in which they are read."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(part)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a document: a list or an object, and where in it."""
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def mutant(rng: np.random.Generator, sound: Any, pieces: list[Any]) -> Any:
    """A copy with a few things changed; pieces of other documents are put in, too."""
    changed = _copied(sound)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        all_places = list(places(changed))
        if not all_places:
            return changed
        blocks = [(owner, key) for owner, key in all_places if isinstance(owner[key], Block) and key == "block"]
        if blocks and rng.random() < 0.5:
            owner, key = _pick(rng, blocks)
            _change_block(rng, owner, key)
        else:
            owner, key = _pick(rng, all_places)
            _change_place(rng, owner, key, all_places, pieces)
    return changed


def _copied(value: Any) -> Any:
    """What is in lists and objects is shared: no change is made within it."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list) else value


def _pick(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def _change_place(rng: np.random.Generator, owner: Any, key: Any, all_places: list[Any], pieces: list[Any]) -> None:
    value = owner[key]
    if isinstance(value, Block):
        return
    match rng.integers(8):
        case 0 | 1:
            owner[key] = _copied(_pick(rng, VALUES))
        case 2:
            near, there = _pick(rng, all_places)
            owner[key] = _copied(near[there])
        case 3 if pieces:
            owner[key] = _copied(_pick(rng, pieces))
        case 4 if isinstance(owner, list):
            _change_list(rng, owner)
        case 5 if isinstance(value, list):
            _change_list(rng, value)
        case 6 if isinstance(value, (int, float)) and not isinstance(value, bool):
            owner[key] = _pick(rng, (value + 1, value - 1, -value, value * 2, value + 0.5, float(value), str(value)))
        case _:
            _rename(rng, owner, key, all_places)


def _rename(rng: np.random.Generator, owner: Any, key: Any, all_places: list[Any]) -> None:
    """Another name of the document in place of a key or a text, or the key taken out."""
    texts = [(near, there) for near, there in all_places if isinstance(near[there], str)]
    names = [near[there] for near, there in texts]
    if isinstance(owner, dict) and rng.random() < 0.5:
        value = owner.pop(key)
        if rng.random() < 0.6:
            owner[_pick(rng, [*names, "state", "items", "kind", "shape"])] = value
    elif names:
        near, there = _pick(rng, texts)
        near[there] = _pick(rng, names)


def _change_list(rng: np.random.Generator, values: list[Any]) -> None:
    n = len(values)
    i, j = (int(rng.integers(n)) if n else 0 for _ in range(2))
    match rng.integers(7):
        case 0 if n:
            del values[i]
        case 1 if n:
            values.insert(j, _copied(values[i]))
        case 2 if n:
            values[i], values[j] = values[j], values[i]
        case 3:
            del values[i:]
        case 4:
            values.reverse()
        case 5 if n:
            values.extend(_copied(values[i]) for _ in range(int(rng.choice([3, 100]))))
        case _:
            values.insert(i, _copied(_pick(rng, VALUES)))


def _change_block(rng: np.random.Generator, node: dict[str, Any], key: Any) -> None:
    block = node[key]
    if isinstance(block.content, bytes):
        changed = _change_text(rng, block.content)
        if rng.random() < 0.98 and "size" in node:
            node["size"] = len(changed)
        node[key] = Block(changed)
        return
    with np.errstate(all="ignore"):
        changed = _pick(rng, _OF_ARRAYS)(rng, block.content)
    node[key] = Block(changed)
    if rng.random() < 0.98:
        node |= {"dtype": changed.dtype.str, "shape": list(changed.shape), "order": _pick(rng, "CF")}


def _with_entry(rng: np.random.Generator, values: Any) -> Any:
    """One number, or a run of them, that is another."""
    changed = values.copy()
    if not changed.size:
        return np.zeros(1, changed.dtype)
    flat = changed.reshape(-1)
    i, j = int(rng.integers(flat.size)), int(rng.integers(flat.size))
    if changed.dtype.kind in "iu":
        limits = np.iinfo(changed.dtype)
        near = [int(flat[i]) + 1, int(flat[i]) - 1, int(flat[j]), flat.size, flat.size - 1, i, *_BOUNDARIES]
        flat[i] = max(limits.min, min(limits.max, _pick(rng, [*near, limits.min, limits.max])))
    elif changed.dtype.kind == "f":
        flat[i] = _pick(
            rng, [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e308, -1e30, 5e-324, flat[j], flat[i] + 0.5, -flat[i]]
        )
    elif changed.dtype.kind == "b":
        flat[i] = not flat[i]
    else:
        flat[i] = _pick(rng, ["", "a", flat[j]])
    if rng.random() < 0.1:
        flat[:] = flat[i]
    return flat.reshape(changed.shape)


def _of_other_size(rng: np.random.Generator, values: Any) -> Any:
    flat = values.reshape(-1)
    sizes = [0, 1, max(flat.size - 1, 0), flat.size + 1, 2 * flat.size, flat.size // 2]
    size = int(_pick(rng, sizes))
    if values.ndim > 1 and rng.random() < 0.5:  # rows or columns fewer or more
        axis, n = int(rng.integers(values.ndim)), values.shape
        wanted = int(_pick(rng, [0, 1, max(n[0] - 1, 0), n[0] + 1]))
        return np.take(values, np.arange(wanted) % max(values.shape[axis], 1), axis=axis) if values.size else values
    return np.resize(flat, size) if flat.size else np.zeros(size, flat.dtype)


def _of_other_shape(rng: np.random.Generator, values: Any) -> Any:
    shapes = [
        (values.size,),
        (1, values.size),
        (values.size, 1),
        values.shape[::-1],
        (*values.shape, 1),
        (0, *values.shape),
    ]
    shape = _pick(rng, shapes)
    return np.zeros(shape, values.dtype) if 0 in shape else values.reshape(shape)


def _of_other_type(rng: np.random.Generator, values: Any) -> Any:
    dtype = np.dtype(_pick(rng, DTYPES))
    if rng.random() < 0.3 and values.flags.c_contiguous and values.ndim == 1 and dtype.kind != "U":
        size = values.nbytes // dtype.itemsize * dtype.itemsize
        return np.frombuffer(values.tobytes()[:size], dtype)
    try:
        return values.astype(dtype)
    except ValueError:  # text that is no number
        return np.zeros(values.shape, dtype)


def _in_other_order(rng: np.random.Generator, values: Any) -> Any:
    flat = values.reshape(-1)
    return _pick(rng, (flat[::-1], np.sort(flat), np.sort(flat)[::-1], flat[rng.permutation(flat.size)])).reshape(
        values.shape
    )


Change = Callable[[np.random.Generator, Any], Any]
_OF_ARRAYS: tuple[Change, ...] = (
    *(_with_entry, _with_entry, _with_entry, _with_entry),
    *(_of_other_size, _of_other_shape, _of_other_type, _in_other_order),
)


def _change_text(rng: np.random.Generator, text: bytes) -> bytes:
    """Of XGBoost the JSON, of LightGBM the lines and words; what its tree_sizes say stays true, mostly."""
    if text.startswith(b"{"):
        return json.dumps(mutant(rng, json.loads(text), []), separators=(",", ":")).encode()
    if not text.startswith(b"tree"):
        return text[: int(rng.integers(len(text) + 1))]
    lines = text.decode().split("\n")
    for _ in range(int(rng.choice([1, 1, 2]))):
        at = int(rng.integers(len(lines)))
        name, equals, value = lines[at].partition("=")
        match rng.integers(10):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, _pick(rng, lines))
            case 2:
                lines[at] = f"{_pick(rng, lines).partition('=')[0]}={value}"
            case 3:
                lines[at] = f"{name}={_pick(rng, lines).partition('=')[2]}"
            case _:
                words: list[Any] = value.split(" ")
                if rng.random() < 0.4:
                    _change_list(rng, words)
                else:
                    words[int(rng.integers(len(words)))] = _pick(rng, WORDS)
                lines[at] = name + equals + " ".join(map(str, words))
    changed = "\n".join(lines)
    return (_with_sizes(changed) if rng.random() < 0.95 else changed).encode()


def _with_sizes(text: str) -> str:
    body, end, rest = text.partition("end of trees")
    head, *trees = body.split("\nTree=")
    sizes = [len(f"Tree={tree}\n".encode()) for tree in trees]
    if not sizes:
        return text
    sizes[-1] -= 1
    lines = [
        f"tree_sizes={' '.join(map(str, sizes))}" if line.startswith("tree_sizes=") else line
        for line in head.split("\n")
    ]
    return "\nTree=".join(["\n".join(lines), *trees]) + end + rest

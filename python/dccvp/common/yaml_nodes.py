"""Reads a YAML file as nodes with their positions, and reports errors with the position."""

import difflib
import json
import re
import typing

import yaml

from dccvp.common.ending import InputError

MOST_BYTES = 4 << 20
MOST_NODES = 1_000_000  # Greatest number of YAML nodes; an alias counts as all the nodes that the alias stands for.
MOST_DEPTH = 32
MOST_SHOWN = 400  # greatest number of characters of a message, which may quote a value of any length
WHOLE_NUMBER = re.compile(r"[0-9]{1,18}")


def fail(place, message) -> typing.NoReturn:
    """Raises InputError with `place`: a node of the file, or a text such as a path."""
    if isinstance(place, yaml.Node):
        mark = place.start_mark
        place = f"{mark.name}:{mark.line + 1}:{mark.column + 1}"
    message = "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in message)
    if len(message) > MOST_SHOWN:
        message = message[:MOST_SHOWN] + " ..."
    raise InputError(f"{place}: {message}")


def load(path, what):
    """Returns the root node of a file, which must be a map. `what` names the content in errors. InputError for
    duplicate keys, for tags, and for text that is not YAML."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        fail(path, error.strerror.lower())
    if len(data) > MOST_BYTES:
        fail(path, "larger than 4 MiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        fail(path, "is not UTF-8 text")
    try:
        loader = yaml.SafeLoader(text)
        loader.name = str(path)
        try:
            root = loader.get_single_node()
        except RecursionError:
            mark = loader.get_mark()
            fail(f"{path}:{mark.line + 1}:{mark.column + 1}", f"nested deeper than {MOST_DEPTH}")
    except (ValueError, OverflowError) as error:  # PyYAML does not wrap the error of an invalid character code
        fail(path, f"not valid YAML: {error}")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else path
        fail(place, f"not valid YAML: {error.problem or error.context}")
    except yaml.YAMLError as error:
        fail(path, "not valid YAML: " + str(error).splitlines()[0])
    if root is None:
        fail(f"{path}:1:1", f"empty: {what} is a map")
    refuse_unusable(root, [], iter(range(MOST_NODES)))
    entries(root, what)
    return root


def refuse_unusable(node, above, allowance):
    """Raises InputError for valid YAML that cannot be processed: too many nodes, too deep, recursive aliases.
    `allowance` is an iterator with one element for each permitted node."""
    if next(allowance, None) is None:
        fail(node, f"more than {MOST_NODES} values, with what aliases stand for")
    if any(node is parent for parent in above):
        fail(node, "an alias that contains itself")
    if len(above) > MOST_DEPTH:
        fail(node, f"nested deeper than {MOST_DEPTH}")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            refuse_unusable(key, above + [node], allowance)
            refuse_unusable(value, above + [node], allowance)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            refuse_unusable(item, above + [node], allowance)
    # Arguments, file names and UTF-8 text cannot contain NUL or surrogates.
    elif any(c == "\0" or "\ud800" <= c <= "\udfff" for c in node.value):
        fail(node, "a character that no text has")


def entries(node, what):
    """Returns [(key node, value node), …] of a map whose keys are words; InputError for a duplicate key."""
    if not isinstance(node, yaml.MappingNode):
        fail(node, f"{what} is a map, not {described(node)}")
    seen = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            fail(key, "a key is a word")
        if key.value in seen:
            fail(key, f"'{key.value}' is there twice")
        seen.add(key.value)
    return node.value


def hint(name, known):
    near = difflib.get_close_matches(name, list(known), 1)
    return f"; did you mean '{near[0]}'?" if near else f" (known: {', '.join(known)})"


def fields(node, what, known, required=()):
    """Returns {key: value node} of a map; InputError for a key that is not in `known` or for a missing key of
    `required`."""
    out = {}
    for key, value in entries(node, what):
        if key.value not in known:
            fail(key, f"unknown key '{key.value}' in {what}{hint(key.value, known)}")
        out[key.value] = value
    for name in required:
        if name not in out:
            fail(node, f"'{name}' is missing in {what}")
    return out


def items(node, what):
    """Returns the elements of a list; InputError for an empty list."""
    if not isinstance(node, yaml.SequenceNode):
        fail(node, f"{what} is a list, not {described(node)}")
    if not node.value:
        fail(node, f"{what} is empty")
    return node.value


def word(node, what):
    if not isinstance(node, yaml.ScalarNode) or node.value == "":
        fail(node, f"{what} is a word, not {described(node)}")
    return node.value


def integer(node, what, least, most):
    text = word(node, what)
    if not WHOLE_NUMBER.fullmatch(text) or not least <= int(text) <= most:
        fail(node, f"{what} is a whole number from {least} to {most}, not '{text}'")
    return int(text)


def file_beside(path, node, name):
    """Returns the path of the file `name`, relative to the folder of `path`; InputError at the node if the file
    does not exist."""
    file = path.parent / name
    try:
        there = file.is_file()
    except OSError as error:
        fail(node, f"'{name}': {error.strerror.lower()}")
    if not there:
        fail(node, f"no such file: '{file}'")
    return file


def seeds_of(text, place, most):
    """Returns the range of seeds that a text such as 7 or 1..20 stands for."""
    first, dots, last = text.partition("..")
    numbers = [first, last] if dots else [first]
    if not all(WHOLE_NUMBER.fullmatch(n) for n in numbers) or int(last or first) < int(first):
        fail(place, f"seeds are written 1..20, not '{text}'")
    if int(last or first) - int(first) >= most:
        fail(place, f"more than {most} seeds")
    return range(int(first), int(last or first) + 1)


def plain(node):
    """Converts a YAML node to a Python value."""
    try:
        return yaml.constructor.SafeConstructor().construct_document(node)
    except yaml.MarkedYAMLError as error:
        fail(node, f"not plain YAML: {error.problem}")
    except ValueError as error:  # The YAML parser takes 2001-99-99 for a date.
        fail(node, f"not plain YAML: {error}")


def described(node):
    if isinstance(node, yaml.MappingNode):
        return "a map"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return f"'{node.value}'" if node.value else "nothing"


def flow(node):
    """Returns a node as one line of YAML, with scalars as written in the file."""
    if isinstance(node, yaml.SequenceNode):
        return "[" + ", ".join(flow(item) for item in node.value) + "]"
    if isinstance(node, yaml.MappingNode):
        return "{" + ", ".join(f"{flow(k)}: {flow(v)}" for k, v in node.value) + "}"
    return json.dumps(node.value, ensure_ascii=False) if node.style else node.value

"""Reads the text of an imported file, and its words and numbers, each with its place."""

import bisect
import fractions
import gzip
import json
import pathlib
import re
import sys
import typing
import zlib

from dccvp.common.ending import InputError

MOST_BYTES = 512 << 20
MOST_SHOWN = 60  # Greatest number of characters of a word that an error message quotes.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
WORD = re.compile(r"\S+")
CONTROL = re.compile("[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")  # control characters, including those of YAML


def quoted(text):
    """Returns text in quotes for a message, without control characters and shortened to MOST_SHOWN."""
    text = text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."
    return "'" + "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text) + "'"


class Word(typing.NamedTuple):
    """A word of a file and its offset in the text."""

    text: str
    at: int


class Source:
    """The text of a file; `name` is the path as given."""

    def __init__(self, name, text):
        self.name, self.text = str(name), text
        self._breaks: list[int] | None = None

    def line_of(self, at):
        """Returns the number of the line that holds an offset, counted from 1."""
        if self._breaks is None:
            self._breaks = [match.start() for match in re.finditer("\n", self.text)]
        return bisect.bisect_left(self._breaks, at) + 1

    def place(self, at):
        """Returns FILE:LINE:COLUMN of an offset."""
        line = self.line_of(at)
        begin = self._breaks[line - 2] + 1 if self._breaks and line > 1 else 0
        return f"{self.name}:{line}:{at - begin + 1}"

    def fail(self, at, message) -> typing.NoReturn:
        """Raises InputError with the place of an offset or a Word."""
        raise InputError(f"{self.place(at.at if isinstance(at, Word) else at)}: {message}")

    def integer(self, word, what, least, most):
        """Returns the value of a decimal integer; InputError for any other word."""
        if not re.fullmatch(r"[0-9]{1,20}", word.text) or not least <= int(word.text) <= most:
            self.fail(word, f"expected {what}, {least} to {most}, not {quoted(word.text)}")
        return int(word.text)

    def number(self, word, what, least=0, most=10**18):
        """Returns the exact value of a decimal number, which may have an exponent; InputError for any other word."""
        value = exact(word.text)
        if value is None or not least <= value <= most:
            self.fail(word, f"expected {what}, {least} to {most}, not {quoted(word.text)}")
        return value

    def lines(self):
        """Yields (offset, line without its end) of each line."""
        at = 0
        for line in self.text.split("\n"):
            yield at, line.rstrip("\r")
            at += len(line) + 1

    def words_of(self, at, line):
        """Returns the Words of a line that begins at the offset `at`."""
        return [Word(match[0], at + match.start()) for match in WORD.finditer(line)]


def exact(text):
    """Returns a decimal number as a fraction; None for any other text."""
    if len(text) > 40 or not NUMBER.fullmatch(text):
        return None
    exponent = re.search(r"[eE]([+-]?[0-9]+)$", text)
    if exponent and abs(int(exponent[1])) > 60:
        return None
    return fractions.Fraction(text)


class Words:
    """Reads the words of a source in order; any white space separates words. `matches`: the words in another form."""

    def __init__(self, source, matches=None):
        self.source = source
        self._matches = matches or WORD.finditer(source.text)
        self._held: list[Word] = []

    def peek(self):
        """Returns the next word without consuming it; None at the end."""
        if not self._held:
            match = next(self._matches, None)
            if match is None:
                return None
            self._held.append(Word(match[0], match.start()))
        return self._held[0]

    def next(self, what):
        """Consumes and returns the next word; InputError at the end of the file, with `what` as the missing item."""
        word = self.peek()
        if word is None:
            self.source.fail(len(self.source.text.rstrip()), f"the file ends where {what} should be")
        self._held.clear()
        return word

    def integer(self, what, least, most):
        return self.source.integer(self.next(what), what, least, most)

    def number(self, what, least=0, most=10**18):
        return self.source.number(self.next(what), what, least, most)


def name_of(path):
    """Returns the name of a file for messages."""
    return "stdin" if path == "-" else str(path)


def read_bytes(path):
    """Returns the content of a file, plain or compressed with gzip; '-' is standard input. InputError if the file
    cannot be read."""
    name = name_of(path)
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with open(path, "rb") as file:
                data = file.read(MOST_BYTES + 1)
    except IsADirectoryError:
        raise InputError(f"{name}:1:1: is a folder") from None
    except OSError as error:
        raise InputError(f"{name}:1:1: {(error.strerror or str(error)).lower()}") from None
    except ValueError:
        raise InputError(f"{quoted(name)}: is no file's name") from None
    if data[:2] == b"\x1f\x8b":
        try:
            unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
            data = unpacker.decompress(data, MOST_BYTES + 1)
            if len(data) <= MOST_BYTES and not unpacker.eof:
                raise InputError(f"{name}:1:1: the compressed file ends too early")
        except (zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{name}:1:1: the compressed file is damaged ({error})") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{name}:1:1: larger than {MOST_BYTES >> 20} MiB")
    return data


def read(path):
    """Returns the Source of a file, plain or compressed with gzip; '-' is standard input. InputError for a file
    that is not text."""
    return text_of(name_of(path), read_bytes(path))


def text_of(name, data):
    """Returns the Source of a file's content; InputError for content that is not text."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[:error.start]
        raise InputError(f"{name}:{before.count(10) + 1}:{error.start - before.rfind(10)}: a byte that is no UTF-8 "
                         f"text (0x{data[error.start]:02x}); is the file binary?") from None
    control = CONTROL.search(text)
    if control:
        Source(name, text).fail(control.start(), f"a control character, {json.dumps(control[0])}; is the file binary?")
    if not text.strip():
        raise InputError(f"{name}:1:1: the file is empty")
    return Source(name, text)


def base_name(path):
    """Returns the last component of a path, for notes."""
    return pathlib.PurePath(path).name


def json_of(source, text=None, offset=0):
    """Returns the value of JSON text; InputError with its place. Duplicate keys and nesting too deep for the parser
    are refused."""
    def pairs(found):
        seen = {}
        for key, value in found:
            if key in seen:
                raise ValueError(f"the key {quoted(key)} is there twice")
            seen[key] = value
        return seen

    def never(name):
        raise ValueError(f"{name} is no JSON number")

    try:
        return json.loads(source.text if text is None else text, object_pairs_hook=pairs, parse_constant=never)
    except json.JSONDecodeError as error:
        source.fail(offset + error.pos, f"not JSON: {error.msg}")
    except RecursionError:
        source.fail(offset, "nested too deep")
    except ValueError as error:
        source.fail(offset, str(error) if "JSON" in str(error) or "twice" in str(error) else f"not JSON: {error}")


def where(source, *path):
    """Returns the offset of a value in a JSON file, found by the keys that lead to the value, in the order of the
    text."""
    at = 0
    for key in path:
        found = source.text.find(json.dumps(key, ensure_ascii=False), at)
        if found < 0:
            break
        at = found
    return at

"""Reads binary Chakra traces (.et): length-prefixed protobuf messages, first the metadata and then the nodes.

The reader needs only protobuf's wire format: varints, and fields by number and kind. Unknown fields are skipped."""

import struct

from dccvp.importers.source import Source

NODE = {1: "id", 2: "name", 3: "type", 5: "data_deps", 7: "duration_micros", 10: "attr"}
ATTRIBUTE = {1: "name", 3: "double_val", 5: "float_val", 7: "int32_val", 9: "int64_val", 11: "uint32_val",
             13: "uint64_val", 15: "sint32_val", 17: "sint64_val", 19: "fixed32_val", 21: "fixed64_val",
             23: "sfixed32_val", 25: "sfixed64_val", 27: "bool_val", 29: "string_val"}
ZIGZAG = {15, 17}
FIXED = {3: "<d", 5: "<f", 19: "<I", 21: "<Q", 23: "<i", 25: "<q"}
VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5


class BinarySource(Source):
    """A binary file; error messages give places as line 1 and the number of the byte, counted from 1."""

    def __init__(self, name, data):
        super().__init__(name, "")
        self.data = data

    def line_of(self, at):
        return 1

    def place(self, at):
        return f"{self.name}:1:{at + 1}"


class _Reader:
    """Reads one protobuf message, from offset `at` to `end`."""

    def __init__(self, source, at, end):
        self.source, self.at, self.end = source, at, end

    def varint(self):
        value = shift = 0
        begin = self.at
        while True:
            if self.at >= self.end or shift > 63:
                self.source.fail(begin, "a number that does not end; no Chakra trace, or a damaged one")
            byte = self.source.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & (2**64 - 1)

    def take(self, count, what):
        """Consumes the next `count` bytes and returns their offset."""
        if count > self.end - self.at:
            self.source.fail(self.at, f"the file ends inside {what}; no Chakra trace, or a damaged one")
        self.at += count
        return self.at - count

    def fields(self):
        """Yields (number, kind, value, offset) of each field; the value of a field of kind BYTES is a _Reader of the
        bytes."""
        while self.at < self.end:
            begin = self.at
            tag = self.varint()
            number, kind = tag >> 3, tag & 7
            if kind == VARINT:
                yield number, kind, self.varint(), begin
            elif kind in (EIGHT, FOUR):
                size = 8 if kind == EIGHT else 4
                first = self.take(size, "a number")
                yield number, kind, self.source.data[first:first + size], begin
            elif kind == BYTES and number:
                size = self.varint()
                first = self.take(size, "a field")
                yield number, kind, _Reader(self.source, first, first + size), begin
            else:
                self.source.fail(begin, "a field of an unknown kind; no Chakra trace, or a damaged one")

    def text(self):
        return self.source.data[self.at:self.end].decode("utf-8", "replace")


def _attribute(reader):
    found = {"name": ""}
    for number, kind, value, _ in reader.fields():
        name = ATTRIBUTE.get(number)
        if name is None:
            continue
        if kind == BYTES:
            found[name] = value.text() if number in (1, 29) else ""
        elif kind == VARINT:
            if number in ZIGZAG:
                value = (value >> 1) ^ -(value & 1)
            elif value >= 2**63 and number in (7, 9):
                value -= 2**64
            found[name] = bool(value) if number == 27 else value
        elif number in FIXED and struct.calcsize(FIXED[number]) == len(value):
            found[name] = struct.unpack(FIXED[number], value)[0]
    return found


def _node(reader):
    found: dict = {"data_deps": [], "attr": []}
    for number, kind, value, at in reader.fields():
        name = NODE.get(number)
        if name in ("id", "type", "duration_micros") and kind == VARINT:
            found[name] = value
        elif name == "name" and kind == BYTES:
            found[name] = value.text()
        elif name == "data_deps" and kind == VARINT:
            found[name].append(value)
        elif name == "data_deps" and kind == BYTES:  # A packed repeated field holds all its numbers.
            while value.at < value.end:
                found[name].append(value.varint())
        elif name == "attr" and kind == BYTES:
            found[name].append(_attribute(value))
        elif name is not None:
            reader.source.fail(at, f"the field {name} of a node is of another kind")
    return found


def entries(source):
    """Yields (offset, node) of each node; the node has the form of the jsonizer's JSON."""
    whole = _Reader(source, 0, len(source.data))
    first = True
    while whole.at < whole.end:
        size = whole.varint()
        begin = whole.take(size, "a message")
        if first:  # The first message holds the metadata.
            for _ in _Reader(source, begin, begin + size).fields():
                pass
            first = False
            continue
        yield begin, _node(_Reader(source, begin, begin + size))

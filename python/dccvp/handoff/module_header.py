"""Reads parameters, ports and their comments from the header of a SystemVerilog module."""
import re
import sys

PARAMETER = re.compile(r"parameter\s+(?:int unsigned|logic(?:\s*\[[^]]*\])?)\s+(\w+)\s*=\s*([^,/]*[^,/\s])"
                       r"\s*,?\s*(?://\s*(.*))?$")
PORT = re.compile(r"(input|output)\s+(logic|\w+::\w+)\s*(\[[^]]*\])?\s*(\w+)\s*,?\s*(?://\s*(.*))?$")


class Parameter:
    def __init__(self, name, default, comment):
        self.name, self.default, self.comment = name, default, comment or ""


class Port:
    """A port. width: "[31:0]", or "" for one bit; kind: "logic" or a type; heading: comment lines above the port."""

    def __init__(self, match, heading):
        self.direction, self.kind, width, self.name, comment = match.groups()
        self.width, self.comment, self.heading = width or "", comment or "", heading


def read_header(path):
    """Returns (module name, parameters, ports) in the order of the source."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    first = next(i for i, line in enumerate(lines) if line.startswith("module "))
    last = lines.index(");", first)
    parameters, ports, heading = [], [], []
    for line in lines[first + 1:last]:
        if line.startswith("//"):
            heading.append(line[2:].strip())
            continue
        match = PARAMETER.match(line)
        if match:
            parameters.append(Parameter(*match.groups()))
        match = PORT.match(line)
        if match:
            ports.append(Port(match, " ".join(heading)))
        elif line.startswith(("input", "output")):
            sys.exit(f"{path}: not understood: {line}")
        heading = []
    return lines[first].split()[1], parameters, ports

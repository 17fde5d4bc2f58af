"""Tables of parameters and ports from SystemVerilog module headers: tool.py interface-tables FILE.sv ...

Markdown, in the order of the source, with its comments; a comment line above ports is their heading.
"""
import re
import sys


PARAMETER = re.compile(r"parameter\s+(?:int unsigned|logic(?:\s*\[[^]]*\])?)\s+(\w+)\s*=\s*([^,/]*[^,/\s])"
                       r"\s*,?\s*(?://\s*(.*))?$")
PORT = re.compile(r"(input|output)\s+(logic|\w+::\w+)\s*(\[[^]]*\])?\s*(\w+)\s*,?\s*(?://\s*(.*))?$")


def cell(text):
    return (text or "").replace("|", r"\|")


def tables(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    first = next(i for i, line in enumerate(lines) if line.startswith("module "))
    last = lines.index(");", first)
    print(f"## {lines[first].split()[1]}\n")
    parameters, ports, heading = [], [], []
    for line in lines[first + 1:last]:
        if line.startswith("//"):
            heading.append(line[2:].strip())
            continue
        match = PARAMETER.match(line)
        if match:
            parameters.append(f"| `{match[1]}` | {match[2]} | {cell(match[3])} |")
        match = PORT.match(line)
        if match:
            direction, kind, width, name, comment = match.groups()
            if heading:
                ports.append(f"| | | | **{cell(' '.join(heading))}** |")
            shape = width or ("1" if kind == "logic" else f"`{kind}`")
            ports.append(f"| `{name}` | {direction} | {shape} | {cell(comment)} |")
        elif line.startswith(("input", "output")):
            sys.exit(f"{path}: not understood: {line}")
        heading = []
    if parameters:
        print("| parameter | default | meaning |\n|---|---|---|")
        print("\n".join(parameters) + "\n")
    print("| port | direction | width | meaning |\n|---|---|---|---|")
    print("\n".join(ports) + "\n")


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    print("# Parameters and ports\n\nFrom the headers of the modules. All ports belong to `clk_i`; "
          "`rst_ni` is active low.\n")
    for path in arguments:
        tables(path)

"""Writes tables of parameters and ports from SystemVerilog module headers: tool.py interface-tables FILE.sv ...

The tables are Markdown, in the order of the source, with the comments of the source; a comment line above ports is
the heading of these ports.
"""
import sys

from dccvp.handoff.module_header import read_header


def cell(text):
    return text.replace("|", r"\|")


def tables(path):
    name, parameters, ports = read_header(path)
    print(f"## {name}\n")
    if parameters:
        print("| parameter | default | meaning |\n|---|---|---|")
        for parameter in parameters:
            print(f"| `{parameter.name}` | {parameter.default} | {cell(parameter.comment)} |")
        print()
    print("| port | direction | width | meaning |\n|---|---|---|---|")
    for port in ports:
        if port.heading:
            print(f"| | | | **{cell(port.heading)}** |")
        shape = port.width or ("1" if port.kind == "logic" else f"`{port.kind}`")
        print(f"| `{port.name}` | {port.direction} | {shape} | {cell(port.comment)} |")
    print()


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    print("# Parameters and ports\n\nFrom the headers of the modules. All ports belong to `clk_i`; "
          "`rst_ni` is active low.\n")
    for path in arguments:
        tables(path)

#!/usr/bin/python3 -B
"""Writes assertions that a reset gives every register the value that the RTL states: reset_assertions.py OUT FILE ...

For each module of the SystemVerilog files with asynchronous resets OUT/MODULE.sv binds reset_values_sva. The values are
those of the RTL at packaging, so that check.sh of the package refuses a later copy of the RTL in which a register keeps
its contents or takes another value. Left out: registers inside generate blocks, which have no name outside. A register
of the module of which each iteration of a generate block resets a part is 0 as a whole.
"""
import pathlib
import re
import sys

CHECKER = """// While the reset lasts, each register that has a reset has its value after reset.
// SPDX-License-Identifier: Apache-2.0
module reset_values_sva #(
  parameter int unsigned Count = 1
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Count-1:0] right_i  // a bit for each register: it has the value after reset
);
  logic reset_q = 1'b0;  // reset was active at the previous clock edge
  always_ff @(posedge clk_i) reset_q <= !rst_ni;
  reset_values: assert property (@(posedge clk_i) !(reset_q && !rst_ni && right_i != '1));
endmodule
"""
BLOCK = re.compile(r"^  always_ff @\(posedge (\w+) or negedge (\w+)\)\s+(?:begin\s+)?"
                   r"if \(!\2\) (begin\n.*?\n\s*end|[^\n;]*;)", re.M | re.S)
PARTS = re.compile(r"^    always_ff @\(posedge (\w+) or negedge (\w+)\) begin\s+"
                   r"if \(!\2\) (\w+)\[\w+\*(\w+) \+: \4\] <= '0;", re.M)


def conditions(body):
    """Yields a condition for each register that the reset branch assigns."""
    for target, value in re.findall(r"(\{[^}]*\}|[\w.]+(?:\[[^\]]*\])?)\s*<=\s*([^;]+);", body):
        if "[" in target:
            array = re.fullmatch(r"(\w+)\[i\]", target)
            if array:  # a register of each flow: the first two stand for all
                yield f"{array[1]}[0] == {value} && {array[1]}[1] == {value}"
            continue
        yield f"{target} == ({value})"


def assertions(text):
    """Returns the bind statements for the module of a file, or ''."""
    text = re.sub(r"//[^\n]*", "", text)
    module = re.search(r"^module (\w+)", text, re.M)
    if not module:
        return ""
    found = {}
    for clock, reset, body in BLOCK.findall(text):
        found.setdefault((clock, reset), []).extend(conditions(body))
    for clock, reset, name, _ in PARTS.findall(text):
        found.setdefault((clock, reset), []).append(f"{name} == '0")
    lines = []
    for number, ((clock, reset), rights) in enumerate(found.items()):
        if not rights:
            continue
        every = ",\n    ".join(rights)
        lines.append(f"bind {module[1]} reset_values_sva #(.Count({len(rights)})) u_reset_values{number or ''} (\n"
                     f"  .clk_i({clock}), .rst_ni({reset}), .right_i({{\n    {every}}}));\n")
    return "".join(lines)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    (out / "reset_values_sva.sv").write_text(CHECKER, encoding="utf-8")
    number = 0
    for name in sys.argv[2:]:
        path = pathlib.Path(name)
        text = assertions(path.read_text(encoding="utf-8"))
        if text:
            number += 1
            (out / path.name).write_text(f"// Registers of {path.stem} after reset; made by packaging.\n"
                                         f"// SPDX-License-Identifier: Apache-2.0\n{text}", encoding="utf-8")
    if not number:
        sys.exit("no module with a reset")


if __name__ == "__main__":
    main()

#!/usr/bin/python3 -B
"""Checks the table in rtl/controller/README.md, which maps each rule to a module, a line of RTL and a test.

  rule_map_test.py [--write]

A row's line of its module must hold the words of its third column, and no other line may; every test it
names must be one of tests/cosim/controller or secded (a profile of page_profiles.h, or Suite.Name). Every module of
rtl/controller/rtl must have a row. --write puts the lines right.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
MAP = ROOT / "rtl/controller/README.md"
RTL = ROOT / "rtl/controller/rtl"
TESTS = (ROOT / "tests/cosim/controller", ROOT / "tests/cosim/secded")
ROW = re.compile(r"\| (?P<rule>[^|]+) \| (?P<file>[\w/.]+\.sv):(?P<line>\d+) \| `(?P<there>.+)` \| "
                 r"(?P<tests>[^|]+) \|$")
# Modules without rules of the law: types, alignment of words, clocks, assembly of the other modules.
WITHOUT_RULE = {"dcc_controller_pkg.sv", "dc_clocks.sv", "dc_delay.sv", "dcc_top.sv", "dcc_top_registered.sv"}


def known_tests():
    profiles = (TESTS[0] / "page_profiles.h").read_text("utf-8")
    names = {law + name for name in re.findall(r'\{"(\w+)", \{', profiles) + re.findall(r'\{"(\w+)", crowd', profiles)
             for law in ("Dcqcn", "Marks")}
    for file in (one for folder in TESTS for one in folder.glob("*_test.cpp")):
        for suite, name in re.findall(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+), (\w+)\)", file.read_text("utf-8"), re.M):
            names.add(f"{suite}.{name}")
    return names


def main():
    write = "--write" in sys.argv[1:]
    wrong, seen, rows, lines = [], set(), 0, MAP.read_text("utf-8").splitlines()
    tests = known_tests()
    for number, line in enumerate(lines):
        if not re.match(r"\| .*\.sv", line):
            continue
        row = ROW.match(line)
        where = f"{MAP.relative_to(ROOT)}:{number + 1}"
        if row is None:
            wrong.append(f"{where}: not 'rule | module.sv:line | `words there` | tests': {line}")
            continue
        rows += 1
        file = (RTL / row["file"]).resolve()
        if not file.is_file():
            wrong.append(f"{where}: there is no {row['file']}")
            continue
        seen.add(file.name)
        text = file.read_text("utf-8").splitlines()
        found = [at + 1 for at, source in enumerate(text) if row["there"] in source]
        if len(found) != 1:
            wrong.append(f"{where}: '{row['there']}' is in {len(found)} lines of {row['file']}, not in one")
        elif found[0] != int(row["line"]):
            if write:
                lines[number] = line.replace(f"{row['file']}:{row['line']}", f"{row['file']}:{found[0]}", 1)
            else:
                wrong.append(f"{where}: '{row['there']}' is in line {found[0]} of {row['file']} "
                             "(rule_map_test.py --write)")
        named = re.findall(r"`([^`]+)`", row["tests"])
        if not named and row["tests"].strip() != "every profile":
            wrong.append(f"{where}: names no test")
        for name in named:
            if name not in tests:
                wrong.append(f"{where}: there is no test {name}")
    for file in sorted(RTL.glob("*.sv")):
        if file.name not in seen | WITHOUT_RULE:
            wrong.append(f"{MAP.relative_to(ROOT)}: no rule leads to {file.name}")
    if rows < 30:
        wrong.append(f"{MAP.relative_to(ROOT)}: only {rows} rows were read")
    if write:
        MAP.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(wrong) if wrong else f"{rows} rules, each where the table says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3 -B
r"""Checks that every mutant of the CPU's core in mutants.txt fails a test: mutants.py --build FOLDER [--only N].

mutants.txt has one mutant a line: FILE of models/core/riscv | text | text instead | what is broken; \| is a bar of
C++. The text occurs once in FILE, blank space aside; it is an expression, or statements that end with a semicolon.
All mutants are in one build; an environment variable selects one. Mutant 0 is the core itself and must pass. Exit
status 1, with a line for each mutant that survives, crashes or does not end.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE = ROOT / "models/core/riscv"
TESTS = ROOT / "tests/riscv"
LIST = TESTS / "mutants.txt"
CHECKED_BY = ("riscv_atomic_test.cpp", "riscv_race_detector_test.cpp")
SECONDS = 60
SELECTOR = """#pragma once
#include <cstdlib>
inline int dcc_mutant() {
  static const int number = std::atoi(std::getenv("DCC_MUTANT"));
  return number;
}
"""


def mutants():
    rows = [[part.strip().replace(r"\|", "|") for part in re.split(r" \|(?= )", line)]
            for line in LIST.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    for row in rows:
        if len(row) != 4:
            sys.exit(f"mutants.py: mutants.txt: '{' | '.join(row)}' has {len(row)} parts, not 4")
    return rows


def spaced(text):
    return r"\s+".join(re.escape(word) for word in text.split())


def mutate(text, old, choices):
    """Puts all mutants of one text behind the selector."""
    found = re.findall(spaced(old), text)
    if len(found) != 1:
        sys.exit(f"mutants.py: '{old}' occurs {len(found)} times, not once")
    if not old.endswith(";"):
        instead = "".join(f"dcc_mutant() == {number} ? ({new}) : " for number, new in choices) + f"({found[0]})"
        return text.replace(found[0], f"({instead})")
    instead = "".join(f"if (dcc_mutant() == {number}) {{ {new} }} else " for number, new in choices)
    return text.replace(found[0], f"{instead}{{ {found[0]} }}")


def build(rows, folder):
    place = folder / "riscv"
    place.mkdir(parents=True, exist_ok=True)
    (folder / "dcc_mutant.h").write_text(SELECTOR, "utf-8")
    for name in sorted({row[0] for row in rows}):
        # Mutants are found in the code alone, so that a comment may change.
        text = re.sub(r"(?m)^\s*//.*\n", "", (CORE / name).read_text("utf-8"))
        choices = {}
        for number, row in enumerate(rows, 1):
            if row[0] == name:
                choices.setdefault(row[1], []).append((number, row[2]))
        # Replaces longer texts first, since a shorter text may be a part of a longer one.
        for old in sorted(choices, key=len, reverse=True):
            text = mutate(text, old, choices[old])
        (place / name).write_text(text, "utf-8")
    objects = []
    sources = [place / f.name if (place / f.name).exists() else f for f in sorted(CORE.glob("*.cpp"))]
    for source in sources + [TESTS / name for name in CHECKED_BY]:
        objects.append(folder / (source.stem + ".o"))
        subprocess.run(["g++", "-std=c++17", "-O1", "-include", folder / "dcc_mutant.h", f"-I{folder}",
                        f"-I{ROOT}/models/core", f"-I{TESTS}", "-c", source, "-o", objects[-1]], check=True)
    program = folder / "mutants"
    subprocess.run(["g++", *objects, "-lgtest", "-lgtest_main", "-pthread", "-o", program], check=True)
    return program


def judge(program, number):
    """Returns the verdict on a mutant, and the first test that fails."""
    try:
        done = subprocess.run([program, "--gtest_brief=1"], env={**os.environ, "DCC_MUTANT": str(number)},
                              capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "DOES NOT END", f"nothing within {SECONDS} s"
    failed = re.findall(r"^\[  FAILED  \] (\w+\.\w+) \(", done.stdout, re.MULTILINE)
    if done.returncode == 0:
        return "SURVIVES", "all tests pass"
    if done.returncode == 1 and failed:
        return "killed", failed[0] + (f" and {len(failed) - 1} more" if len(failed) > 1 else "")
    return "CRASHES", f"status {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description="runs mutants of the CPU's core")
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    rows = mutants()
    program = build(rows, options.build.resolve())
    verdict, said = judge(program, 0)
    if verdict != "SURVIVES":
        sys.exit(f"mutants.py: the core itself fails: {said}")
    numbers = [n for n in range(1, len(rows) + 1) if options.only in (None, n)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda n: judge(program, n), numbers))
    for number, (verdict, said) in zip(numbers, verdicts):
        print(f"{number:2} {verdict}: {rows[number - 1][0]}: {rows[number - 1][3]} ({said})")
    return int(any(verdict != "killed" for verdict, _ in verdicts))


if __name__ == "__main__":
    sys.exit(main())

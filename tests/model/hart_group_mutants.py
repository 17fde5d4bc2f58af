#!/usr/bin/python3 -B
"""Checks that every mutant in hart_group_mutants.txt fails a test of hart_group_test.cpp.

  hart_group_mutants.py --build FOLDER --compile "FLAGS" LIBRARY...

The mutants are in one object, which the linker takes in place of the library's. Mutant 0 is the group itself and must
pass. Exit status 1, with a line for each mutant that survives, crashes or does not end.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/riscv"))
import mutants  # noqa: E402

HERE = ROOT / "tests/model"
GROUP = ROOT / "models/tlm/cpu/hart_group.cpp"
SECONDS = 60


def build(rows, folder, flags, libraries):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "dcc_mutant.h").write_text(mutants.SELECTOR, "utf-8")
    text, choices = GROUP.read_text("utf-8"), {}
    for number, row in enumerate(rows, 1):
        choices.setdefault(row[1], []).append((number, row[2]))
    for old, new in choices.items():
        text = mutants.mutate(text, old, new)
    (folder / GROUP.name).write_text(text, "utf-8")
    objects = []
    for source in (folder / GROUP.name, *(HERE / f"{name}.cpp" for name in ("hart_group_test", "model_test",
                                                                            "model_test_main"))):
        objects.append(folder / f"{source.stem}.o")
        subprocess.run(["g++", "-std=c++17", "-O0", "-include", folder / "dcc_mutant.h", *flags, f"-I{HERE}",
                        f"-I{ROOT}/tests/riscv", "-c", source, "-o", objects[-1]], check=True)
    program = folder / "mutants"
    subprocess.run(["g++", *objects, "-Wl,--start-group", *libraries, "-Wl,--end-group", "-lgtest", "-pthread",
                    "-o", program], check=True)
    return program


def judge(program, tests, number):
    """Returns the verdict on a mutant, and the tests that fail. Each test needs a process of its own."""
    failed = []
    for test in tests:
        try:
            done = subprocess.run([program, f"--gtest_filter={test}", "--gtest_brief=1"], capture_output=True,
                                  env={**os.environ, "DCC_MUTANT": str(number)}, text=True, check=False,
                                  timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return "DOES NOT END", [test]
        if done.returncode not in (0, 1) or done.returncode == 1 and "[  FAILED  ]" not in done.stdout:
            return "CRASHES", [test, f"status {done.returncode}"]
        if done.returncode == 1:
            failed.append(test)
    return ("killed", failed) if failed else ("SURVIVES", ["all tests pass"])


def main():
    parser = argparse.ArgumentParser(description="runs mutants of the group of harts")
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--compile", default="")
    parser.add_argument("libraries", nargs="+")
    options = parser.parse_args()
    mutants.LIST = HERE / "hart_group_mutants.txt"
    rows = mutants.mutants()
    program = build(rows, options.build.resolve(), shlex.split(options.compile), options.libraries)
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    tests = [f"HartGroupTest.{name}" for name in re.findall(r"^  (\w+)$", listed, re.MULTILINE)]
    verdict, said = judge(program, tests, 0)
    if verdict != "SURVIVES":
        sys.exit(f"hart_group_mutants.py: the group itself fails: {said}")
    left = 0
    for number, row in enumerate(rows, 1):
        verdict, said = judge(program, tests, number)
        left += verdict != "killed"
        print(f"{number:2} {verdict}: {row[3]} ({', '.join(said)})")
    return int(left != 0)


if __name__ == "__main__":
    sys.exit(main())

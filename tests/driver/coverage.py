#!/usr/bin/python3
"""Measures with gcov which lines and branches of sw/driver its tests execute. Fails below 95 % of either.

    coverage.py SOURCE_TREE          builds in a folder of its own; some 40 s
"""

import json
import pathlib
import subprocess
import sys
import tempfile

LEAST = 95.0
TESTS = ("dcc_driver", "dcc_tables", "nic_driver", "driver_misuse")


def run(command, folder):
    done = subprocess.run([str(c) for c in command], cwd=folder, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(c) for c in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def counts(folder, sources):
    """Returns {file: (lines run, lines, branches taken, branches, numbers of lines never run)}."""
    result = {}
    for source in sources:
        report = json.loads(run(["gcov", "-t", "-b", "--json-format", f"{source.stem}.gcno"], folder))
        for file in report["files"]:
            name = pathlib.Path(file["file"])
            if name.parent.name != "driver" or name.suffix not in (".c", ".h"):
                continue
            lines, ways = result.setdefault(name.name, ({}, {}))
            for line in file["lines"]:
                number = line["line_number"]
                lines[number] = lines.get(number, 0) + line["count"]
                for i, branch in enumerate(line["branches"]):
                    key = (number, i) if name.suffix == ".c" else (number, source.stem, i)
                    ways[key] = ways.get(key, 0) + branch["count"]
    return result


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    sources = sorted((root / "sw/driver").glob("*.c"))
    with tempfile.TemporaryDirectory(prefix="dccvp-coverage-") as folder:
        run([root / "python/tool.py", "regtool", "--code", folder], folder)
        includes = [f"-I{root}/sw", f"-I{folder}"]
        for source in sources:
            run(["gcc", "-std=gnu11", "-O0", "--coverage", *includes, "-c", source, "-o",
                 f"{source.stem}.o"], folder)
        objects = [f"{source.stem}.o" for source in sources]
        fakes = [root / "tests/driver" / f"{name}.cpp" for name in ("fake_machine", "fake_nic")]
        app = sorted((root / "sw/app").glob("*.c"))
        for source in app:
            run(["gcc", "-std=gnu11", "-O0", *includes, "-c", source], folder)
        tests = [root / "tests/driver" / f"{name}_test.cpp" for name in TESTS]
        run(["g++", "-std=c++17", "-O0", *includes, f"-I{root}/models/core",
             f"-I{root}/tests/driver", *fakes, *tests, *objects,
             *(f"{source.stem}.o" for source in app), "--coverage", "-lgtest", "-lgtest_main",
             "-lpthread", "-lm", "-o", "tests"], folder)
        run(["./tests"], folder)
        files = counts(folder, sources)
    total = [0, 0, 0, 0]
    print(f"{'file':24} {'lines':>16} {'branches':>16}   never run")
    for name, (lines, ways) in sorted(files.items()):
        figures = [sum(map(bool, lines.values())), len(lines), sum(map(bool, ways.values())),
                   len(ways)]
        total = [a + b for a, b in zip(total, figures)]
        missing = sorted({n for n, c in lines.items() if c == 0} |
                         {key[0] for key, c in ways.items() if c == 0})
        print(f"{name:24} {figures[0]:>7} of {figures[1]:>5} {figures[2]:>7} of {figures[3]:>5}   "
              + " ".join(map(str, missing)))
    percent = [100 * total[0] / total[1], 100 * total[2] / total[3]]
    print(f"{'all':24} {percent[0]:>14.1f} % {percent[1]:>14.1f} %")
    if min(percent) < LEAST:
        sys.exit(f"less than {LEAST} %")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks the direction of includes: each folder may include only the folders that tests/layers.txt allows.

usage: check_layers.py [ROOT]; exit status 1 and one line per include that is not allowed.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOTS = ("models/core", "models", "models/tlm", "vp", "sw", "rtl/verilated", "rtl/verilated/controller",
         "rtl/verilated/timing_wheel", "rtl/verilated/rate_lut", "rtl/bench", "rtl/packet/adapter")


class Layers:
    """The order of the source folders in layers.txt, lowest folder first, and the exceptions from this order."""

    def __init__(self, text):
        self.place = {}  # folder -> number of its line in layers.txt
        self.only = {}  # folder -> the only folders that the folder may include, if layers.txt restricts it
        self.allowed = set()  # pairs of folders whose headers may include each other
        for number, line in enumerate(text.splitlines()):
            line = line.split("#")[0].strip()
            if ">" in line:
                self.allowed.add(tuple(folder.strip() for folder in line.split(">")))
            elif line:
                folders, _, only = line.partition("@")
                for folder in folders.split():
                    self.place[folder] = number
                    if only:
                        self.only[folder] = only.split()

    def folder_of(self, file):
        """The pattern of layers.txt that matches a file, and the folder that counts as one unit; None for a file
        that no pattern matches."""
        best = None
        for listed in self.place:
            stem = listed[:-2] if listed.endswith("/*") else listed
            if file == stem + ".h" or file.startswith(stem + "/"):
                if best is None or len(stem) > len(best[1]):
                    own = stem + "/" + file[len(stem) + 1:].split("/")[0] if listed != stem else stem
                    best = (listed, own)
        return best

    def allows(self, file, target):
        one, other = self.folder_of(file), self.folder_of(target)
        if one is None or other is None or one[1] == other[1] or (one[1], other[1]) in self.allowed:
            return True
        if one[0] in self.only:
            return any(other[0] == only or only.endswith("/*") and other[0].startswith(only[:-1])
                       for only in self.only[one[0]])
        if one[0] == other[0]:
            return False  # a pattern A/* forbids includes between the folders below A
        return self.place[other[0]] <= self.place[one[0]]


def path_of(name, root, known):
    """The path in the repository of an included file. A file that is not in the repository is made by the build for
    the folder of its name. None: no such folder."""
    folder = name.partition("/")[0]
    return next((f"{r}/{name}" for r in ROOTS if f"{r}/{name}" in known), None) or next(
        (f"{r}/{name}" for r in ROOTS if "/" in name and (root / r / folder).is_dir()), None)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    layers = Layers((root / "tests/layers.txt").read_text())
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard",
                            "*.h", "*.cpp", "*.c"],
                           cwd=root, check=True, capture_output=True, text=True).stdout.split()
    known = set(files)
    wrong = 0
    for file in files:
        if layers.folder_of(file) is None or not (root / file).exists():
            continue
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            target = path_of(found[1], root, known) if found else None
            if target is not None and not layers.allows(file, target):
                print(f"{file}:{number}: may not include {found[1]} (tests/layers.txt)")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

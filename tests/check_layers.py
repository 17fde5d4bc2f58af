#!/usr/bin/env python3
"""Checks that includes go down: each folder may include only what tests/layers.txt allows.

usage: check_layers.py [ROOT]; exit status 1 and one line per include that runs upwards.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOTS = ("models/core", "models", "models/tlm", "vp", "sw", "rtl/verilated", "rtl/bench")


def read_layers(path):
    """Folders in order, lowest first, with the folders each is narrowed to (None: all below)."""
    layers = []
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            folder, _, only = line.partition("@")
            layers.append((folder.strip(), only.split() or None))
    return layers


def layer_of(file, layers):
    """Position and folder of the most special layer that holds a file; None outside all."""
    best = None
    for place, (folder, _) in enumerate(layers):
        stem = folder.rstrip("*").rstrip("/")
        if file == stem + ".h" or file.startswith(stem + "/"):
            if best is None or len(stem) > len(best[1]):
                best = (place, stem)
    return best


def room(file, layer):
    """The folder that counts as one room: below a layer that ends in *, each folder is its own."""
    return file[len(layer[1]) + 1:].split("/")[0] if layer[1] == "models/schemes" else ""


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    layers = read_layers(root / "tests/layers.txt")
    files = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.h", "*.cpp"],
                           cwd=root, check=True, capture_output=True, text=True).stdout.split()
    known = set(files)
    wrong = 0
    for file in files:
        own = layer_of(file, layers)
        if own is None or not (root / file).exists():
            continue
        for number, line in enumerate((root / file).read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not found:
                continue
            target = next((f"{r}/{found[1]}" for r in ROOTS if f"{r}/{found[1]}" in known), None)
            to = layer_of(target, layers) if target else None
            if to is None:
                continue
            only = layers[own[0]][1]
            bad = to[0] > own[0] or (to[0] == own[0] and room(file, own) != room(target, to))
            if only is not None and to[0] != own[0]:
                bad = bad or layers[to[0]][0] not in only
            if bad:
                print(f"{file}:{number}: may not include {found[1]} (tests/layers.txt)")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

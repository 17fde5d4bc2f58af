#!/usr/bin/python3
"""Runs the commands of docs/tutorial-firmware.md as written and looks for the output it promises."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DCCVP, FIRMWARE, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
TUTORIAL = ROOT / "docs/tutorial-firmware.md"
MIN_BLOCKS = 6


def blocks(text):
    """(commands, promised lines) of every ```sh block; the ```text block behind it promises."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    pairs = []
    for i, (kind, body) in enumerate(found):
        if kind == "sh":
            promised = found[i + 1][1] if i + 1 < len(found) and found[i + 1][0] == "text" else ""
            pairs.append((body, promised.splitlines()))
    return pairs


def missing_line(output, promised):
    at = 0
    for line in promised:
        found = output.find(line, at)
        if found < 0:
            return line
        at = found + len(line)
    return None


def main():
    if shutil.which("gdb-multiarch") is None:
        print("gdb-multiarch is missing: skipped")
        return 77
    pairs = blocks(TUTORIAL.read_text(encoding="utf-8"))
    if len(pairs) < MIN_BLOCKS:
        print(f"only {len(pairs)} blocks of commands found")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("models", "sw", "firmware", "configs", "docs"):
            (folder / part).symlink_to(ROOT / part)
        (folder / "build").mkdir()
        (folder / "build/dccvp").symlink_to(DCCVP)
        (folder / "build/firmware").symlink_to(FIRMWARE)
        for commands, promised in pairs:
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", commands], cwd=folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=200)
            output = done.stdout.decode()
            line = missing_line(output, promised)
            if done.returncode != 0 or line is not None:
                print(f"$ {commands}\n{output}\nstatus {done.returncode}, not found: {line!r}")
                return 1
    print(f"{len(pairs)} blocks of commands: all as promised")
    return 0


sys.exit(main())

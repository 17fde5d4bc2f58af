#!/usr/bin/env python3
"""Runs a long check only if the inputs of the check have changed since it last passed.

usage: unchanged.py NAME INPUT... -- COMMAND...

INPUT is a file or folder of the repository, or 'tool:NAME' for a program whose version counts. COMMAND is the check
with its arguments. For each NAME tests/evidence.json
holds the digest of the inputs with which the check last passed. Comments and blank space in SystemVerilog, C++ and
Python sources do not count, since they cannot change the result. A source that includes a header which the build
makes from the register maps has the maps and their generator as further inputs.

Exit status 77 (ctest: skipped) and one line if the inputs are those of the last pass; otherwise the exit
status of COMMAND. With DCC_EVIDENCE=always the command runs in any case (`make test-full`); with
DCC_EVIDENCE=record the digest is written to tests/evidence.json after the command has passed.
"""
import fcntl
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EVIDENCE = ROOT / "tests/evidence.json"
SKIPPED = 77
COMMENTS = {".sv": r"//[^\n]*|/\*.*?\*/", ".svh": r"//[^\n]*|/\*.*?\*/", ".h": r"//[^\n]*|/\*.*?\*/",
            ".cpp": r"//[^\n]*|/\*.*?\*/", ".c": r"//[^\n]*|/\*.*?\*/", ".py": r"(?m)^\s*#[^\n]*"}


# Headers that the build makes from the register maps, and what they are made from.
REGISTER_MAPS = "rtl/regs/*.yaml"
MADE_FROM = [REGISTER_MAPS, "rtl/regs/*.json", "python/dccvp/regtool"]


def contents(path):
    """Returns the part of a file's contents that can change the outcome of a check."""
    data = path.read_bytes()
    pattern = COMMENTS.get(path.suffix)
    if pattern is None:
        return data
    return re.sub(r"\s+", " ", re.sub(pattern, "", data.decode(), flags=re.S)).encode()


def files_of(inputs):
    """Returns all files below the inputs that git does not ignore, sorted. A new file counts before it is added, and a
    deleted one no more. Ends with an error for an input without any file."""
    listed = set()
    for item in inputs:
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", item]
        found = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
        present = {name for name in found if name and (ROOT / name).is_file()}
        if not present:
            sys.exit(f"unchanged.py: {item}: no such file in the repository")
        listed |= present
    return sorted(listed)


def include_registers(names):
    """Whether one of these files includes a header that the build makes from the register maps."""
    maps = "|".join(path.stem for path in sorted(ROOT.glob(REGISTER_MAPS)))
    made = re.compile(rf'^#include "(?:registers/generated/|driver/(?:{maps})(?:_regs)?\.h")', re.M)
    return any(made.search((ROOT / name).read_text()) for name in names if name.endswith((".h", ".cpp", ".c", ".S")))


def version(tool):
    """Returns the first line of a tool's --version, or a line that no tool prints if it is not installed."""
    try:
        shown = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return f"no {tool}"
    return shown.split("\n", 1)[0]


def digest(inputs, command):
    """Returns one digest of the command, the versions of the tools, and the names and contents of the inputs."""
    total = hashlib.sha256()
    for tool in [item[5:] for item in inputs if item.startswith("tool:")]:
        total.update(f"{tool}: {version(tool)}".encode() + b"\0")
    inputs = [item for item in inputs if not item.startswith("tool:")]
    for word in command:
        total.update(word.replace(str(ROOT), "").encode() + b"\0")
    names = files_of(inputs)
    if include_registers(names):
        names = files_of(inputs + MADE_FROM)
    for name in names:
        total.update(name.encode() + b"\0" + contents(ROOT / name) + b"\0")
    return total.hexdigest()


def record(name, now):
    """Stores a digest in the evidence file, which other checks may write at the same time."""
    with EVIDENCE.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        known = {**json.load(file), name: now}
        file.seek(0)
        file.truncate()
        file.write(json.dumps(known, indent=1, sort_keys=True) + "\n")


def main():
    words = sys.argv[1:]
    if "--" not in words or words.index("--") < 2 or words[-1] == "--":
        sys.exit(__doc__)
    split = words.index("--")
    name, inputs, command = words[0], words[1:split], words[split + 1:]
    # A path in the build folder differs between machines and does not affect the outcome.
    now = digest(inputs, [w for w in command if "/build" not in w])
    known = json.loads(EVIDENCE.read_text()) if EVIDENCE.exists() else {}
    mode = os.environ.get("DCC_EVIDENCE", "")
    if mode not in ("", "always", "record"):
        sys.exit(f"unchanged.py: DCC_EVIDENCE is '{mode}'; it may be always or record")
    if not mode and known.get(name) == now:
        print(f"{name}: skipped, its inputs are those with which it passed last (tests/evidence.json)")
        return SKIPPED
    status = subprocess.run(command, check=False).returncode
    if status == 0 and mode == "record":
        record(name, now)
    return status


if __name__ == "__main__":
    sys.exit(main())

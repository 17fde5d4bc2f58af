#!/usr/bin/python3
"""The table of configurations that are refused (bad_configs.txt).

  bad_configs.py FOLDER    writes every configuration of the table as FOLDER/NAME.yaml
"""

import pathlib
import re
import sys

TABLE = pathlib.Path(__file__).with_name("bad_configs.txt")


def bad_configs():
    """All blocks of bad_configs.txt as (name, bytes of the configuration, beginning of the error message)."""
    found = []
    for block in re.split("^=== ", TABLE.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, text = block.split("\n", 1)
        name, message = head.split(" | ", 1)
        raw = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), text.encode())
        found.append((name, raw, message))
    return found


def write_bad_configs(folder):
    """Writes every invalid configuration as a file. Returns a list of (file, beginning of the error message)."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, raw, message in bad_configs():
        (folder / f"{name}.yaml").write_bytes(raw)
        written.append((folder / f"{name}.yaml", message))
    return written


if __name__ == "__main__":
    write_bad_configs(sys.argv[1])

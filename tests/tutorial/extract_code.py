#!/usr/bin/python3
"""Extracts the code blocks that name a file (```cpp file=NAME) from a Markdown page."""
import pathlib
import re
import sys


def main() -> int:
    page, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    blocks = re.findall(r"^```\w+ file=([\w.]+)\n(.*?)^```$", page.read_text(), re.M | re.S)
    if not blocks:
        print(f"{page}: no code blocks with file=", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for name, code in blocks:
        (folder / name).write_text(code)
    return 0


if __name__ == "__main__":
    sys.exit(main())

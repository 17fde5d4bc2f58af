#!/usr/bin/python3
"""Runs the commands of a page of the documentation as written and looks for the output it promises.

  run_page.py BUILD/dccvp BUILD/firmware ROOT PAGE
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, SKIPPED  # noqa: E402

from pages import commands  # noqa: E402

NOT_LINKED = {"build", "out", "handoff", ".git"}


def missing_line(output, promised):
    at = 0
    for line in promised:
        found = output.find(line, at)
        if found < 0:
            return line
        at = found + len(line)
    return None


def lacks(text, dccvp, firmware):
    """The reason why this build cannot run the commands of a page; empty if it can."""
    if "build/firmware/" in text and not any(firmware.glob("*.elf")):
        return "firmware is not built"
    if "gdb-multiarch" in text and shutil.which("gdb-multiarch") is None:
        return "gdb-multiarch is missing"
    if "dccvp cosim" in text:
        done = subprocess.run([dccvp, "cosim", "--help"], capture_output=True, text=True, check=False)
        if "not in this build" in done.stdout:
            return "this build has no RTL"
    return ""


def main():
    dccvp, firmware, root, page = (pathlib.Path(a).resolve() for a in sys.argv[1:5])
    pairs = commands(page)
    if not pairs:
        print(f"{page.name}: no commands found")
        return 1
    why = lacks("".join(body for body, _ in pairs), dccvp, firmware)
    if why:
        print(f"{why}: skipped")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="dccvp-docs-") as name:
        folder = pathlib.Path(name)
        for part in root.iterdir():
            if part.name not in NOT_LINKED and not part.name.startswith("build"):
                (folder / part.name).symlink_to(part)
        (folder / "build").mkdir()
        (folder / "build/dccvp").symlink_to(dccvp)
        (folder / "build/firmware").symlink_to(firmware)
        (folder / "build/generated").symlink_to(dccvp.parent / "generated")
        for body, promised in pairs:
            done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", body], cwd=folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=PATIENCE, check=False)
            output = done.stdout.decode()
            line = missing_line(output, promised)
            if done.returncode != 0 or line is not None:
                print(f"$ {body}\n{output}\nstatus {done.returncode}, not found: {line!r}")
                return 1
    print(f"{page.name}: {len(pairs)} blocks of commands, all as promised")
    return 0


sys.exit(main())

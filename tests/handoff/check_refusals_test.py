#!/usr/bin/python3 -B
"""What check.sh of a hand-off package says, within seconds, when it cannot begin: check_refusals_test.py PACKAGE

Each case must end with status 2 and a message that names the cause, before any step runs.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NEEDED = ("sh", "dirname", "mktemp", "rm", "find", "xargs", "nproc", "cat")  # without the tools of the steps


def said(package, *arguments, **environment):
    """Exit status and output of check.sh in this folder."""
    run = subprocess.run(["./check.sh", *arguments], cwd=package, capture_output=True, text=True, check=False,
                         timeout=60, env={**os.environ, **environment})
    return run.returncode, run.stdout + run.stderr


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        package, spaced, tools = folder / "package", folder / "with space", folder / "tools"
        for copy in package, spaced:
            (copy / "reports").mkdir(parents=True)
            (copy / "vectors").mkdir()
            shutil.copy(pathlib.Path(sys.argv[1]) / "check.sh", copy)
        tools.mkdir()
        for tool in NEEDED:
            (tools / tool).symlink_to(shutil.which(tool))
        without = said(package, PATH=str(tools))
        (tools / "verilator").write_text("#!/bin/sh\necho 'Verilator 4.228 2022-10-01'\n", encoding="utf-8")
        (tools / "verilator").chmod(0o755)
        (folder / "a b").mkdir()
        cases = [
            ("an option", said(package, "-j1"), "usage:"),
            ("the name of a step as a file", said(package, "lint"), "usage:"),
            ("an unknown step", said(package, CHECK_STEPS="lint true"), "no step 'true'"),
            ("no jobs", said(package, CHECK_JOBS="0"), "CHECK_JOBS is a number"),
            ("jobs that are no number", said(package, CHECK_JOBS="-2"), "CHECK_JOBS is a number"),
            ("missing tools", without, "not installed: verilator yosys iverilog"),
            ("an old Verilator", said(package, PATH=str(tools), CHECK_STEPS="lint"), "needs Verilator 5"),
            ("a space in the folder's path", said(spaced, CHECK_STEPS="lint"), "no space in a path"),
            ("a space in TMPDIR", said(package, CHECK_STEPS="lint", TMPDIR=str(folder / "a b")), "no space in a path"),
            ("a design that cannot be written", said(package, "/nowhere/x.json", CHECK_STEPS="lint"), "cannot write"),
        ]
        shutil.rmtree(package / "reports")  # root may write to a folder without permission, but not to none
        cases.append(("a folder that cannot be written", said(package, CHECK_STEPS="lint"), "copy the package"))
        left = [path.name for path in (folder / "a b").iterdir()]
    wrong = [f"{case}: status {status}: {text}" for case, (status, text), wanted in cases
             if status != 2 or wanted not in text]
    wrong += [f"check.sh leaves {left} in TMPDIR"] if left else []
    print("\n".join(wrong) or f"check.sh says why it cannot begin: {len(cases)} cases")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

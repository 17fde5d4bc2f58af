#!/usr/bin/python3
"""A fault in the hardware stops a network in lock-step, and the printed command shows it.

  lockstep_fault_test.py BUILD/dccvp

Runs a short network with a spoilt wheel, then with a spoilt rate unit, follows the report's replay
command as printed, and looks for the same difference and a waveform of it. Without the fault, and
with the fault but nothing compared, the runs end well or differently: lock-step alone saw it.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHORT = ["-c", "duration=4ms", "-c", "measure.from=0ms", "-c", "measure.to=4ms", "-c", "expect=[]"]
# Key, variable, its value, name of the recording.
CASES = [("timer", "DCCVP_WHEEL_FAULT", "1", "wheel_lockstep_host"),
         ("rate_lut", "DCCVP_RATE_FAULT", "1", "rate_lockstep_host"),
         ("rate_lut", "DCCVP_RATE_FAULT", "2", "rate_lockstep_host")]


def run(dccvp, folder, key, variable, value):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DCCVP_")}
    if value is not None:
        environment[variable] = value
    return subprocess.run(
        [dccvp, "run", ROOT / "configs/incast_8x25g.yaml", "-c", f"nic.controller.{key}=lockstep",
         *SHORT, "--out", folder / "out", "--force", "--quiet"],
        capture_output=True, text=True, check=False, cwd=folder, env=environment)


def check(truth, what):
    if not truth:
        sys.exit(f"lockstep_fault_test.py: {what}")


def difference(text):
    """What was compared and what both said: the words after the seed and the states below them."""
    found = re.search(r"model and RTL differ .*?, seed \d+: (.*\n  model: .*\n  RTL: [^;\n]*)", text)
    return found.group(1) if found else None


def main():
    dccvp = pathlib.Path(sys.argv[1]).resolve()
    for key, variable, value, recording in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            done = run(dccvp, folder, key, variable, value)
            if "no RTL" in done.stderr:
                print("skipped: this build has no RTL")
                return
            check(done.returncode == 1, f"{variable}={value}: exit {done.returncode}\n{done.stderr}")
            seen = difference(done.stderr)
            check(seen, f"{variable}={value}: no difference is reported:\n{done.stderr}")
            check(re.search(r"last (transactions|calls):\n    ", done.stderr),
                  f"the report lacks the last calls:\n{done.stderr}")
            command = re.search(r"replay with waveform: (.*)", done.stderr)
            check(command and recording in command.group(1), f"no replay command:\n{done.stderr}")
            replay = subprocess.run(command.group(1), shell=True, capture_output=True, text=True,
                                    check=False, cwd=folder)
            check(replay.returncode == 1, f"the replay ends with {replay.returncode}:\n"
                  f"{replay.stdout}{replay.stderr}")
            check(difference(replay.stdout) == seen,
                  f"the replay differs elsewhere:\n{seen}\n{difference(replay.stdout)}")
            waves = list(folder.glob("*.fst"))
            check(len(waves) == 1 and waves[0].stat().st_size > 1000, f"no waveform: {waves}")
            said = seen.splitlines()[0]
            print(f"{variable}={value}: {said}; replayed, {waves[0].stat().st_size} bytes of waveform")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for key in ("timer", "rate_lut"):
            done = run(dccvp, folder, key, None, None)
            check(done.returncode == 0, f"without a fault {key} ends with {done.returncode}:\n"
                  f"{done.stderr}")
        done = run(dccvp, folder, "timer", "DCCVP_WHEEL_FAULT", "7")
        check(done.returncode == 2 and "DCCVP_WHEEL_FAULT is '7'" in done.stderr,
              f"a fault that does not exist: exit {done.returncode}: {done.stderr}")


if __name__ == "__main__":
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    main()

#!/usr/bin/python3
"""Tests that a fault in the hardware stops a network in lock-step, and that the printed command reproduces the fault.

  lockstep_fault_test.py BUILD/dccvp [--full]

The test runs a short network with a faulty wheel, a faulty rate unit, and a controller with a fault in two of its
modules (--full: in five modules, one after the other). It executes the replay command that the report prints, and
expects the same difference, and the cause of the difference in the waveform. Without the fault the same runs succeed.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import vcd
from harness import SKIPPED

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Two networks: eight NICs with one flow each, and one NIC with 1024 flows and hundreds of timer expiries per
# millisecond.
INCAST = ("incast_8x25g.yaml", "4ms")
FLOWS = ("thousand_flows.yaml", "1ms")


def spoilt_delay(fst, seen):
    """Finds the start command of the slot that did not expire. Pins and wheel have different due times."""
    slot, due = map(int, re.search(r"expiry: model slot (\d+) due (\d+), RTL none", seen).groups())
    top = "wheel.timing_wheel_dut."
    names = [top + n for n in ("clk_i", "cmd_valid_i", "cmd_ready_o", "cmd_op_i", "cmd_slot_i", "now_o",
                               "cmd_delay_i", "u_wheel.cmd_delay_i", "expire_valid_o")]
    rows = [[row[name] for name in names] for row in vcd.cycles(fst, names)]
    starts = [(now, asked, got) for _, valid, ready, op, which, now, asked, got, _ in rows
              if valid == 1 and ready == 1 and op == 0 and which == slot]
    check(starts, f"no start of slot {slot} in the waveform")
    now, asked, got = starts[-1]
    check(now + asked == due and got == asked ^ 0x40, f"start at {now}: delay {asked}, in it {got}")
    check(rows[-1][5] == due and rows[-1][8] == 0, "the waveform does not end without the expiry")


def lost_expiry(fst, seen):
    """Finds the lost expiry in the waveform: the wheel offers an expiry, the pins show none, and the expiry is
    consumed."""
    slot, due = map(int, re.search(r"expiry: model slot (\d+) due (\d+), RTL", seen).groups())
    top = "wheel.timing_wheel_dut."
    names = [top + n for n in ("clk_i", "u_wheel.expire_valid_o", "u_wheel.expire_slot_o",
                               "expire_due_o", "expire_valid_o")]
    offers = [row for row in vcd.cycles(fst, names)
              if [row[n] for n in names[1:4]] == [1, slot, due]]
    check([row[names[4]] for row in offers] == [0],
          f"offers of slot {slot} due {due} inside: {len(offers)}, with pins {offers}")


def spoilt_rate(fst, seen):
    """Checks the last response in the waveform. The rate unit inside gives the model's rate, and its pins show the
    wrong rate that lock-step reported."""
    model, rtl = map(int, re.search(r"model: rc (\d+) .*\n  RTL: +rc (\d+)", seen).groups())
    top = "rate.rate_dut."
    names = [top + n for n in ("clk_i", "rsp_valid_o", "u_rate.rsp_rc_o", "rsp_rc_o")]
    rows = [row for row in vcd.cycles(fst, names) if row[top + "rsp_valid_o"] == 1]
    last = rows[-1]
    check((last[names[2]], last[names[3]]) == (model, rtl), f"the waveform's last response is {last}")


def lost_write(fst, seen):
    """Finds the lost table write in the waveform. The pins select one table, and the rate unit gets another one."""
    table, entry = map(int, re.search(r"table (\d+) entry (\d+)", seen).groups())
    top = "rate.rate_dut."
    names = [top + n for n in ("clk_i", "tbl_valid_i", "tbl_write_i", "tbl_ready_o", "tbl_table_i",
                               "tbl_index_i", "u_rate.tbl_table_i")]
    writes = [row[names[6]] for row in vcd.cycles(fst, names)
              if [row[n] for n in names[1:6]] == [1, 1, 1, table, entry]]
    check(writes and writes[-1] != table, f"writes of table {table} entry {entry}: {writes}")


def at_the_port(fst, seen):
    """Finds the differing response of the RTL in the waveform, the last one at the rate port."""
    top = "controller.controller_rtl_dut."
    names = [top + n for n in ("clk_i", "rate_valid_o", "rate_flow_o", "rate_value_o", "fault_i")]
    rows = list(vcd.cycles(fst, names))
    check(all(row[names[4]] != 0 for row in rows), "the waveform is that of RTL without a fault")
    said = re.search(r"answer: model .*, RTL cycle \d+ flow (\d+) rate \S+ Mb/s \((\d+)\)", seen)
    if said is None:
        return  # the report shows a differing counter or slot, which suffices
    answers = [[row[names[2]], row[names[3]]] for row in rows if row[names[1]] == 1]
    foretold = list(map(int, said.groups()))
    check(foretold in answers, f"the waveform's answers are {answers[-5:]}, not {foretold}")


# Each case: network; key that is set to lockstep; environment variable that injects a fault into the RTL; number of
# the fault; name of the recording; function that finds the fault's effect in the replay's waveform.
CASES = [(INCAST, "controller.timer", "DCCVP_WHEEL_FAULT", "1", "wheel_lockstep_host", spoilt_delay),
         (FLOWS, "controller.timer", "DCCVP_WHEEL_FAULT", "3", "wheel_lockstep_host", lost_expiry),
         (INCAST, "controller.rate_lut", "DCCVP_RATE_FAULT", "1", "rate_lockstep_host", spoilt_rate),
         (INCAST, "controller.rate_lut", "DCCVP_RATE_FAULT", "2", "rate_lockstep_host", lost_write),
         (INCAST, "controller.engine", "DCCVP_CONTROLLER_FAULT", "3", "controller_lockstep_host", at_the_port),
         # Lock-step finds the difference in every NIC when the results are collected.
         (INCAST, "controller.engine", "DCCVP_CONTROLLER_FAULT", "4", "controller_lockstep_host", at_the_port)]
# Blocks without a recording, whose report contains all data: (key, environment variable, its values, duration,
# reported text).
WITHOUT_RECORDING = [
    ("np.engine", "DCCVP_NP_FAULT", "12", "1ms",
     r"host \d+ notification point: .*packet at \S+ flow \d+ queue pair \d+"),
    ("parser.engine", "DCCVP_PARSER_FAULT", "123", "1ms",
     r"host \d+ parser: .*(CNP|sent packet) at \S+ flow \d+ queue pair \d+, .*: (DSCP|bytes|outcome)\n"),
    ("pacer.engine", "DCCVP_PACER_FAULT", "12", "40us", r"host \d+ pacer: .*: at \S+, decision for flow \d+")]
# Faults in the other modules, as in rtl/verilated/controller/controller_faults.cmake.
FULL = [(INCAST, "controller.engine", "DCCVP_CONTROLLER_FAULT", fault, "controller_lockstep_host", at_the_port)
        for fault in "125"]


def run(dccvp, folder, network, key, variable, value):
    config, duration = network
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DCCVP_")}
    if value is not None:
        environment[variable] = value
    return subprocess.run(
        [dccvp, "run", ROOT / "configs" / config, "-c", f"nic.{key}=lockstep",
         "-c", f"duration={duration}", "-c", "measure.from=0ms", "-c", f"measure.to={duration}",
         "-c", "expect=[]", "--out", folder / "out", "--force", "--quiet"],
        capture_output=True, text=True, check=False, cwd=folder, env=environment)


def check(truth, what):
    if not truth:
        sys.exit(f"lockstep_fault_test.py: {what}")


def difference(text):
    """The difference in a report: the words after the seed, and the states of both sides in the lines below."""
    found = re.search(r"model and RTL differ .*?, seed \d+: (.*\n  model: .*\n  RTL: [^;\n]*)", text)
    return found.group(1) if found else None


def main():
    dccvp = pathlib.Path(sys.argv[1]).resolve()
    for network, key, variable, value, recording, look in CASES + (FULL if "--full" in sys.argv else []):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            done = run(dccvp, folder, network, key, variable, value)
            if "no RTL" in done.stderr:
                print("skipped: this build has no RTL")
                return SKIPPED
            check(done.returncode == 1, f"{variable}={value}: exit {done.returncode}\n{done.stderr}")
            seen = difference(done.stderr)
            check(seen, f"{variable}={value}: no difference is reported:\n{done.stderr}")
            check(re.search(r"last (transactions|calls):\n    ", done.stderr),
                  f"the report lacks the last calls:\n{done.stderr}")
            command = re.search(r"replay with waveform: (.*)", done.stderr)
            check(command and recording in command.group(1), f"no replay command:\n{done.stderr}")
            # The recording must be in the results' folder.
            check(list((folder / "out").glob(recording + "*")), "no recording in the results' folder")
            replay = subprocess.run(command.group(1), shell=True, capture_output=True, text=True,
                                    check=False, cwd=folder)
            check(replay.returncode == 1, f"the replay ends with {replay.returncode}:\n"
                  f"{replay.stdout}{replay.stderr}")
            check(difference(replay.stdout) == seen,
                  f"the replay differs elsewhere:\n{seen}\n{difference(replay.stdout)}")
            waves = list(folder.glob("*.fst"))
            check(len(waves) == 1 and waves[0].stat().st_size > 1000, f"waveforms: {waves}")
            look(waves[0], seen)
            said = seen.splitlines()[0]
            print(f"{variable}={value}: {said}; replayed, {waves[0].stat().st_size} bytes of waveform")
    for key, variable, values, duration, said in WITHOUT_RECORDING:
        for value in values:
            with tempfile.TemporaryDirectory() as scratch:
                done = run(dccvp, pathlib.Path(scratch), (INCAST[0], duration), key, variable, value)
                seen = difference(done.stderr)
                check(done.returncode == 1 and seen,
                      f"{variable}={value}: exit {done.returncode}\n{done.stderr}")
                check(re.search(said, done.stderr), f"the report lacks host, time or flow:\n{done.stderr}")
                print(f"{variable}={value}: {seen.splitlines()[0]}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for key in ("controller.timer", "controller.rate_lut", "controller.engine", "np.engine", "parser.engine"):
            done = run(dccvp, folder, INCAST, key, None, None)
            check(done.returncode == 0, f"without a fault {key} ends with {done.returncode}:\n"
                  f"{done.stderr}")
        # The fault that loses a cancel has no effect in a platform, because the congestion manager restarts timers
        # and never cancels one. The test bench and the engine tests detect this fault.
        for value in (None, "2"):
            done = run(dccvp, folder, FLOWS, "controller.timer", "DCCVP_WHEEL_FAULT", value)
            check(done.returncode == 0, f"wheel fault {value} ends with {done.returncode}:\n"
                  f"{done.stderr}")
        done = run(dccvp, folder, INCAST, "controller.timer", "DCCVP_WHEEL_FAULT", "7")
        check(done.returncode == 2 and "DCCVP_WHEEL_FAULT is '7'" in done.stderr,
              f"a fault that does not exist: exit {done.returncode}: {done.stderr}")
        for variable, value, code, said in (
                ("DCCVP_WHEEL_FAULT", "1", 1, "MISMATCH"), ("DCCVP_WHEEL_FAULT", "2", 1, "MISMATCH"),
                ("DCCVP_WHEEL_FAULT", "7", 2, "DCCVP_WHEEL_FAULT is '7'"),
                ("DCCVP_RATE_FAULT", "1", 2, "DCCVP_RATE_FAULT")):
            done = subprocess.run([dccvp, "cosim", "--ops", "20000"], capture_output=True, text=True,
                                  check=False, env={**os.environ, variable: value})
            check(done.returncode == code and said in done.stdout + done.stderr,
                  f"cosim with {variable}={value}: exit {done.returncode}: {done.stdout}{done.stderr}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or not pathlib.Path(sys.argv[1]).is_file():
        sys.exit(__doc__)
    sys.exit(main())

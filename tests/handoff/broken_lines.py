#!/usr/bin/python3 -B
"""A hand-off package with one line of its RTL broken is refused by its own check.sh.

broken_lines.py PACKAGE [--only NAME ...] [--steps STEPS]. Each fault is put into a copy of the package
elsewhere; check.sh must end with another status than 0, and say that vectors or assertions fail (a
fault that no longer compiles proves nothing). First of all the package as it is must pass.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# (name of the module, file below rtl/, correct text, faulty text)
FAULTS = [
    ("dc_fifo", "controller/rtl/dc_fifo.sv", "count_q == (AddrW + 1)'(Depth) && !pop_i",
     "count_q == (AddrW + 1)'(Depth)"),
    ("dc_byte_queue", "controller/rtl/dc_byte_queue.sv", "<= 16'd1;", "<= 16'd2;"),
    ("dc_arbiter", "controller/rtl/dc_arbiter.sv", "taken       = busy_q | joined_q;", "taken       = joined_q;"),
    ("dc_free_list", "controller/rtl/dc_free_list.sv", "tail_q + SlotW'(give_i)", "tail_q"),
    ("dc_flow_table", "controller/rtl/dc_flow_table.sv", "unname_q <= sweep_i && !power_up_i && in_range_i",
     "unname_q <= 1'b0"),
    ("dc_lookup", "controller/rtl/dc_lookup.sv", "(dcqcn_i || s2_event_q.marks != '0)",
     "(!dcqcn_i || s2_event_q.marks != '0)"),
    ("dc_limits", "controller/rtl/dc_limits.sv", "(r_max_i < ceiling_word)",
     "(r_max_i > ceiling_word)"),
    ("dc_classify", "controller/rtl/dc_classify.sv", "delta < regs_i.decrease_period &&",
     "delta <= regs_i.decrease_period &&"),
    ("dc_finish", "controller/rtl/dc_finish.sv", "if (released) s26_plan_q.slot.bound <= 1'b0;", ""),
    ("dc_timers", "controller/rtl/dc_timers.sv", "first_q || since_q >= wait_q",
     "first_q || since_q > wait_q"),
    ("dc_statistics", "controller/rtl/dc_statistics.sv",
     "(valid_i && answer_i && !plan_i.query)", "(valid_i && answer_i)"),
    ("dc_answers", "controller/rtl/dc_answers.sv", "waiting_q[Wait-1];", "waiting_q[Wait-2];"),
    ("dc_apb_gate", "controller/rtl/dc_apb_gate.sv", "(!waits || quiet_i)",
     "(!waits || quiet_i || penable_i)"),
    ("dc_sweep", "controller/rtl/dc_sweep.sv", "Slack - IndexW'(2)", "Slack - IndexW'(1)"),
    ("dc_delay", "controller/rtl/dc_delay.sv", "AddrW'(Cycles - 1)", "AddrW'(Cycles - 2)"),
    ("dc_manager", "controller/rtl/dc_manager.sv", "(wb_released || wb_plan.unbound)", "wb_released"),
    ("dcc_regs_apb", "regs/generated/dcc_regs_apb.sv", "hit_r_hai = word == 18'hE;",
     "hit_r_hai = word == 18'hF;"),
    ("rate_unit", "rate_lut/rtl/rate_unit.sv", " && s10_product[15];", " && 1'b0;"),
    ("rl_tables", "rate_lut/rtl/rl_tables.sv", "!write_index_i[0]);", "write_index_i[0]);"),
    ("tw_last_level", "timing_wheel/rtl/tw_last_level.sv", "take_leaf == '0;", "take_leaf != '0;"),
    ("dc_notifier", "packet/rtl/dc_notifier.sv", "20'(big16(cnp_ip[31:16]));", "20'(big16(cnp_ip[15:0]));"),
    ("ram_1r1w", "common/ram_1r1w.sv", "wen_i && (waddr_i == raddr_i)", "1'b0"),
]


def checked(package, steps=None, seconds=None, work=None):
    """Runs the package's check.sh, or these steps of it, or the one step that is to work in the folder `work`, where
    what is built stays; returns its status and output, None after so many seconds."""
    command = [package / "check.sh", *(("--step", work, steps) if work else ())]
    environment = dict(os.environ, **({"CHECK_STEPS": steps} if steps else {}))
    if shutil.which("ccache"):
        environment.update(OBJCACHE="ccache", CC="ccache gcc", CXX="ccache g++")
    with subprocess.Popen(command, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment, start_new_session=True) as run:
        try:
            output, errors = run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            return None
    return subprocess.CompletedProcess(run.args, run.returncode, output, errors)


def refused(package, fault):
    """None if check.sh refuses the fault, else a sentence about the failure."""
    name, path, old, new = fault
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "package"
        shutil.copytree(package, copy)
        source = copy / "rtl" / path
        text = source.read_text(encoding="utf-8")
        if text.count(old) != 1:
            return f"{path} has {text.count(old)} times '{old}'"
        source.write_text(text.replace(old, new), encoding="utf-8")
        run = checked(copy)
    if run.returncode == 0:
        return "check.sh is content"
    said = re.findall(r"^.*(?:fail in|another answer|not clean|not accepted).*$", run.stdout, re.M)
    failed = [line for line in said if re.search(r"(vectors|promises) fail in|another answer", line)]
    if not failed:
        return f"refused for another reason: {said or run.stdout + run.stderr}"
    print(f"{name}: {failed[0]}", end="")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("package")
    parser.add_argument("--only", nargs="+", choices=[fault[0] for fault in FAULTS])
    parser.add_argument("--steps", help="of check.sh, these alone")
    options = parser.parse_args()
    if options.steps:
        os.environ["CHECK_STEPS"] = options.steps
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "package"
        shutil.copytree(options.package, copy)
        run = checked(copy)
    if run.returncode != 0:
        print(f"the package as it is: NOT AS IT MUST BE: refused: {run.stdout + run.stderr}")
        return 1
    wrong = 0
    for fault in FAULTS:
        if options.only and fault[0] not in options.only:
            continue
        begin = time.monotonic()
        reason = refused(options.package, fault)
        if reason:
            wrong += 1
            print(f"{fault[0]}: NOT AS IT MUST BE: {reason}", end="")
        print(f" ({time.monotonic() - begin:.0f} s)", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

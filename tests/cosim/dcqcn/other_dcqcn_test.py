#!/usr/bin/python3 -B
"""The controller and another implementation of DCQCN, Tonic's, under the same CNPs and packets.

    other_dcqcn_test.py PACKAGE PAGE [--recording FILE]

PACKAGE: an unpacked hand-off package, whose golden model the test builds; PAGE: the page with the table of rules.
reference.py must give the golden model's slot after every CNP and packet without any rule, and Tonic's recorded
context after every CNP and visit with all rules. With any one rule less, its rate or target must differ from Tonic's,
so that no rule is idle.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

import reference
from reference import RULES, STEP, Flow

FLOW, DSCP, PACKET = 3, 10, 1000
REGISTERS = {0x20: reference.TICK, 0x24: reference.INTERVAL, 0x2C: reference.F, 0x30: reference.G,
             0x34: reference.R_AI, 0x38: reference.R_HAI, 0x3C: 0, 0x40: reference.R_MIN, 0x4C: reference.ONE,
             0x50: reference.RECIP, 0x54: 0, 0x58: 0, 0x68: 0}
BYTE_THRESHOLD, R_MAX, INITIAL_RATE, CTRL, TIME, SLOT = 0x28, 0x44, 0x48, 0x0C, 0xA4, 0x80000
ENABLED = 1 + 4 + 8 + 32  # enable, restart the timer at a cut, law DCQCN, byte counter
TABLES = {0x1000: [4096 << 16 | 256] * 64, 0x1100: [0] * 64, 0x1200: [0xFFFFFFFF] * 64,
          0x1300: reference.DECAY_HI, 0x1400: reference.DECAY_LO, 0x2000: reference.DECREASE}
# Fields of Tonic's context, as in the recording; thresh never changes.
FIELDS = ("target", "alpha", "stage", "byte_stage", "time_stage", "last", "alpha_timer", "rp_timer", "rhai_inc",
          "min_stage", "thresh", "rate")
RATES = ("target", "rate")


def read(path):
    """Returns run -> list of (time, event, value, context)."""
    runs = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            context = tuple(map(int, row["context"].split()))
            runs.setdefault(row["run"], []).append((int(row["time"]), row["event"], row["value"], context))
    return runs


def replay(events, rules):
    """Yields (event's number, flow) after each event of a run."""
    flow = None
    for number, (time, event, value, _) in enumerate(events):
        if event == "start":
            rate, thresh = map(int, value.split("/"))
            flow = Flow(rate * STEP, thresh, rules)
        elif event == "cnp":
            flow.cnp(time, int(value))
        elif event == "sent":
            flow.packet(time)
        else:
            flow.visit(time)
        yield number, flow


def context(flow):
    """The flow in the units of Tonic's context."""
    return (flow.target // STEP, flow.alpha, flow.stage, flow.bytes, flow.timers, flow.counted, flow.alpha_due,
            flow.due, flow.grown // STEP, flow.least, flow.thresh, flow.rate // STEP)


def differences(events, rules, fields=FIELDS):
    """Yields the numbers of the events after which one of these fields differs from Tonic's."""
    places = [FIELDS.index(field) for field in fields]
    for number, flow in replay(events, rules):
        shown, recorded = context(flow), events[number][3]
        if recorded and any(shown[place] != recorded[place] for place in places):
            yield number


class Controller:
    """The golden model with the parameters of a run, from a cycle at which a tick begins."""

    def __init__(self, golden, library, rate, thresh):
        self.model = golden(library, slots=64, latency=48)
        cycle = 0
        values = dict(REGISTERS)
        values.update({R_MAX: rate, INITIAL_RATE: rate, BYTE_THRESHOLD: thresh * PACKET})
        for base, table in TABLES.items():
            values.update({base + 4 * i: value for i, value in enumerate(table)})
        values[CTRL] = ENABLED
        for address, value in values.items():
            self.model.write(cycle, address, value)
            cycle += 30
        now = self.model.read(cycle, TIME)
        while self.model.read(cycle, TIME) == now:
            cycle += 1
        self.begin = cycle

    def event(self, time, event):
        if event == "cnp":
            self.model.cnp(self.begin + time, FLOW, DSCP)
        else:
            self.model.sent(self.begin + time, FLOW, DSCP, PACKET)

    def slot(self, time):
        """Returns rate, target, alpha, byte events, timer events and bytes of the flow; None without a slot."""
        cycle = self.begin + time
        slot = self.model.slot_of(cycle, FLOW)
        if slot is None:
            return None
        rate, target, alpha, counts, length = (self.model.read(cycle, SLOT + 32 * slot + 4 * i) for i in range(1, 6))
        return rate, target, alpha, counts >> 8 & 255, counts & 255, length


def slot_of(flow):
    return (flow.rate, flow.target, flow.alpha, flow.bytes, flow.timers,
            PACKET * (flow.sent - flow.counted)) if flow.bound else None


def against_controller(golden, library, events):
    """Returns the number of compared events and the states (bound, stage) that they passed; exits at a difference."""
    controller, compared, states = None, 0, set()
    for number, flow in replay(events, ()):
        time, event = events[number][:2]
        if event == "start":
            controller = Controller(golden, library, flow.most, flow.thresh)
        elif event != "visit":
            controller.event(time, event)
            shown, expected = controller.slot(time + 44), slot_of(flow)
            if shown != expected:
                sys.exit(f"FAIL: the controller at {time} after {event}: {shown}, the reference {expected}")
            compared += 1
            states.add((flow.bound, flow.stage))
    return compared, states


def build(package, work):
    """Builds the golden model of a package; returns its class and the library."""
    golden = os.path.join(package, "golden")
    library = os.path.join(work, "libdcc_golden.so")
    result = subprocess.run(["make", "-j2", "-C", golden, f"BUILD={work}", library], capture_output=True, text=True,
                            check=False)
    if result.returncode != 0:
        sys.exit(f"FAIL: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    sys.path.insert(0, golden)
    from dcc_golden import Golden  # noqa: E402
    return Golden, library


def main() -> int:
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package")
    parser.add_argument("page")
    parser.add_argument("--recording", default=os.path.join(here, "tonic.csv"))
    options = parser.parse_args()
    runs = read(options.recording)
    failed = []

    with tempfile.TemporaryDirectory() as work:
        golden, library = build(options.package, work)
        compared, states = 0, set()
        for name, events in runs.items():
            count, seen = against_controller(golden, library, events)
            compared, states = compared + count, states | seen
    print(f"without rules: the slot of the golden model after {compared} CNPs and packets in {len(runs)} runs")
    if len(states) < 5:
        failed.append(f"the controller is compared in the states {states} only")

    contexts = 0
    for name, events in runs.items():
        contexts += sum(bool(event[3]) for event in events)
        at = next(differences(events, RULES), None)
        if at is not None:
            flow = [flow for number, flow in replay(events[:at + 1], RULES)][-1]
            failed.append(f"run {name}, {events[at][:3]}: " + ", ".join(
                f"{field} {want}, reference {got}" for field, want, got in zip(FIELDS, events[at][3], context(flow))
                if want != got))
    print(f"with all {len(RULES)} rules: Tonic's context after {contexts} events")

    for rule in RULES:
        rest = [other for other in RULES if other != rule]
        at = {name: next(differences(events, rest, RATES), None) for name, events in runs.items()}
        seen = {name: events[at[name]] for name, events in runs.items() if at[name] is not None}
        if not seen:
            failed.append(f"rule {rule} explains nothing in these runs")
            continue
        print(f"without rule {rule}: " + "; ".join(
            f"{name} differs from {event[0] / 100:.2f} us on" for name, event in seen.items()))
    same = {}
    for name, events in runs.items():
        first = next(number for number, event in enumerate(events) if event[1] == "cnp")
        recorded = sum(bool(event[3]) for event in events[first:])
        same[name] = f"{recorded - sum(at >= first for at in differences(events, (), ['rate']))} of {recorded}"
    print(f"from the first CNP on controller and Tonic have the same rate, to 1.5625 Mb/s, after: {same}")

    with open(options.page, encoding="utf-8") as file:
        told = set(re.findall(r"^\| `(\w+)` \|", file.read(), re.M))
    if told != set(RULES):
        failed.append(f"rules of the page and of the reference differ: {sorted(told ^ set(RULES))}")
    for failure in failed:
        print("FAIL:", failure)
    if not failed:
        print("PASS")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

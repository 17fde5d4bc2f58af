"""Estimates the silicon cost of a configuration's controller: dccvp cost CONFIG [-c key.path=value …]

Memories are counted bit by bit as rtl/controller instantiates them (tests compare with the elaborated design). Gates,
flip-flops and FPGA cells come from synthesis at some numbers of slots with memories as macros (rtl/synth/run.py writes
controller_points.csv beside this file; without the file they are not reported). Between two of these numbers of slots
figures are interpolated, and marked as such. Where the sources of the RTL are at hand and are no longer those that were
synthesised, the output says so. Rates and lateness follow from docs/controller-contract.md. The figures
are metrics of a sweep, too: cost.NAME.
"""

import argparse
import csv
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys

import yaml

from dccvp.common import quantity
from dccvp.common.ending import InputError
from dccvp.common.text_table import text_table

POINTS = pathlib.Path(__file__).resolve().with_name("controller_points.csv")
FLOW_BITS = 14              # Bits of a queue pair number in the platform.
CNPS, COMMANDS = 64, 16     # Depths of the shipped FIFOs for CNPs and for commands.
FIRST_OFFER, PACE, APART, STEP = 16, 8, 32, 4  # Constants F, K, D and S of docs/controller-contract.md, in cycles.
SLOT_BITS = 185             # number of bits of the struct slot_t in dcc_controller_pkg.sv
PLAN_BITS = 383             # number of bits of the struct plan_t in dcc_controller_pkg.sv
GROUP = 32                  # Bits of a memory word that share one parity bit.

UNITS = {"ram_kbits": "kbit", "greatest_events_per_second": "events/s", "events_of_a_flow_per_second": "events/s",
         "timers_per_second": "events/s", "worst_lateness_us": "us",
         "osu018_cycle_pj": "pJ", "osu018_leakage_nw": "nW",
         "osu018_greatest_clock_mhz": "MHz",
         **{f"osu018_{path}_ps": "ps" for path in ("logic", "from_memory", "to_memory", "from_input", "to_output")}}


class Shape:
    """The parameters of a controller that decide the sizes of its memories."""

    def __init__(self, slots, split=(5, 5, 6), latency=64, flow_bits=FLOW_BITS, cnps=CNPS, commands=COMMANDS):
        # The hardware's number of slots is a power of two, at least 64.
        self.slots = 1 << max(6, math.ceil(math.log2(slots)))
        self.split, self.latency, self.flow_bits = tuple(split), latency, flow_bits
        self.cnps, self.commands = cnps, commands


def memories(shape):
    """Returns {instance of ram_1r1w: (words, bits of a word)} in dcc_top; a word includes its parity bits."""
    slots, flow = shape.slots, shape.flow_bits
    slot = slots.bit_length() - 1
    top, middle, last = shape.split
    due = top + middle + last + 1
    lists = max(top, middle) + 2  # Bits of a list number in the timing wheel: level, window, index.
    words, rows = slots // 32, 2 << last
    rate, wheel = "u_rate.u_tables.", "u_timers.u_wheel."
    data = {
        "u_cnps.u_ram": (shape.cnps, flow + 22), "u_commands.u_ram": (shape.commands, flow + 1),
        "u_lookup.g_direct.u_flows.u_slot_of": (1 << flow, slot + 1),
        "u_lookup.g_direct.u_flows.u_flow_of": (slots, flow),
        "u_lookup.u_free.u_list": (slots, slot), "u_lookup.u_store": (slots, flow + SLOT_BITS),
        "u_limits.u_floor": (64, 32), "u_limits.u_ceiling": (64, 32),
        "u_beside.u_ring": (16, flow + slot + PLAN_BITS),
        rate + "u_factor": (64, 32), rate + "u_floor": (64, 32), rate + "u_ceiling": (64, 32),
        rate + "u_decay_hi": (64, 17), rate + "u_decay_lo": (64, 17),
        rate + "u_decrease_even": (129, 17), rate + "u_decrease_odd": (128, 17),
        "u_timers.u_first.u_ram": (slots, slot + due), "u_timers.u_again.u_ram": (8, slot + due),
        wheel + "u_records.u_record": (slots, 2 + lists + due),
        wheel + "u_lists.u_list": (1 << lists, 2 * slot), wheel + "u_lists.u_next": (slots, slot),
        wheel + "u_last.u_summary": (rows, words), wheel + "u_last.u_leaf": (rows * words, 32)}
    waits = shape.latency - APART
    if waits >= 2:
        data["u_answers.g_ring.u_delay.u_ring"] = (waits, flow + 34)
    found = {name + ".u_ram": (words, bits + math.ceil(bits / GROUP)) for name, (words, bits) in data.items()}
    return {"u_manager." + name: size for name, size in found.items()}


def rtl_digest(root=pathlib.Path(__file__).resolve().parents[2]):
    """Returns eight hexadecimal digits that tell one RTL of the controller from another, comments and white space left
    out; None if the folder `root` has no RTL, as where only the Python package is installed."""
    sources = root / "rtl/controller/files.f"
    if not sources.is_file():
        return None
    digest = hashlib.sha256()
    for name in sources.read_text(encoding="utf-8").split():
        code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", (root / "rtl" / name).read_text(encoding="utf-8"), flags=re.S)
        digest.update(" ".join([name, *code.split()]).encode())
    return digest.hexdigest()[:8]


def measured(path=POINTS):
    """Returns the rows of controller_points.csv, sorted by slots: [{slots: …, figure: …, rtl: digest}]."""
    if not path.is_file():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: text if key == "rtl" else int(text) for key, text in row.items() if text}
                for row in csv.DictReader(file)]


def figures(points):
    """Returns the sorted names of the synthesis figures of the points."""
    return sorted({key for point in points for key in point} - {"slots", "rtl"})


def at_slots(points, figure, slots):
    """Returns (value, origin) of a synthesis figure: measured, or interpolated over log2 of the slots; (None,
    reason) if neither is possible."""
    known = [(point["slots"], point[figure]) for point in points if figure in point]
    for number, value in known:
        if number == slots:
            return value, "measured"
    below = [one for one in known if one[0] < slots]
    above = [one for one in known if one[0] > slots]
    if not below or not above:
        return None, "not measured"
    (a, low), (b, high) = below[-1], above[0]
    part = (math.log2(slots) - math.log2(a)) / (math.log2(b) - math.log2(a))
    return round(low + part * (high - low)), f"interpolated between {a} and {b} slots"


def cost(slots, clock_hz, split=(5, 5, 6), latency=64):
    """Returns ({figure: value}, {figure: origin}) of a controller's cost."""
    shape = Shape(slots, split, latency)
    sizes = memories(shape)
    values = {"ram_kbits": sum(words * bits for words, bits in sizes.values()) / 1024}
    origin = {"ram_kbits": "counted"}
    points = measured()
    for figure in figures(points):
        value, how = at_slots(points, figure, shape.slots)
        if value is not None:
            values[figure], origin[figure] = value, how
    paths = [value for figure, value in values.items() if figure.startswith("osu018_") and figure.endswith("_ps")]
    if paths:
        values["osu018_greatest_clock_mhz"] = 1e6 / max(paths)
        origin["osu018_greatest_clock_mhz"] = "longest path"
    contract = "cycle contract"
    values["greatest_events_per_second"] = clock_hz
    values["events_of_a_flow_per_second"] = clock_hz / APART
    values["timers_per_second"] = clock_hz / PACE
    # Worst case: all slots are due in one tick, and no CNP arrives, since a CNP would be issued first.
    values["worst_lateness_us"] = (FIRST_OFFER + (shape.slots - 1) * PACE) / clock_hz * 1e6
    for figure in list(values)[-4:]:
        origin[figure] = contract
    return values, origin, sizes


def warnings(values, points=(), present=None):
    """Returns sentences on figures that hold only if the hardware reaches the configured clock frequency, and on
    points of synthesis that are not of the RTL with the digest `present`."""
    clock, possible = values["greatest_events_per_second"] / 1e6, values.get("osu018_greatest_clock_mhz")
    stale = [str(point["slots"]) for point in points if present and point.get("rtl") != present]
    found = [f"the gates, cells and paths for {', '.join(stale)} slots are of an earlier RTL; rtl/synth/run.py --unit "
             "controller measures them anew"] if stale else []
    if possible is None or clock <= possible:
        return found
    return found + [
        f"the configured clock of {clock:.6g} MHz is {clock / possible:.2g} times what the longest path allows in "
        f"OSU018 (180 nm, without wires): {possible:.4g} MHz. The events/s and the lateness below are those of the "
        "configured clock; they hold only in a technology in which this path is that much shorter"]


def of_parameters(parameters):
    """Returns the result of cost() for the parameters of a configuration, {path: text}."""
    def text(name):
        try:
            return parameters["nic.controller." + name]
        except KeyError:
            raise InputError(f"the configuration has no nic.controller.{name}: no controller, no cost") from None

    split = [int(part) for part in text("split").strip("[]").split(",")]
    clock = quantity.number(text("clock"))
    if clock is None:
        raise InputError(f"nic.controller.clock is '{text('clock')}', no frequency")
    return cost(int(text("slots")), clock, split, int(text("latency")))


def of_run(folder):
    """Returns {figure: value} of the controller cost, for the configuration in a run's folder."""
    path = folder / "config.effective.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    controller = (document.get("nic") or {}).get("controller") or {}
    return of_parameters({"nic.controller." + key: str(value) for key, value in controller.items()})[0]


def metric_rows():
    """Returns rows that describe the cost figures in the form of `dccvp metrics`."""
    names = list(UNITS) + figures(measured())
    return tuple({"path": "cost." + name, "unit": UNITS.get(name, "")} for name in names)


def parameters_of(program, config, overrides):
    words = [word for one in overrides for word in ("-c", one)]
    done = subprocess.run([program, "params", config, *words, "--format", "json"], capture_output=True,
                          encoding="utf-8", check=False)
    if done.returncode != 0:
        raise InputError(done.stderr.strip().removeprefix("dccvp: "))
    return {row["path"]: row["value"] for row in json.loads(done.stdout)}


def main(arguments):
    parser = argparse.ArgumentParser(prog="dccvp cost", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program")
    parser.add_argument("config")
    parser.add_argument("-c", dest="overrides", action="append", default=[], metavar="key.path=value")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    options = parser.parse_args(arguments)
    values, origin, sizes = of_parameters(parameters_of(options.program, options.config, options.overrides))
    warned = warnings(values, measured(), rtl_digest())
    if options.format == "json":
        json.dump({"cost": values, "origin": origin, "warnings": warned,
                   "memories": {name: words * bits for name, (words, bits) in sizes.items()}}, sys.stdout, indent=2)
        print()
        return 0
    rows = [["memory", "words", "bits a word", "kbit"]]
    rows += [[name, str(words), str(bits), f"{words * bits / 1024:.1f}"] for name, (words, bits) in sizes.items()]
    rows.append(["all", "", "", f"{values['ram_kbits']:.1f}"])
    print(text_table(rows))
    for sentence in warned:
        print(f"warning: {sentence}\n")
    rows = [["figure", "value", "unit", "from"]]
    rows += [["cost." + name, f"{value:.6g}", UNITS.get(name, ""), origin[name]] for name, value in values.items()]
    print(text_table(rows), end="")
    return 0

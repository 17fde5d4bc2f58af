#!/usr/bin/python3 -B
"""Proves of the whole controller with ClockGate = 1: where a clock stands still, no register would change at its edge.

standstill.py [--set NAME=VALUE ...] [--only NAME] [--keep DIR]. The netlist has one clock again, and in place of each
clock gate a question: does a register behind the gate (in a RAM, too) get another value at the next edge? For the clock
of events no work may come before it for as many cycles as dc_clocks lets the clock run on; all begins in any state,
reachable or not. So what holds within these cycles holds for ever, whatever happened before. What must be false is
refuted: clocks that end earlier, or do not heed one of the reasons to run. Exit 1 if a property is not as it must be.
"""
import argparse
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import time

RTL = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STAND_INS = {"ram_1r1w.sv", "ram_1r1w_array.sv", "dc_timers.sv"}
SMALL = {"Slots": 64, "FlowW": 8, "Latency": 40, "CnpDepth": 4, "CommandDepth": 2, "BytesDepth": 4}
FLOPS = ("$dff", "$adff", "$dffe", "$adffe")
SECONDS = 1200  # limit of a search
MANAGER = "controller/rtl/dc_manager.sv"


def yosys(script, what):
    run = subprocess.run(["yosys", "-q", "-p", script], cwd=RTL, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"standstill.py: {what}:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")


def netlist(parameters, change, directory):
    """Returns the flattened block as yosys describes it in JSON. `change`: text of dc_manager.sv and what replaces
    it."""
    with open(os.path.join(RTL, "controller/files.f"), encoding="utf-8") as lines:
        files = [line for line in lines.read().split() if os.path.basename(line) not in STAND_INS]
    if change:
        with open(os.path.join(RTL, MANAGER), encoding="utf-8") as file:
            text = file.read()
        if text.count(change[0]) != 1:
            sys.exit(f"standstill.py: '{change[0]}' is not in dc_manager.sv once")
        changed = os.path.join(directory, "dc_manager.sv")
        with open(changed, "w", encoding="utf-8") as file:
            file.write(text.replace(*change))
        files[files.index(MANAGER)] = changed
    files.remove("common/dc_clock_gate.sv")
    path = os.path.join(directory, "block.json")
    values = " ".join(f"-set {name} {value}" for name, value in {**parameters, "ClockGate": 1}.items())
    yosys(f"read_verilog -sv -lib common/dc_clock_gate.sv; read_verilog -sv -formal -DSYNTHESIS {' '.join(files)} "
          f"formal/standing_parts.sv; chparam {values} dcc_top; hierarchy -check -top dcc_top; rename -top dcc_top; "
          f"proc; flatten; opt_clean; memory -nomap; memory_map; opt_expr; opt_clean; opt_dff -nosdff; "
          f"opt_clean; write_json {path}",
          "yosys does not take the block")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class Circuit:
    """The block as one module, to which cells are added."""

    def __init__(self, design):
        self.design = {**design, "modules": {name: module for name, module in design["modules"].items()
                                             if name == "dcc_top"}}
        self.module = self.design["modules"]["dcc_top"]
        self.cells = self.module["cells"]
        self.last = max(bit for cell in self.cells.values() for bits in cell["connections"].values()
                        for bit in bits if isinstance(bit, int))
        self.last = max([self.last] + [bit for net in self.module["netnames"].values() for bit in net["bits"]
                                       if isinstance(bit, int)])

    def add(self, kind, width, **inputs):
        """Adds a cell with inputs and an output of `width` bits, which it returns."""
        out = list(range(self.last + 1, self.last + 1 + width))
        self.last += width
        directions, parameters = {}, {}
        for pin, bits in inputs.items():
            directions[pin] = "input"
            parameters[f"{pin}_WIDTH"] = f"{len(bits):032b}"
            if pin in "AB":
                parameters[f"{pin}_SIGNED"] = "0"
        output = "Q" if kind == "$dff" else "Y"
        directions[output] = "output"
        if kind == "$dff":
            parameters = {"WIDTH": f"{width:032b}", "CLK_POLARITY": "1"}
        elif kind == "$mux":
            parameters = {"WIDTH": f"{width:032b}"}
        else:
            parameters["Y_WIDTH"] = f"{width:032b}"
        self.cells[f"standstill${self.last}"] = {
            "hide_name": 0, "type": kind, "parameters": parameters, "attributes": {},
            "port_directions": directions, "connections": {**inputs, output: out}}
        return out

    def force(self, bit, value, forced, drivers):
        """Notes in `forced` what follows for nets from the value of one: through negations, through ORs that are 0 and
        through ANDs that are 1."""
        if not isinstance(bit, int) or bit in forced:
            return
        forced[bit] = value
        cell = drivers.get(bit)
        bitwise = ("$not", "$or", "$and")
        if cell is None or (len(cell["connections"]["Y"]) > 1 and cell["type"] not in bitwise):
            return
        kind, pins = cell["type"], cell["connections"]
        place = pins["Y"].index(bit) if len(pins["Y"]) > 1 else 0
        operands = [pins[pin][place:place + 1] if kind in bitwise else pins[pin]
                    for pin in ("A", "B") if pin in pins]
        if kind in ("$not", "$logic_not") and (kind == "$not" or value == 1 or len(operands[0]) == 1):
            value = 1 - value
        elif kind in ("$or", "$logic_or", "$reduce_or", "$reduce_bool"):
            if value != 0:
                return
        elif kind in ("$and", "$logic_and", "$reduce_and"):
            if value != 1 or (kind == "$logic_and" and max(map(len, operands)) > 1):
                return
        elif kind in ("$ne", "$eq"):
            if value != (kind == "$eq") or not all(bit == "0" for bit in operands[1]):
                return
            value, operands = 0, operands[:1]
        else:
            return
        for operand in (bit for bits in operands for bit in bits):
            self.force(operand, value, forced, drivers)

    def fold(self, bit):
        """Gives nets that have a known value while `bit` is 0 this value, for all cells that look at them. So cycles in
        which it is 1 no longer show what the block does; the property does not speak of them."""
        drivers = {}
        for cell in self.cells.values():
            if "Y" in cell["connections"]:
                for output in cell["connections"]["Y"]:
                    drivers[output] = cell
        forced: dict = {}
        self.force(bit, 0, forced, drivers)
        for cell in self.cells.values():
            for pin, bits in cell["connections"].items():
                if cell["port_directions"][pin] == "input":
                    cell["connections"][pin] = [str(forced[bit]) if bit in forced else bit for bit in bits]

    def net(self, name):
        return self.module["netnames"][name]["bits"]


def monitor(design, gate, cycles):
    """Takes the gates out of the netlist and adds the property of one of them; returns (design, number of registers'
    bits behind the gate, of bits of the block)."""
    circuit = Circuit(copy.deepcopy(design))
    gates = {name: cell for name, cell in circuit.cells.items() if cell["type"] == "dc_clock_gate"}
    clock = circuit.net("clk_i")
    behind = {tuple(cell["connections"]["clk_o"]): name.split(".")[-1] for name, cell in gates.items()}
    enables = {name.split(".")[-1]: cell["connections"]["enable_i"] for name, cell in gates.items()}
    if set(enables) != {"u_events", "u_entries"}:
        sys.exit(f"standstill.py: clock gates {', '.join(enables)}")
    moved, bits, all_bits = [], 0, 0
    for name, cell in list(circuit.cells.items()):
        if cell["type"] == "$mul":  # products may have any value, which makes the search short
            del circuit.cells[name]
        if cell["type"] not in FLOPS:
            if re.search("ff|latch|mem", cell["type"]):
                sys.exit(f"standstill.py: a cell {cell['type']}")
            continue
        pins = cell["connections"]
        all_bits += len(pins["Q"])
        if behind.get(tuple(pins["CLK"])) == gate:
            bits += len(pins["Q"])
            enable = pins.get("EN")
            if enable and int(cell["parameters"]["EN_POLARITY"], 2) == 0:
                enable = circuit.add("$logic_not", 1, A=enable)
            differs = circuit.add("$ne", 1, A=pins["D"], B=pins["Q"]) if not enable or len(pins["Q"]) <= 8 else enable
            # Wide registers must not even be enabled: so the search need not look at what they hold.
            moved += differs if not enable else circuit.add("$and", 1, A=enable, B=differs)
        elif tuple(pins["CLK"]) not in behind and pins["CLK"] != clock:
            sys.exit("standstill.py: a register has a clock of its own")
        pins["CLK"] = clock
        if "ARST" in pins:  # the window has no reset: a reset ends STATUS.READY, which is work
            cell["type"] = cell["type"].replace("$a", "$")
            del pins["ARST"], cell["port_directions"]["ARST"]
            cell["parameters"] = {key: value for key, value in cell["parameters"].items() if "ARST" not in key}
    for name in gates:
        del circuit.cells[name]
    busy = circuit.net("u_manager.u_clocks." + ("offered_i" if gate == "u_entries" else "work_i"))
    # Only cycles without work count: what is known of them makes the search short.
    circuit.fold(busy[0])
    any_moved = circuit.add("$reduce_or", 1, A=moved)
    age = ["1"]  # number of cycles since the begin, any state
    for _ in range(cycles):
        age = circuit.add("$dff", 1, CLK=clock, D=age)
        circuit.module["netnames"][f"age{circuit.last}"] = {"hide_name": 0, "bits": age, "attributes": {"init": "0"}}
    bad = circuit.add("$and", 1, A=age, B=any_moved)
    circuit.module["ports"] = {name: port for name, port in circuit.module["ports"].items()
                               if port["direction"] == "input"}
    circuit.module["ports"]["bad"] = {"direction": "output", "bits": bad}
    circuit.module["netnames"]["bad"] = {"hide_name": 0, "bits": bad, "attributes": {}}
    return circuit.design, bits, all_bits


def check(design, cycles, directory):
    """Returns ("proved" | "false" | "open", detail) of a monitor."""
    path = os.path.join(directory, "monitor.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(design, file)
    aig = os.path.join(directory, "monitor.aig")
    # No opt_dff, which takes a register for constant whose next value is: here all begins in any state.
    yosys(f"read_json {path}; dffunmap; opt_expr; opt_clean; setundef -undriven -anyseq; simplemap; techmap; opt_expr; "
          f"opt_clean; dfflegalize -cell $_DFF_P_ 01; setundef -anyseq; aigmap; opt_clean; write_aiger -zinit {aig}",
          "yosys does not take the monitor")
    run = subprocess.run(["yosys-abc", "-c", f"read {aig}; strash; bmc3 -F {cycles + 1} -T {SECONDS}"],
                         capture_output=True, text=True, check=False)
    found = re.search(r"asserted in frame (\d+)", run.stdout)
    if found:
        return "false", f"a register changes in cycle {found[1]}"
    if f"No output asserted in {cycles + 1} frames" in run.stdout:
        return "proved", f"all {cycles + 1} cycles from any state"
    return "open", f"no answer in {SECONDS} s"


def properties(latency):
    """Yields (name, gate, cycles without a reason to run, change of dc_manager.sv, does it hold)."""
    yield "events_stand", "u_events", latency + 4, None, True
    yield "entries_stand", "u_entries", 1, None, True
    yield "false_events_stand_early", "u_events", latency, None, False
    yield "false_entries_stand_at_once", "u_entries", 0, None, False
    for reason in ("command_valid_i", "name", "access_i"):
        yield (f"false_without_{reason}", "u_events", latency + 4, (f" || {reason} ||", " ||"), False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of dcc_top")
    parser.add_argument("--only", help="one property")
    parser.add_argument("--keep", help="folder for the netlists")
    options = parser.parse_args()
    parameters = {**SMALL, **{name: int(value) for name, value in (text.split("=") for text in options.set)}}
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        directory = options.keep or scratch
        os.makedirs(directory, exist_ok=True)
        blocks: dict = {}
        for name, gate, cycles, change, holds in properties(parameters["Latency"]):
            if options.only not in (None, name):
                continue
            begin = time.monotonic()
            if change not in blocks:
                blocks[change] = netlist(parameters, change, directory)
            circuit, behind, bits = monitor(blocks[change], gate, cycles)
            status, detail = check(circuit, cycles, directory)
            good = status == ("proved" if holds else "false")
            failures += not good
            print(f"{'ok  ' if good else 'FAIL'} {name:28} {status:6} {detail}; {behind} of {bits} bits of registers "
                  f"behind {gate} ({time.monotonic() - begin:.1f} s)", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

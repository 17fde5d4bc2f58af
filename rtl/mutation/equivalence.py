"""Proves that no test can tell a mutant from its unit, or shows a state in which the two differ.

The unit is cut at flip-flops and RAM arrays: their contents become inputs, their next values and clocks outputs. A
mutant that gives the same outputs for every input and every state, reachable or not, is equivalent for all time, so
no test is needed. A mutant that differs in some state remains undecided, because that state may be unreachable.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from sources import run  # noqa: E402

STATE = {"$dff": ("Q",), "$adff": ("Q",), "ram_1r1w_array": ("rdata_o",)}


def yosys(commands, directory):
    return run(["yosys", "-p", commands], cwd=directory)


class Unit:
    """A netlist with all mutants behind the port mutant_i, as yosys writes it with write_rtlil after flattening."""

    def __init__(self, rtlil, array, top, directory):
        self.directory = directory
        yosys(f"read_rtlil {rtlil}; read_verilog -sv -lib {array}; hierarchy -top {top}; memory -nomap; "
              "memory_map; opt_clean; dffunmap; opt_clean; write_json unit.json", directory)
        with open(os.path.join(directory, "unit.json"), encoding="utf-8") as file:
            module = json.load(file)["modules"][top]
        self.selector = module["ports"].pop("mutant_i")["bits"]
        self.inputs, self.outputs, self.cells = {}, {}, {}
        for name, port in module["ports"].items():
            (self.inputs if port["direction"] == "input" else self.outputs)[name] = port["bits"]
        called = {bit: net for net, wire in module["netnames"].items() if not wire["hide_name"]
                  for bit in wire["bits"]}
        for number, (name, cell) in enumerate(module["cells"].items()):
            if cell["type"] not in STATE:
                self.cells[name] = cell
                continue
            for port, bits in cell["connections"].items():
                is_input = port in STATE[cell["type"]]
                side = self.inputs if is_input else self.outputs
                net = called.get(bits[0], name) if is_input else name
                side[f"{re.sub(r'[^A-Za-z0-9_.]', '_', net)}:{port}:{number}"] = bits
        nets = [self.inputs, self.outputs, *(cell["connections"] for cell in self.cells.values())]
        self.last = max(bit for of in nets for bits in of.values() for bit in bits if isinstance(bit, int))

    def _copy(self, mutant, offset, cells):
        """Adds a copy of the unit with this mutant to `cells`, with its own nets renumbered; returns the copy's
        outputs."""
        shared = {bit for bits in self.inputs.values() for bit in bits}
        names = {bit: str(mutant >> i & 1) for i, bit in enumerate(self.selector)}

        def moved(bits):
            return [names[bit] if bit in names else bit if isinstance(bit, str) or bit in shared else bit + offset
                    for bit in bits]
        for name, cell in self.cells.items():
            cells[f"{name}${offset}"] = dict(cell, connections={
                port: moved(bits) for port, bits in cell["connections"].items()})
        return {name: moved(bits) for name, bits in self.outputs.items()}

    def _write(self, name, ports, cells):
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            json.dump({"creator": "equivalence.py", "modules": {
                "pair": {"attributes": {"top": "1"}, "ports": ports, "cells": cells, "netnames": {}}}}, file)

    def judge(self, mutant, seconds=60):
        """Returns 'equivalent'; 'differs: …' with the state; or 'unknown' after so many seconds."""
        cells = {}
        ports = {name: {"direction": "input", "bits": bits} for name, bits in self.inputs.items()}
        for side, number, offset in (("good", 0, 0), ("bad", mutant, self.last + 1)):
            for name, bits in self._copy(number, offset, cells).items():
                ports[f"{side}/{name}"] = {"direction": "output", "bits": bits}
        self._write("pair.json", ports, cells)
        # Logic that depends on the mutant stays in two copies; all other logic is merged.
        yosys("read_json pair.json; opt_expr -keepdc; opt_merge; opt_expr -keepdc; opt_merge; opt_clean; "
              "write_json merged.json", self.directory)
        with open(os.path.join(self.directory, "merged.json"), encoding="utf-8") as file:
            merged = json.load(file)["modules"]["pair"]
        good, bad = [], []
        ports = {}
        for name, port in merged["ports"].items():
            if port["direction"] == "input":
                ports[name] = port
            elif name.startswith("good/"):
                other = merged["ports"]["bad/" + name[5:]]["bits"]
                for one, two in zip(port["bits"], other):
                    if one != two:
                        good.append(one)
                        bad.append(two)
        if not good:
            return "equivalent"
        differ = 1 + max(bit for cell in merged["cells"].values() for bits in cell["connections"].values()
                         for bit in bits + [self.last] if isinstance(bit, int))
        differ = max([differ] + [1 + bit for port in ports.values() for bit in port["bits"]])
        width = f"{len(good):032b}"
        merged["cells"]["$differ"] = {
            "hide_name": 0, "type": "$ne", "attributes": {},
            "parameters": {"A_WIDTH": width, "B_WIDTH": width, "Y_WIDTH": f"{1:032b}",
                           "A_SIGNED": f"{0:032b}", "B_SIGNED": f"{0:032b}"},
            "port_directions": {"A": "input", "B": "input", "Y": "output"},
            "connections": {"A": good, "B": bad, "Y": [differ]}}
        ports["differ"] = {"direction": "output", "bits": [differ]}
        self._write("miter.json", ports, merged["cells"])
        said = yosys(f"read_json miter.json; opt_clean; sat -timeout {seconds} -prove differ 0 -show-inputs",
                     self.directory)
        if "proof finished - no model found: SUCCESS" in said:
            return "equivalent"
        if "model found: FAIL" in said:
            state = re.findall(r"^\s+\\(\S+)\s+(-?\d+)\s+\S+\s+[01]+\s*$", said, re.M)
            return "differs: " + ", ".join(f"{name.split(':')[0]} {value}" for name, value in state if value != "0")
        return "unknown"

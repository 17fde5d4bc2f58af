#!/usr/bin/python3 -B
"""registered_ports.py DESIGN.json TOP: every output of TOP is a flip-flop, every input goes into flip-flops only.

DESIGN.json: what yosys writes after proc and flatten. An instance of a module that was kept counts as a user of what
is connected to it. Clock, reset and the pins of the RAMs, which are constant, may go anywhere. Prints the ports that
are not registered; the exit status is 1 if there are any.
"""
import collections
import json
import sys

FLOPS = {"$dff", "$adff", "$dffe", "$adffe", "$aldff", "$aldffe", "$sdff", "$sdffe", "$sdffce"}
FREE = {"clk_i", "rst_ni", "scan_mode_i", "ram_cfg_i"}


def main(path, top):
    with open(path, encoding="utf-8") as file:
        module = json.load(file)["modules"][top]
    driver, users = {}, collections.defaultdict(list)  # of a bit: its cell; the cells that read it
    for name, cell in module["cells"].items():
        for pin, bits in cell["connections"].items():
            for bit in bits:
                if cell["port_directions"][pin] == "output":
                    driver[bit] = name
                else:
                    users[bit].append(name)
    ports = module["ports"]
    outputs = {bit: name for name, port in ports.items() if port["direction"] == "output" for bit in port["bits"]}
    bad = []
    for bit, name in outputs.items():
        kind = module["cells"][driver[bit]]["type"] if bit in driver else "nothing"
        if kind not in FLOPS:
            bad.append(f"{name}: driven by {kind}")
    for name, port in ports.items():
        if port["direction"] != "input" or name in FREE:
            continue
        waiting, seen = list(port["bits"]), set()
        while waiting:
            bit = waiting.pop()
            if bit in seen or not isinstance(bit, int):
                continue
            seen.add(bit)
            if bit in outputs:
                bad.append(f"{name}: a path to {outputs[bit]}")
            for user in users[bit]:
                cell = module["cells"][user]
                if cell["type"] in FLOPS:
                    continue
                if not cell["type"].startswith("$"):
                    bad.append(f"{name}: goes to {cell['type']} without a register")
                elif cell["type"].startswith("$mem"):
                    bad.append(f"{name}: goes to a memory without a register")
                for pin, bits in cell["connections"].items():
                    if cell["port_directions"][pin] == "output":
                        waiting.extend(bits)
    for line in sorted(set(bad)):
        print(line)
    print(f"{top}: {len(outputs)} bits of outputs, {len(set(bad))} complaints")
    return 1 if bad or not outputs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

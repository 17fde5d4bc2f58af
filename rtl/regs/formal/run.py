#!/usr/bin/python3
"""Proves the register block's true properties for all time, and finds a counterexample for each false property.

yosys turns the block and one property into an AIGER circuit; abc's pdr decides whether the property holds.
  run.py [--only N ...] [--storage MAP ...]
--only: these properties of the controller's block; --storage: the storage of all registers of dcc or nic (then no
other properties, unless --only names some). The exit status is 0 if every property is as expected.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
GENERATED = HERE.parent / "generated"
sys.path.insert(0, str(HERE.parents[2] / "python"))
from dccvp.regtool import out_sv_formal, regmap  # noqa: E402

PROPERTIES = {
    0: "PSLVERR only in the last cycle of an access",
    1: "no wait state outside the windows",
    2: "at most one window at a time",
    3: "window and address stand still until the window is ready",
    4: "misaligned and far-off addresses are refused and reach no window",
    5: "narrow writes are refused and reach no window",
    6: "values to the hardware change only after an accepted write",
    7: "soft reset pulses only after 1 was written to it",
    8: "fields with a maximum never exceed it",
    9: "fields with a minimum never fall below it",
    10: "R_AI is what was last written to it",
    11: "R_AI reads as what was last written to it",
    12: "a counter's high half is the one of its low half's reading",
    13: "statistics cannot be written",
    14: "slots cannot be written",
    15: "no address beyond the decrease table reaches it",
    16: "no slot beyond the instance's is reached",
    17: "no multiplier above one is written",
    18: "parameters that are locked keep their values",
    19: "CTRL, locked, keeps its values and resets nothing unless the hardware has a fault",
    20: "no write reaches a locked table unless the hardware has a fault",
    21: "REGWEN reads as what was written to it since reset, bits only cleared",
    22: "a write to a locked parameter is refused",
}
FALSE = {
    100: "no access is ever refused",
    101: "no access ever waits",
    102: "soft reset never pulses",
    103: "MARK_SHIFT is never 10",
    104: "R_AI is never 0x12345678",
    105: "the interrupt line is never high",
    106: "the last slot's last word is never reached",
    107: "values to the hardware never change",
    108: "a high half always reads as 0",
    109: "nothing is ever locked",
    110: "a whole write to a table is never refused",
}


def decide(name, top, number, folder):
    """Returns "proved", "counterexample at cycle N" or a description of the failure."""
    aiger = folder / f"p{number}.aig"
    proof = HERE / "regs_formal.sv" if top == "regs_formal" else HERE / f"generated/{top}.sv"
    sources = " ".join(str(p) for p in (GENERATED / f"{name}_regs_pkg.sv", GENERATED / f"{name}_regs_apb.sv",
                                        HERE / "apb_requester.sv", proof))
    script = (f"read_verilog -sv -formal {sources}; "
              f"chparam -set Prop {number} {top}; hierarchy -top {top}; "
              f"prep -flatten -top {top}; memory_map; opt -full; async2sync; "
              "setundef -undriven -anyseq; techmap; dfflegalize -cell $_DFF_P_ 01; "
              "abc -g AND -fast; opt_clean; setundef -anyseq; "
              f"write_aiger -zinit {aiger}")
    done = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True, check=False)
    if done.returncode:
        return "yosys: " + (done.stderr or done.stdout).strip()
    done = subprocess.run(["yosys-abc", "-c", f"read_aiger {aiger}; fold; pdr -T 300"],
                          capture_output=True, text=True, check=False)
    if "Property proved" in done.stdout:
        return "proved"
    match = re.search(r"was asserted in frame (\d+)", done.stdout)
    if match:
        return f"counterexample at cycle {match[1]}"
    return "abc: " + done.stdout.strip().splitlines()[-1]


def storage(name):
    """Proves every register that keeps or passes on a written value, and shows that each register can leave its
    reset value."""
    registers = [r.name for r in out_sv_formal.storing(regmap.load(HERE.parent / f"{name}.yaml"))]
    top, count = f"{name}_regs_storage", len(registers)
    return ([(name, top, i, f"{name}: {register} has and reads as what was last written to it", True)
             for i, register in enumerate(registers)] +
            [(name, top, count + i, f"{name}: {register} never leaves its reset value", False)
             for i, register in enumerate(registers)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=int, nargs="+", help="numbers of properties")
    parser.add_argument("--storage", choices=["dcc", "nic"], nargs="*", help="of these maps; none: of both")
    options = parser.parse_args()
    unknown = set(options.only or ()) - set(PROPERTIES) - set(FALSE)
    if unknown:
        parser.error(f"no property {', '.join(map(str, sorted(unknown)))}")
    tasks = []
    if options.only or options.storage is None:
        tasks += [("dcc", "regs_formal", number, text, number in PROPERTIES)
                  for number, text in {**PROPERTIES, **FALSE}.items()
                  if not options.only or number in options.only]
    if options.storage is not None or not options.only:
        for name in options.storage or ("dcc", "nic"):
            tasks += storage(name)
    wrong = 0
    print(f"{'':>4}  {'result':<28} {'s':>5}  property")
    with tempfile.TemporaryDirectory() as folder:
        for name, top, number, text, holds in tasks:
            begin = time.monotonic()
            result = decide(name, top, number, pathlib.Path(folder))
            expected = "proved" if holds else "counterexample"
            good = result.startswith(expected)
            wrong += not good
            mark = "" if good else f"  UNEXPECTED, wanted: {expected}"
            print(f"{number:>4}  {result:<28} {time.monotonic() - begin:>5.1f}  {text}{mark}",
                  flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""What the benches on variants of the RTL share: programs for a variant, verdicts on mutants, and proofs of survivors.
"""
import hashlib
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RTL = os.path.dirname(HERE)
sys.path[:0] = [RTL, HERE]
from equivalence import Unit  # noqa: E402
from sources import ARRAY, run  # noqa: E402


def digest(text, paths):
    total = hashlib.sha256(text.encode())
    for path in paths:
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()[:12]


def verilated(directory, name, top, verilog, verilate=(), define=(), optimise="-O1"):
    """Verilates a variant of the design; returns the class prefix, the folder of the class, and the libraries to link.
    """
    os.makedirs(directory, exist_ok=True)
    prefix, objects = "V" + name, os.path.join(directory, "obj_" + name)
    run(["verilator", "--cc", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT", "-O3",
         "--x-initial", "unique", *verilate, "--prefix", prefix, "--top-module", top, "--Mdir", objects, *verilog])
    cxx = "ccache g++" if subprocess.run(["which", "ccache"], capture_output=True,
                                         check=False).returncode == 0 else "g++"
    parts = [f"{prefix}__ALL.a", "verilated.o", "verilated_threads.o"]
    if "VARIANT_COVERAGE" in define:
        parts.append("verilated_cov.o")
    run(["make", "-s", "-C", objects, "-f", f"{prefix}.mk", f"OPT_FAST={optimise}", "OPT_SLOW=-O0",
         f"CXX={cxx} -std=c++17", *parts])
    return prefix, objects, parts


def register_headers(folder):
    """Writes the register maps as C and C++ below a folder of a build; returns the include folder."""
    folder = os.path.join(folder, "generated")
    run([os.path.join(RTL, "../python/tool.py"), "regtool", "--code", folder])
    return folder


def compiled(program, variant, sources, flags, define=()):
    """Compiles the C++ sources of a bench with a variant of the design, the result of verilated(); returns `program`,
    the program's path."""
    prefix, objects, parts = variant
    root = run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()
    coverage = ["-DVM_COVERAGE=1"] if "VARIANT_COVERAGE" in define else []
    run(["g++", "-std=c++17", "-O2", f"-DVARIANT={prefix}", f"-DVARIANT_HEADER=<{prefix}.h>",
         f"-DVARIANT_ROOT=<{prefix}___024root.h>", *(f"-D{word}" for word in define), *coverage, *flags,
         f"-I{register_headers(os.path.dirname(program))}", f"-I{objects}", f"-isystem{root}/include",
         f"-isystem{root}/include/vltstd", *sources, *(os.path.join(objects, part) for part in parts), "-pthread",
         "-latomic", "-o", program])
    return program


def read_mutations(listing):
    """Returns number → mutation, in a form that does not depend on the number."""
    mutations = {}
    with open(listing, encoding="utf-8") as lines:
        for line in lines:
            found = re.search(r"-ctrl \S+ \d+ (\d+)", line)
            if found:
                text = re.sub(r"-ctrl \S+ \d+ \d+ ?|^mutate |-module \S+ | -src \S+", "", line.strip())
                mutations[int(found.group(1))] = text
    return mutations


def read_equivalents(path):
    """Returns mutation → reason why no test can tell the mutant from the unit."""
    equivalents = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            mutation, separator, reason = line.partition(" ## ")
            if not separator or not reason:
                sys.exit(f"{path}:{number}: 'mutation ## reason' is wanted")
            equivalents[mutation] = reason
    return equivalents


def judged(path, chosen, amount, seconds, judge, again=False):
    """Returns mutant → the bench's verdict, without mutants for which there was no time. `judge` runs the bench on a
    mutant and returns its verdict, or None for one that proves nothing. The file at `path` keeps the verdicts with
    the amount of work; `again`: survivors of this amount are judged again."""
    known = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                of, _, said = line.strip().partition(" ")
                known[int(said.split()[1].rstrip(":"))] = (int(of), said)
    end = time.monotonic() + seconds if seconds else None
    for number in chosen:
        done, said = known.get(number, (0, "survived"))
        if said.startswith("killed") or (done >= amount and not again):
            continue
        if end is not None and time.monotonic() > end:
            break
        said = judge(number)
        if said is not None:
            known[number] = (amount, said)
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{amount} {said}\n")
    return {number: known[number][1] for number in chosen if number in known}


def proofs(path, netlist, top, directory, survivors):
    """Returns survivor → what a proof says of it: equivalent to the unit, different, or unknown. The file at `path`
    keeps what is known."""
    verdicts = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            verdicts = {int(number): said for number, _, said in (line.strip().partition(" ") for line in lines)}
    unit = None
    for number in survivors:
        if number not in verdicts:
            unit = unit or Unit(netlist, os.path.join(RTL, ARRAY), top, directory)
            verdicts[number] = unit.judge(number)
            # an unknown verdict is tried again, since a faster machine may decide it
            if verdicts[number] != "unknown":
                with open(path, "a", encoding="utf-8") as file:
                    file.write(f"{number} {verdicts[number]}\n")
    return verdicts

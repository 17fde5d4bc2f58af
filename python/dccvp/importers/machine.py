"""Describes the memory map of a machine for importers of machine descriptions, and finds the host of the platform
that comes closest: `host.machine`, RAM, ROM, harts and clock."""

import dataclasses
import os
import re

from dccvp.common.ending import InputError
from dccvp.importers.network import Imported, in_units, plural, size_text, some
from dccvp.importers.source import quoted

SETTINGS = {"elf": "the program that the host runs; without it the host is native and host.yaml holds the machine"}
RAM_BASE, PAGE = 0x8000_0000, 4096
LEAST_RAM, MOST_RAM, MOST_ROM, MOST_HARTS = 64 << 10, 1 << 30, 1 << 30, 4
LEAST_CLOCK, MOST_CLOCK = 10**6, 10**10
# Devices of each machine of the platform, by kind: base address, and source at the interrupt controller, as in
# rtl/regs/memory_map.yaml and memory_map_virt.yaml.
PLACES: dict = {
    "dcc": {"clint": (0x0200_0000, None), "dccvp,interrupt-controller": (0x0C00_0000, None),
            "dccvp,uart": (0x1000_0000, 4), "dccvp,sim-control": (0x1001_0000, None),
            "dccvp,dcc": (0x4000_0000, 1), "dccvp,rdma-nic": (0x4010_0000, 2)},
    "virt": {"test": (0x0010_0000, None), "clint": (0x0200_0000, None), "plic": (0x0C00_0000, None),
             "16550": (0x1000_0000, 10), "dccvp,dcc": (0x4000_0000, 1), "dccvp,rdma-nic": (0x4010_0000, 2)}}
TIMEBASE = {"dcc": 10**9, "virt": 10**7}
OWN_EXTENSIONS = {"i", "m", "a", "c", "zicsr", "zifencei", "zicntr", "zihpm", "zmmul",
                  "zaamo", "zalrsc", "zca", "u"}


@dataclasses.dataclass
class Hart:
    """A hart with its number, the text of its instruction set, and its frequency in Hz (0 if the source states
    none)."""

    number: int
    isa: str
    clock: int = 0


@dataclasses.dataclass
class Region:
    """A memory or a device. `kind`: one of PLACES' kinds, "ram" or "rom"; "" for other devices. `at`: a place in
    the source, for messages. `interrupt`: the source at the interrupt controller; None if none is stated."""

    name: str
    kind: str
    text: str
    base: int
    size: int
    at: int = 0
    interrupt: int | None = None

    def named(self):
        return f"{self.name} ({self.text}) at 0x{self.base:x}"


@dataclasses.dataclass
class Machine:
    """The content of a machine description. `kind`: the machine of the platform that the description names; "" for
    others. `timebase`: ticks of mtime in a second, 0 if not stated."""

    harts: list = dataclasses.field(default_factory=list)
    regions: list = dataclasses.field(default_factory=list)
    kind: str = ""
    timebase: int = 0


def isa_extensions(text):
    """Returns (bits of a register or 0, names of the extensions) of an ISA string such as rv32imac_zicsr or rv64gc."""
    match = re.fullmatch(r"rv(32|64|128)([a-z]*)((?:_?[a-z][a-z0-9]*)*)", text.strip().lower().replace("-", "_"))
    if not match:
        return 0, []
    letters, _, rest = match[2].partition("z") if "_" not in match[2] else (match[2], "", "")
    names = [*letters.replace("g", "imafd"), *(["z" + rest] if rest else []), *filter(None, match[3].split("_"))]
    return int(match[1]), names


def _harts(machine, host, notes):
    numbers = [hart.number for hart in machine.harts]
    count = min(len(numbers), MOST_HARTS)
    if not numbers:
        notes.assumed.append("one hart, since the description has none")
    if len(numbers) > MOST_HARTS:
        notes.not_expressed.append(f"{len(numbers) - MOST_HARTS} of {len(numbers)} harts: a host has up to "
                                   f"{MOST_HARTS}")
    if count > 1:
        host["harts"] = count
    if numbers and sorted(numbers) != list(range(len(numbers))):
        notes.not_expressed.append(f"harts numbered {some(sorted(numbers))}: those of a host count from 0")
    for text in sorted({hart.isa for hart in machine.harts}):
        bits, names = isa_extensions(text)
        more = [name for name in names if name not in OWN_EXTENSIONS]
        if bits == 0:
            notes.assumed.append(f"RV32IMAC harts, since {quoted(text)} says nothing of the instruction set")
        elif bits != 32:
            notes.not_expressed.append(f"{quoted(text)}: a host's harts are RV32IMAC, so programs need to be "
                                       "compiled for them")
        elif more:
            notes.not_expressed.append(f"extensions {', '.join(more)} of {quoted(text)}: a host's harts are RV32IMAC")
    clocks = {hart.clock for hart in machine.harts if hart.clock}
    if len(clocks) > 1:
        notes.not_expressed.append("harts with different clocks: that of the first is used")
    clock = next((hart.clock for hart in machine.harts if hart.clock), 0)
    if LEAST_CLOCK <= clock <= MOST_CLOCK:
        host["clock"] = in_units(clock, (("GHz", 10**9), ("MHz", 10**6), ("kHz", 1000), ("Hz", 1)), 3)
    elif clock:
        notes.not_expressed.append(f"a clock of {clock} Hz: that of a host is 1 MHz to 10 GHz")
    else:
        notes.assumed.append("the default clock of a host (host.clock), since no clock is stated")


def _ram(machine, host, notes):
    rams = [region for region in machine.regions if region.kind == "ram"]
    ours = [region for region in rams if region.base <= RAM_BASE < region.base + region.size]
    if not ours:
        notes.assumed.append("RAM of the default size (host.ram) at 0x80000000, since none of the description is there")
    else:
        size = ours[0].base + ours[0].size - RAM_BASE
        fits = min(max(size // PAGE * PAGE, LEAST_RAM), MOST_RAM)
        if fits != size:
            notes.assumed.append(f"RAM of {size_text(fits)} instead of {size_text(size)}: a host has 64 KiB to 1 GiB, "
                                 "in pages of 4 KiB")
        if ours[0].base != RAM_BASE:
            notes.not_expressed.append(f"the part of {ours[0].named()} below 0x80000000, where a host's RAM begins")
        host["ram"] = size_text(fits)
    notes.not_expressed += [f"RAM {region.named()}: a host's RAM is at 0x80000000" for region in rams
                            if region not in ours[:1]]


def _rom(machine, host, notes):
    roms = [region for region in machine.regions if region.kind == "rom"]
    fitting = [region for region in roms if region.base % PAGE == 0 and region.size >= PAGE and
               region.base + region.size <= 1 << 32]
    chosen = max(fitting, key=lambda region: region.size, default=None)
    if chosen is not None:
        size = min(chosen.size // PAGE * PAGE, MOST_ROM)
        if size != chosen.size:
            notes.assumed.append(f"ROM of {size_text(size)} instead of {size_text(chosen.size)}")
        host["rom"] = {"base": f"0x{chosen.base:x}", "size": size_text(size)}
    for region in roms:
        if region is not chosen:
            why = "the largest one is used" if region in fitting else "a ROM has whole pages of 4 KiB below 4 GiB"
            notes.not_expressed.append(f"ROM {region.named()}: {why}")


def _devices(machine, kind, notes):
    places, placed = PLACES[kind], []
    other = "dcc" if kind == "virt" else "virt"
    for region in machine.regions:
        if region.kind in ("ram", "rom"):
            continue
        place = places.get(region.kind)
        if place is None:
            if region.kind in PLACES[other]:
                notes.not_expressed.append(f"{region.named()}: belongs to machine {other}, this host is {kind}")
            else:
                notes.ignored.append(f"{region.named()}: no such device")
        elif region.base != place[0]:
            notes.not_expressed.append(f"{region.named()}: machine {kind} has it at 0x{place[0]:x}")
        else:
            placed.append(region.kind)
            if place[1] is not None and region.interrupt not in (None, place[1]):
                notes.not_expressed.append(f"interrupt {region.interrupt} of {region.named()}: its source is "
                                           f"{place[1]}")
    return placed


def chosen_kind(machine):
    """Returns the machine of the platform on which most devices of the description have their place; virt if both
    machines have as many."""
    if machine.kind in PLACES:
        return machine.kind
    counts = {kind: sum(places.get(region.kind, (None,))[0] == region.base for region in machine.regions)
              for kind, places in PLACES.items()}
    return "dcc" if counts["dcc"] > counts["virt"] else "virt"


def imported_from(machine, source, settings):
    """Returns the Imported of a machine: two hosts at a switch, each with this machine. InputError if the
    description has neither RAM nor a hart, or if regions of memory overlap."""
    if not machine.harts and not any(region.kind == "ram" for region in machine.regions):
        source.fail(0, "the description has neither a RISC-V hart nor memory")
    _refuse_overlaps(machine, source)
    imported, host = Imported(), {}
    notes = imported.notes
    kind = chosen_kind(machine)
    host["machine"] = kind
    _harts(machine, host, notes)
    _ram(machine, host, notes)
    _rom(machine, host, notes)
    placed = _devices(machine, kind, notes)
    if machine.timebase and machine.timebase != TIMEBASE[kind]:
        notes.not_expressed.append(f"mtime of {machine.timebase} Hz: that of machine {kind} counts {TIMEBASE[kind]} Hz")
    notes.read.append(f"machine {kind}: {plural(len(machine.harts), 'hart')}, "
                      f"{plural(sum(r.kind == 'ram' for r in machine.regions), 'RAM')}, "
                      f"{plural(sum(r.kind == 'rom' for r in machine.regions), 'ROM')}, "
                      f"{plural(len(placed), 'device')} at the machine's own address"
                      f"{'' if len(placed) == 1 else 'es'}")
    more = [name for name in PLACES[kind] if name not in placed]
    if more:
        notes.assumed.append(f"a host of machine {kind} also has: {', '.join(more)}")
    notes.assumed.append("two hosts at a switch, without traffic")
    imported.settings["topology"] = {"kind": "star", "hosts": 2}
    _program(imported, host, settings, source)
    return imported


def _program(imported, host, settings, source):
    elf = settings.get("elf")
    if elf is None:
        imported.settings["host"] = {key: host[key] for key in ("ram",) if key in host}
        if not imported.settings["host"]:
            del imported.settings["host"]
        lines = "".join(f"  {key}: {_flow(value)}\n" for key, value in host.items())
        imported.files["host.yaml"] = ("# The machine. Include this file, and name the program: host.elf.\n"
                                       f"host:\n  driver: firmware\n{lines}")
        imported.notes.assumed.append("native hosts, since no program is given (--set elf=FILE); host.yaml has the "
                                      "machine for host.driver: firmware")
        return
    if not os.path.isfile(elf):
        raise InputError(f"--set elf={quoted(elf)}: there is no such file")
    imported.settings["host"] = {"driver": "firmware", "elf": os.path.abspath(elf), **host, "keeps_accounts": False}
    imported.notes.assumed.append("keeps_accounts: false, since a program of one's own fills in no boot block")


def _flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(one)}" for key, one in value.items()) + "}"
    return str(value)


def _refuse_overlaps(machine, source):
    memories = sorted((region for region in machine.regions if region.kind in ("ram", "rom") and region.size),
                      key=lambda region: region.base)
    for one, other in zip(memories, memories[1:]):
        if other.base < one.base + one.size:
            source.fail(other.at, f"{other.named()} overlaps {one.named()} of 0x{one.size:x} bytes")

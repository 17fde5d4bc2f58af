"""Tests that the tool refuses a wrong map, names file, line and the wrong item, and writes nothing."""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = [str(ROOT / "python/tool.py"), "regtool"]
sys.path.insert(0, str(ROOT / "python"))
from dccvp.regtool import memory_map, regmap, regtool  # noqa: E402
from dccvp.regtool.yaml_source import SourceError  # noqa: E402

GOOD = """\
name: toy
title: Toy block
description: Something small.
address_width: 12
interrupt: {status: IRQ, mask: MASK}
access_errors: {register: INFO, interrupt: ERROR}
registers:
  - name: VERSION
    offset: 0x00
    access: RO
    source: constant
    description: Version.
    fields:
      - {name: MINOR, lsb: 0, width: 16, description: Minor.}
      - {name: MAJOR, lsb: 16, width: 16, reset: 1, description: Major.}
  - name: MODE
    offset: 0x04
    access: RW
    width: 4
    reset: 3
    min: 1
    max: 9
    description: A mode.
  - name: IRQ
    offset: 0x08
    access: W1C
    description: Causes.
    fields:
      - {name: ERROR, lsb: 0, width: 1, description: Refused.}
  - name: MASK
    offset: 0x0C
    access: RW
    description: Mask.
    fields:
      - {name: ERROR, lsb: 0, width: 1, description: Refused.}
  - name: INFO
    offset: 0x10
    access: RO
    source: block
    description: Last refused.
    fields:
      - {name: ADDRESS, lsb: 0, width: 12, description: Address.}
      - {name: CODE, lsb: 24, width: 3, description: Reason.}
      - {name: WRITE, lsb: 31, width: 1, description: Direction.}
statistics:
  offset: 0x20
  counters:
    - {name: things, description: Things.}
windows:
  - name: table
    offset: 0x100
    entries: 16
    access: RW
    description: A table.
"""

# Each row: text to replace, new text, reported line, words of the error message.
BAD = [
    ("    offset: 0x04\n", "    offset: 0x05\n", 17, "MODE: offset 0x5 is not a multiple of 4"),
    ("    offset: 0x04\n", "    offset: 0x00\n", 17, "MODE: its address 0x0 belongs to VERSION"),
    ("    offset: 0x04\n", "    offset: 0x1000\n", 17, "MODE: ends at 0x1004, beyond 12 address bits"),
    ("    reset: 3\n", "    reset: 0\n", 20, "MODE.VALUE: reset value 0 is outside 1 ... 9"),
    ("    max: 9\n", "    max: 16\n", 22, "MODE.VALUE: max 16 does not fit 4 bits"),
    ("    min: 1\n", "    min: 12\n", 21, "MODE.VALUE: min 12 is above max 9"),
    ("    width: 4\n", "    width: 33\n", 19, "MODE: width: 33 is greater than the maximum of 32"),
    ("    width: 4\n", "    widht: 4\n", 19, "MODE: unknown key 'widht'; known are"),
    ("    width: 4\n", "    width: 4\n    parameter: Mode\n", 20, "MODE: parameter: 'Mode' does not match"),
    ("    width: 4\n", "    width: 4\n    setting: how\n", 20, "MODE: only a parameter is a setting"),
    ("    width: 4\n", "    width: 4\n    parameter: mode\n    setting: how\n    format: 24.8 Mb/s\n", 21,
     "MODE: a setting is a number or one of the formats 0.16, 1.16, not 24.8 Mb/s"),
    ("lsb: 0, width: 12, description", "lsb: 0, width: 12, parameter: where, description", 42,
     "INFO.ADDRESS: only a read-write field is a parameter"),
    ("    description: A mode.\n",
     "    description: A mode.\n    parameter: mode\n  - name: OTHER\n    offset: 0x18\n    access: RW\n"
     "    parameter: mode.other\n    description: Another.\n", 28,
     "parameter mode.other: MODE has mode"),
    ("    access: RW\n    width", "    access: RX\n    width", 18, "MODE: access: 'RX' is not one of"),
    ("    description: A mode.\n", "", 16, "MODE: 'description' is a required property"),
    ("    reset: 3\n", "    reset: three\n", 20, "MODE: reset: 'three' is not of type 'integer'"),
    ("    reset: 3\n", "    reset: -1\n", 20, "MODE: reset: -1 is less than the minimum of 0"),
    ("    reset: 3\n", "    reset: 3\n    reset: 3\n", 21, "'reset' is there twice"),
    ("name: MODE", "name: mode", 16, "mode: name: 'mode' does not match"),
    ("name: MODE", "name: VERSION", 16, "VERSION: the name is given twice"),
    ("lsb: 16, width: 16, reset", "lsb: 15, width: 16, reset", 15,
     "VERSION.MAJOR: its bits overlap another field's"),
    ("lsb: 16, width: 16, reset", "lsb: 17, width: 16, reset", 15,
     "VERSION.MAJOR: 16 bits from bit 17 do not fit"),
    ("name: MAJOR", "name: MINOR", 15, "VERSION.MINOR: the name is given twice"),
    ("    source: constant\n", "    source: nowhere\n", 11, "VERSION: source: 'nowhere' is not one of"),
    ("    min: 1\n", "    source: constant\n", 21, "MODE: only read-only registers have a source"),
    ("    access: RO\n    source: constant\n", "    access: RO\n    strobe: true\n", 11,
     "VERSION: a read-only register is never written"),
    ("status: IRQ", "status: MODE", 5, "interrupt.status: MODE is not a W1C register"),
    ("mask: MASK", "mask: IRQ", 5, "interrupt.mask: IRQ is not a RW register"),
    ("register: INFO", "register: VERSION", 6,
     "access_errors.register: VERSION is not a register with source: block"),
    ("interrupt: ERROR}", "interrupt: NONE}", 6, "access_errors.interrupt: NONE is not a cause"),
    ("  offset: 0x20\n", "  offset: 0x24\n", 46, "statistics: offset is not a multiple of 8"),
    ("    offset: 0x100\n", "    offset: 0x1C\n", None, "its address"),
    ("    entries: 16\n", "    entries: 2000\n", 51, "table: ends at 0x2040, beyond 12 address bits"),
    ("    entries: 16\n", "    entries: 0\n", 52, "table: entries: 0 is less than the minimum"),
    ("    width: 4\n", "    width: 4\n    fields: []\n", None, "MODE: "),
    ("title: Toy block\n", "", 1, "'title' is a required property"),
    ("name: toy", "name: [toy", None, "expected"),
    ("name: toy", "name: &x [*x]", None, "alias"),
    ("    width: 4\n", "    width: 4\n    regwen: LOCK\n", 20,
     "MODE: LOCK is not a bit of write_enable's register"),
    ("title: Toy block\n", "title: Toy block\nunits: {rate: toy}\n", 3,
     "units: no parameter is of the group rate"),
    ("title: Toy block\n", "title: Toy block\nwrite_enable: MODE\n", 3,
     "write_enable: MODE is not a register of W0C bits that are 1 after reset"),
    ("title: Toy block\n", "title: Toy block\nunlock: {when: MODE.X, bits: [LOCK]}\n", 3,
     "unlock: there is no write_enable register"),
    (GOOD, "", 1, "empty: a register map is a map"),
    (GOOD, "just text", 1, "a register map is a map, not 'just text'"),
]


# Memory map of a host with this one block, for errors of memory maps.
MEMORY = """\
title: Memory map
machine: small
prefix: SMALL
timebase: 1000
regions:
  - {name: SMALL, base: 0x1000, size: 0x100, description: One., words: [{name: DATA, offset: 0xFC, description: Last.}]}
  - map: toy
  - {name: RAM, base: 0x80000000, description: Memory.}
interrupts:
  - {map: toy, name: TOY}
  - {number: 3, name: OTHER}
"""

BAD_MEMORY = [
    ("map: toy\n", "map: foe\n", 7, "map: there is no register map foe"),
    ("{map: toy,", "{map: foe,", 10, "map: there is no register map foe"),
    ("base: 0x1000", "base: 0x1004", 6, "SMALL: base is not a multiple of its 0x100 bytes"),
    ("base: 0x1000", "base: 0x40000100", 7, "TOY: its address 0x40000000 overlaps SMALL"),
    ("base: 0x1000", "base: 0x80001000", 8, "RAM: its address 0x80000000 overlaps SMALL"),
    ("size: 0x100,", "size: 0x100000000,", 6, "SMALL: ends beyond 32 address bits"),
    ("offset: 0xFC", "offset: 0x100", 6, "SMALL.DATA: no word at 0x100"),
    ("name: RAM", "name: SMALL", 8, "SMALL: the name is given twice"),
    ("number: 3", "number: 7", 11, "OTHER: TOY is interrupt source 7"),
    ("number: 3, name: OTHER", "name: OTHER", 11, "OTHER: "),
    ("description: Memory.", "descripton: Memory.", 8, "RAM: unknown key 'descripton'"),
    ("map: toy\n", "map: toy\n    device_tree: {node: toy, compatible: [toy], interrupt: NONE}\n", 8,
     "TOY: there is no interrupt NONE"),
    ("prefix: SMALL", "prefix: small", 3, "prefix: 'small' does not match"),
]


class Errors(unittest.TestCase):
    def test_each_mistake_in_the_memory_map_has_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            block = pathlib.Path(folder) / "toy.yaml"
            block.write_text(GOOD.replace("address_width: 12\n", "address_width: 12\n"
                                          "base_address: 0x40000000\n").replace(
                "interrupt: {status", "interrupt: {number: 7, status"), encoding="utf-8")
            maps = [regmap.load(block)]
            path = pathlib.Path(folder) / "memory_map.yaml"
            path.write_text(MEMORY, encoding="utf-8")
            memory_map.load(path, maps)
            for old, new, line, words in BAD_MEMORY:
                with self.subTest(mistake=new):
                    self.assertIn(old, MEMORY)
                    path.write_text(MEMORY.replace(old, new, 1), encoding="utf-8")
                    with self.assertRaises(SourceError) as caught:
                        memory_map.load(path, maps)
                    first = str(caught.exception).splitlines()[0]
                    self.assertTrue(first.startswith(f"{path}:{line}: {words}"), first)

    def run_on(self, text, option="--out"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "toy.yaml"
            path.write_text(text, encoding="utf-8")
            with contextlib.redirect_stderr(io.StringIO()) as errors, \
                    contextlib.redirect_stdout(io.StringIO()):
                status = regtool.main([option, folder, str(path)])
            written = [p.name for p in pathlib.Path(folder).rglob("*") if p.is_file()]
            return status, errors.getvalue(), path, written

    def test_the_good_one_is_accepted(self):
        for option, last in (("--out", "toy_regs_storage.sv"), ("--code", "toy_regs.h"), ("--forms", "toy.svd")):
            status, errors, _, written = self.run_on(GOOD, option)
            self.assertEqual(status, 0, errors)
            self.assertGreater(len(written), 3)
            self.assertIn(last, written)

    def test_each_mistake_has_its_place(self):
        for old, new, line, words in BAD:
            with self.subTest(mistake=new[:40]):
                self.assertIn(old, GOOD)
                status, errors, path, written = self.run_on(GOOD.replace(old, new, 1))
                self.assertEqual(status, 2, errors)
                self.assertEqual(written, ["toy.yaml"], "something was written")
                first = errors.splitlines()[0]
                self.assertIn(words, first)
                place = f"{path}:{line}:" if line else f"{path}:"
                self.assertTrue(first.startswith(place), f"{first} (expected line {line})")

    def test_a_missing_file_is_named(self):
        done = subprocess.run([*TOOL, "--validate", "/nowhere/x.yaml"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/x.yaml: no such file", done.stderr)

    def test_a_place_that_cannot_be_written_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "toy.yaml"
            path.write_text(GOOD, encoding="utf-8")
            in_the_way = pathlib.Path(folder) / "out"
            in_the_way.write_text("a file where a folder is wanted", encoding="utf-8")
            done = subprocess.run([*TOOL, "--out", str(in_the_way), str(path)], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^{in_the_way}[^\n]*: Not a directory\n$")

    def test_check_finds_a_changed_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "toy.yaml"
            path.write_text(GOOD, encoding="utf-8")
            command = [*TOOL, "--out", folder, str(path)]
            subprocess.run(command, check=True, capture_output=True)
            same = subprocess.run(command + ["--check"], capture_output=True, text=True, check=False)
            self.assertEqual((same.returncode, same.stdout), (0, ""))
            header = pathlib.Path(folder) / "rtl/regs/generated/toy_regs_pkg.sv"
            header.write_text(header.read_text().replace("ModeReset", "ModeReste"))
            other = subprocess.run(command + ["--check"], capture_output=True, text=True, check=False)
            self.assertEqual(other.returncode, 1)
            self.assertRegex(other.stdout, r"\n\+ .* ModeReset +=")


if __name__ == "__main__":
    unittest.main()

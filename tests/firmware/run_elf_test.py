#!/usr/bin/python3
"""Tests `dccvp run-elf`: output and end of programs, files that cannot be loaded, options."""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE  # noqa: E402

DCCVP, FIRMWARE = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    done = subprocess.run([DCCVP, "run-elf", *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def program(name):
    return FIRMWARE / f"{name}.elf"


class Programs(unittest.TestCase):
    def expect(self, name, status, *texts, options=()):
        code, out, err = run(program(name), *options)
        self.assertEqual(code, status, out + err)
        for text in texts:
            self.assertIn(text, out + err)
        return out

    def find(self, text, pattern):
        self.assertIsNotNone(re.search(pattern, text), f"not found: {pattern}")

    def test_fault_traps_every_access(self):
        out = self.expect("fault", 0, "fault: all trapped as they must", "exit code 0;", " MIPS")
        self.assertEqual(out.count("\nok "), 11)
        self.assertNotIn("FAIL", out)

    def test_irq_storm(self):
        self.expect("irq_storm", 0, "2000 timer, 2000 software interrupts, never nested, "
                    "0 checksums wrong")

    def test_cplusplus_objects(self):
        out = self.expect("objects", 0, options=("--quiet",))
        self.assertEqual(out.splitlines(), ["objects: the answer is 42",
                                            "objects: areas 16 and 16, bytes in use: more",
                                            "objects: bytes in use: as before",
                                            "objects: a local static made once: 30",
                                            "objects: 1 timer interrupt",
                                            "objects: destructor of 42"])

    def test_an_image_of_more_than_a_mebibyte(self):
        self.expect("test_big_image", 0, "big image: 7, stack above 3 MiB: yes")
        code, out, err = run(program("test_big_image"), "--ram", "2MiB")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("RAM has 2097152", err)

    def test_a_stack_outside_ram_is_refused(self):
        code, out, err = run(program("fault"), "--ram", "960KiB")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("fault.elf: its stack 0x800f0000-0x800fffff lies outside RAM 0x80000000-0x800effff; "
                      "it needs more RAM, or __image_bytes when it is linked", err)
        self.expect("fault", 0, options=("--ram", "1MiB"))

    def test_bringup_without_a_platform_says_what_is_missing(self):
        self.expect("bringup", 1, "bringup: boot block: there is none", "exit code 1;",
                    "(_exit+")

    def test_tohost_convention(self):
        self.expect("test_tohost_pass", 0, "hello by tohost", "exit code 0;")
        self.expect("test_tohost_fail", 1, "hello by tohost", "exit code 21;")

    def test_semihosting(self):
        self.expect("test_semihost", 1, "written\na string, then a character: c\n", "exit code 5;")

    def test_the_c_librarys_hello_in_rom(self):
        rom = ("--rom", "0x20000000:1MiB")
        self.expect("test_semihosting_rom", 1, "hello from ROM: 42 0\n", "exit code 7;", options=rom)
        code, out, err = run(program("test_semihosting_rom"))
        self.assertEqual((code, out), (2, ""))
        self.assertIn("segment 0x20000000-", err)
        code, _, err = run(program("test_semihosting_rom"), "--rom", "0x20000000:4KiB")
        self.assertEqual(code, 2)
        self.assertIn("lies outside RAM 0x80000000-0x803fffff and ROM 0x20000000-0x20000fff", err)
        for wrong, text in (("0x20000000", "is not BASE:SIZE"), ("0x20000001:4KiB", "multiples of 4 KiB"),
                            ("0x80000000:4KiB", "overlap"), ("0x20000000:0KiB", "more than zero")):
            code, _, err = run(program("test_semihosting_rom"), "--rom", wrong)
            self.assertEqual(code, 2)
            self.assertIn(text, err)

    def test_uart_input_by_interrupt(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder, "input")
            text.write_text("abc def\n")
            output = pathlib.Path(folder, "output")
            self.expect("test_echo", 1, "exit code 8;",
                        options=("--uart-in", text, "--uart-out", output))
            self.assertEqual(output.read_text(), "abc def\n")

    def test_kernel_with_tasks_in_user_mode(self):
        def result(x):
            for _ in range(20000):
                x ^= x << 13 & 0xFFFFFFFF
                x ^= x >> 17
                x ^= x << 5 & 0xFFFFFFFF
            return x & 0xFFFF

        golden = ["kernel: 2 tasks in user mode, turns of 20 us",
                  "reporter: the serial port has hello",
                  *(f"reporter: the worker has {result(i):04x}" for i in (1, 2, 3)),
                  "worker: reaches for the kernel's memory",
                  "reporter: the worker is done",
                  "kernel: the worker is ended: store access fault at the secret",
                  "reporter: done",
                  "kernel: 6 interrupts of the serial port, tasks preempted: yes, secret kept"]
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder, "input")
            text.write_text("hello\n")
            out = self.expect("kernel", 0, options=("--uart-in", text, "--quiet"))
        self.assertEqual(out.splitlines(), golden)

    def test_kernel_that_hears_nothing_waits(self):
        self.expect("kernel", 1, "reporter: the worker is done", "ran past its time",
                    options=("--max-time", "5ms"))

    def test_misaligned_accesses_as_asked(self):
        self.expect("test_misaligned", 1, "trap: load address misaligned")
        self.expect("test_misaligned", 0, "55443322 then 667766ff", options=("--misaligned-done",))

    def test_uart_input_that_cannot_be_one(self):
        for file, words in (("/", "/: cannot be read"), ("/dev/zero", "/dev/zero: larger than 64 MiB"),
                            ("/nonexistent", "/nonexistent: cannot be opened")):
            self.expect("test_echo", 2, f"dccvp run-elf: {words}", options=("--uart-in", file))

    def test_runs_past_its_time(self):
        self.expect("test_busy_loop", 1, "ran past its time, 2 ms", "pc 0x8000", "(main+",
                    options=("--max-time", "2ms"))

    def test_endless_loop(self):
        self.expect("test_endless_loop", 1, "endless loop with interrupts off at pc 0x8000", "(main")

    def test_sleeps_for_ever(self):
        self.expect("test_sleep_forever", 1, "wfi with no interrupt enabled at pc")

    def test_handler_that_returns_to_what_traps(self):
        out = self.expect("test_trap_forever", 1, "the same trap 1000 times in a row, its handler "
                          "returns to the instruction that traps: load access fault at pc 0x8000",
                          "(main+", "address 0x20000000")
        self.assertEqual(out.count("load access fault\n"), 1000)

    def test_the_controller_belongs_to_a_network(self):
        with tempfile.TemporaryDirectory() as folder:
            bus = pathlib.Path(folder, "bus")
            words = "the controller belongs to a network: dccvp run CONFIG.yaml"
            self.expect("test_read_controller", 1, "load access fault", "address 0x40000000 (nothing is "
                        "mapped there; ", words, options=("--trace-bus", bus))
            self.assertIn(words, bus.read_text())

    def test_jump_to_nowhere(self):
        self.expect("test_jump_nowhere", 1, "trap: instruction access fault, mepc 0x20000000",
                    "instruction access fault at pc 0x20000000, called from 0x8000", "(main+")

    def test_stack_overflow(self):
        self.expect("test_stack_overflow", 1, "stack overflow at pc 0x8000", "(recurse",
                    "below the end of the stack 0x800f0000 (__stack_limit)")

    def test_write_to_read_only_register(self):
        self.expect("test_read_only", 1, "trap: store access fault", "(write_status+",
                    "address 0x10000004 (uart + 0x4)")

    def test_trap_without_handler(self):
        self.expect("test_no_handler", 1, "trap without a handler", "load access fault",
                    "0x80000000 (_start)", "address 0x00000000")

    def test_a_trace_that_cannot_be_written_to_its_end(self):
        for option in ("--trace-cpu", "--trace-bus", "--uart-out"):
            self.expect("irq_storm", 2, "'/dev/full' could not be written to its end",
                        "exit code 0;", options=(option, "/dev/full"))

    def test_two_runs_are_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            traces = []
            for i in range(2):
                cpu = pathlib.Path(folder, f"cpu{i}")
                bus = pathlib.Path(folder, f"bus{i}")
                self.expect("fault", 0, options=("--trace-cpu", cpu, "--trace-bus", bus))
                traces.append((cpu.read_bytes(), bus.read_bytes()))
            self.assertEqual(traces[0], traces[1])
            cpu_log, bus_log = (t.decode() for t in traces[0])
            self.find(cpu_log, r"80000000 _start +\S{8} auipc gp")
            self.find(cpu_log, r"main\+0x\w+ .*  -- load access fault")
            self.find(bus_log, r"WR 0x10000004 uart \+ 0x4 = 0x00000000  ERROR read_only")
            self.find(bus_log, r"RD 0x20000000 .*nothing is mapped there.*ERROR")

    def test_tracing_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            plain = self.expect("irq_storm", 0)
            traced = self.expect("irq_storm", 0,
                                 options=("--trace-cpu", pathlib.Path(folder, "trace")))
            self.assertEqual(plain.split(" s simulated")[0], traced.split(" s simulated")[0])


class BadFiles(unittest.TestCase):
    def setUp(self):
        self.good = program("irq_storm").read_bytes()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def refuse(self, data, text):
        path = pathlib.Path(self.folder.name, "bad.elf")
        path.write_bytes(data)
        code, out, err = run(path)
        self.assertEqual(code, 2, out + err)
        self.assertEqual(out, "")
        self.assertIn(text, err)
        self.assertIn("bad.elf: ", err)
        self.assertEqual(len(err.splitlines()), 1)

    def patched(self, offset, form, value):
        data = bytearray(self.good)
        struct.pack_into(form, data, offset, value)
        return bytes(data)

    def header(self, index, offset):
        return struct.unpack_from("<I", self.good, 28)[0] + 32 * index + offset

    def test_missing_and_foreign(self):
        code, out, err = run("/nonexistent.elf")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("cannot be opened", err)
        self.refuse(b"", "not an ELF file")
        self.refuse(b"#!/bin/sh\n" * 20, "not an ELF file")
        self.refuse(self.patched(4, "B", 2), "64-bit")
        self.refuse(self.patched(5, "B", 2), "big-endian")
        self.refuse(self.patched(18, "<H", 40), "machine 40")
        self.refuse(self.patched(16, "<H", 3), "ELF type 3")
        self.refuse(self.patched(36, "<I", 5), "floating-point ABI")

    def test_truncated_anywhere(self):
        for size in list(range(4, 200, 7)) + list(range(200, len(self.good), 5003)):
            self.refuse(self.good[:size], "truncated")

    def test_segments(self):
        address = self.header(1, 12)
        self.refuse(self.patched(address, "<I", 0x80000100), "segments overlap")
        self.refuse(self.patched(address, "<I", 0x10000000), "outside RAM")
        self.refuse(self.patched(address, "<I", 0xFFFFFFF0), "past the end of the address space")
        self.refuse(self.patched(self.header(1, 20), "<I", 0x00800000), "RAM has 4194304")
        self.refuse(self.patched(self.header(0, 20), "<I", 16), "only 16 in memory")
        self.refuse(self.patched(24, "<I", 0x80300000), "entry point 0x80300000")
        self.refuse(self.patched(44, "<H", 0), "nothing to load")

    def test_every_corrupted_header_byte_ends_well(self):
        path = pathlib.Path(self.folder.name, "fuzz.elf")
        for offset in range(0, 148, 3):
            data = bytearray(self.good)
            data[offset] ^= 0xFF
            path.write_bytes(bytes(data))
            code, _, err = run(path, "--max-time", "100us")
            self.assertIn(code, (0, 1, 2), f"byte {offset}: {err}")

    def test_options(self):
        elf = program("irq_storm")
        for option, value in (("--max-time", "0us"), ("--max-time", "5"), ("--ram", "1000B"),
                              ("--ram", "8GiB"), ("--clock", "0Hz"), ("--cpi", "0"),
                              ("--quantum", "0ns"), ("--gdb", "70000"),
                              ("--uart-in", "/nonexistent"), ("--trace-cpu", "/nonexistent/x")):
            code, out, err = run(elf, option, value)
            self.assertEqual(code, 2, option + out + err)
            self.assertEqual(len(err.splitlines()), 1, err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

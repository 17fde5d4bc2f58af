#!/usr/bin/python3
"""Tests the CPU's GDB stub with the real gdb and with other clients."""

import atexit
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, expect_in_order  # noqa: E402

DCCVP, FIRMWARE = sys.argv[1], pathlib.Path(sys.argv[2])
GDB = shutil.which("gdb-multiarch")
ELF = FIRMWARE / "irq_storm.elf"


class Machine:
    """A program under dccvp that waits for a debugger on a free port."""

    def __init__(self, *options, elf=ELF):
        self.process = subprocess.Popen([DCCVP, "run-elf", "--gdb", "0", *options, elf],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        # Kills the program at exit, since after a failed test it would still wait for its debugger.
        atexit.register(self.process.kill)
        line = self.process.stdout.readline().decode()
        self.port = int(re.search(r"127\.0\.0\.1:(\d+)", line).group(1))

    def finish(self):
        out, _ = self.process.communicate(timeout=PATIENCE)
        self.process.stdout.close()
        return self.process.returncode, out.decode()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)


def packet(text):
    return b"$" + text.encode() + b"#" + b"%02x" % (sum(text.encode()) % 256)


class Client:
    """A minimal client of GDB's remote protocol, which sends one packet and receives the response."""

    def __init__(self, machine):
        self.socket = machine.connect()
        self.buffer = b""

    def __del__(self):
        self.socket.close()

    def ask(self, text):
        self.socket.sendall(packet(text))
        return self.answer()

    def answer(self):
        while not (found := re.search(rb"\$([^#]*)#..", self.buffer)):
            data = self.socket.recv(4096)
            if not data:
                raise EOFError
            self.buffer += data
        self.buffer = self.buffer[found.end():]
        self.socket.sendall(b"+")
        return found.group(1).decode()


@unittest.skipIf(GDB is None, "gdb-multiarch is missing")
class RealGdb(unittest.TestCase):
    def session(self, *commands, options=(), elf=ELF):
        machine = Machine(*options, elf=elf)
        # Raises gdb's timeout for a response, which is two seconds, because a busy machine may take longer.
        script = ["set pagination off", "set confirm off", "set architecture riscv:rv32",
                  f"set remotetimeout {PATIENCE}",
                  f"target remote 127.0.0.1:{machine.port}", *commands]
        with tempfile.NamedTemporaryFile("w", suffix=".gdb") as file:
            file.write("\n".join(script) + "\n")
            file.flush()
            done = subprocess.run([GDB, "-batch", "-nx", "-x", file.name, elf],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=PATIENCE)
        text = done.stdout.decode()
        status, out = machine.finish()
        return text, status, out

    def expect(self, text, *patterns):
        expect_in_order(self, text, *patterns)

    def test_break_in_the_interrupt_handler(self):
        text, status, out = self.session(
            "break timer_handler", "continue", "backtrace", "print timer_count",
            "info registers mcause mepc", "finish", "delete", "detach")
        self.expect(text, r"_start \(\) at .*crt0\.S", r"Breakpoint 1, timer_handler",
                    r"#0  timer_handler", r"#1 .* trap_entry", r"#2 .* main ", r"\$1 = 0",
                    r"mcause +0x80000007", r"mepc +0x80000", r"trap_entry \(\)")
        self.assertEqual(status, 0, out)
        self.assertIn("2000 timer, 2000 software interrupts", out)

    def test_harts_are_threads(self):
        text, status, out = self.session(
            "info threads", "break hart_main", "continue", "print hart", "info threads", "print $mhartid", "thread 1",
            "print $mhartid", "thread 2", "delete", "break amo_max", "continue", "stepi", "stepi", "delete",
            "print harts_number()", "detach",
            options=("--machine", "virt", "--harts", "2"), elf=FIRMWARE / "test_harts_atomic_2.elf")
        self.expect(text, r"\* 1 +Thread 1 \(hart 0\)", r"  2 +Thread 2 \(hart 1\)", r"hit Breakpoint 1, hart_main",
                    r"\$1 = 1", r"  1 +Thread 1", r"\* 2 +Thread 2", r"\$2 = 1", r"Switching to thread 1", r"\$3 = 0",
                    r"Switching to thread 2", r"Breakpoint 2", r"Inferior 1 .* detached")
        self.assertEqual(status, 0, out)
        self.assertIn("amo 60000, reservation 60000, lock 60000, of 60000", out)

    def test_one_hart_steps_alone(self):
        text, status, out = self.session(
            "break hart_main", "continue", "delete", "set scheduler-locking on",
            "thread 1", "set $before = $minstret", "thread 2", "stepi", "stepi", "stepi",
            "thread 1", "print $minstret - $before", "set scheduler-locking off", "thread 2", "stepi",
            "watch by_lock", "continue", "delete", "detach",
            options=("--machine", "virt", "--harts", "2"), elf=FIRMWARE / "test_harts_atomic_2.elf")
        self.expect(text, r"hart_main", r"\$1 = 0", r"atchpoint 2: by_lock", r"Old value = 0")
        self.assertEqual(status, 0, out)

    def test_a_debugger_leaves_the_run_of_harts_as_it_is(self):
        elf, options = FIRMWARE / "test_harts_race_2.elf", ("--machine", "virt", "--harts", "2")
        plain = subprocess.run([DCCVP, "run-elf", *options, elf], stdout=subprocess.PIPE, timeout=PATIENCE, check=True)
        _, _, out = self.session("break hart_main", "continue", "delete", "continue", options=options, elf=elf)
        for line in re.findall(r"raced.*|hart \d: .*", plain.stdout.decode()):
            self.assertIn(line, out)

    def test_steps_and_watchpoints(self):
        text, status, out = self.session(
            "break main", "continue", "next", "stepi", "stepi", "delete",
            "watch software_count", "continue", "continue", "rwatch timer_count", "continue",
            "delete", "detach")
        self.expect(text, r"Breakpoint 1, main", r"atchpoint 2: software_count",
                    r"Old value = 0\s+New value = 1", r"Old value = 1\s+New value = 2",
                    r"ead watchpoint 3: timer_count", r"Value = ")
        self.assertEqual(status, 0, out)

    def test_triggers_of_the_debugger(self):
        stop_on = "set $tdata1 = 0x08001040 | "  # fields: dmode; action: stop; machine mode
        text, status, out = self.session(
            "break main", "continue", "delete",  # a breakpoint after the start-up code, which clears all variables
            "set $tselect = 0", "set $tdata2 = &software_count", stop_on + "2", "continue",
            "print software_count", "x/i $pc", "stepi", "print software_count",
            stop_on + "4", "set $tdata2 = timer_handler", "continue", "print $pc == timer_handler",
            "print/x $tdata1", "set $tdata1 = 0", "detach")
        self.expect(text, r"SIGTRAP", r"\$1 = 0", r"sw\s", r"\$2 = 1", r"SIGTRAP", r"\$3 = 1",
                    r"\$4 = 0x28001044")
        self.assertEqual(status, 0, out)

    def test_breakpoints_and_watchpoints_in_user_mode(self):
        with tempfile.NamedTemporaryFile("w") as heard:
            heard.write("x\n")
            heard.flush()
            text, status, out = self.session(
                "break task_reporter", "continue", "print/x $mstatus & 0x1888", "backtrace 1",
                "watch queue_count", "continue", "delete", "detach",
                elf=FIRMWARE / "kernel.elf", options=("--uart-in", heard.name))
        self.expect(text, r"Breakpoint 1, task_reporter", r"#0  task_reporter",
                    r"atchpoint 2: queue_count", r"Old value = \d\s+New value = \d")
        self.assertEqual(status, 0, out)
        self.assertIn("secret kept", out)

    def test_registers_of_devices_without_side_effects(self):
        # The first character waits in the UART. Inspection by the debugger must not consume it.
        with tempfile.NamedTemporaryFile("w") as text_file:
            text_file.write("Q\n")
            text_file.flush()
            text, status, out = self.session(
                "break on_external", "continue", "x/3xw 0x10000000", "x/3xw 0x10000000",
                "x/1xw 0x0c000008", "monitor read 0x10000000", "delete", "detach",
                options=("--uart-in", text_file.name), elf=FIRMWARE / "test_echo.elf")
        self.expect(text, r"Breakpoint 1, on_external",
                    r"0x10000000:\s+0x00000051\s+0x00000003\s+0x00000001",
                    r"0x10000000:\s+0x00000051\s+0x00000003\s+0x00000001",
                    r"0xc000008:\s+0x00000004", r"0x10000000 = 0x51")
        self.assertIn("Q\n", out)
        self.assertIn("exit code 2", out)

    def test_writing_memory_and_registers_changes_the_program(self):
        text, status, out = self.session(
            "break machine_set_timer", "continue", "delete", "finish", "set var $s0 = 0x1234",
            "print/x $s0", "print timer_count = 5", "print timer_count",
            "set var *(unsigned short *)&main = *(unsigned short *)&main",
            "set var *(unsigned *)0x20000000 = 1", "detach", options=("--max-time", "5ms"))
        self.expect(text, r"\$\d+ = 0x1234", r"= 5", r"= 5",
                    r"Cannot access memory at address 0x20000000")

    def test_stops_when_a_device_changes_a_register(self):
        text, status, out = self.session(
            "monitor help", "monitor modules", "monitor cpu",
            "monitor stop-on-change 0x0200bff8", "continue", "monitor unwatch",
            "monitor stop-on-change no.such.thing", "monitor stop-on-change 0x02004000",
            "continue", "monitor time", "monitor nonsense", "detach")
        self.expect(text, r"stop-on-change", r"host\.cpu  RISC-V CPU", r"0 instructions",
                    r"stops when 0x0200bff8 changes; now 0x0", r"changed before \d+ \w+: 0x0 -> 0x",
                    r"nothing is watched", r"no such value", r"stops when 0x02004000 changes",
                    r"0x02004000 changed before \d+ \w+: 0x\w+ -> 0x", r"\d+ \w?s",
                    r"unknown command nonsense")
        self.assertEqual(status, 0, out)

    def test_time_stands_still(self):
        _, plain, reference = self.session("detach")
        text, status, out = self.session(
            "break timer_handler", "continue", "monitor time", "shell sleep 0.3", "monitor time",
            "stepi", "delete", "detach")
        times = re.findall(r"^([\d.]+ [munpf]?s)$", text, re.MULTILINE)
        self.assertEqual(len(times), 2, text)
        self.assertEqual(times[0], times[1])
        self.assertEqual((plain, status), (0, 0))
        simulated = [re.search(r"\d+ instructions, \S+ s simulated", o).group(0)
                     for o in (reference, out)]
        self.assertEqual(simulated[0], simulated[1], "the debugger changed the run")
        self.assertNotIn("MIPS", out, "a program that a debugger stops has no speed")

    def test_a_dead_program_can_be_looked_at(self):
        text, status, out = self.session("continue", "backtrace 3", "print n", "continue",
                                         elf=FIRMWARE / "test_stack_overflow.elf")
        self.expect(text, r"stack overflow at pc", r"SIGSEGV", r"#0 .*recurse", r"#1 .*recurse",
                    r"\$1 = \d+")
        self.assertEqual(status, 1, out)

    def test_exit_code_reaches_the_debugger(self):
        text, status, out = self.session("continue", elf=FIRMWARE / "test_tohost_fail.elf")
        self.expect(text, r"exited with code 025")  # gdb prints the exit code in octal
        self.assertEqual(status, 1, out)


class OtherClients(unittest.TestCase):
    def leave_and_check(self, machine):
        """After a client has left, a correct client can still let the program run to its end."""
        client = Client(machine)
        self.assertIn("PacketSize", client.ask("qSupported"))
        self.assertEqual(client.ask("D"), "OK")
        status, out = machine.finish()
        client.socket.close()
        self.assertEqual(status, 0, out)
        self.assertIn("2000 timer", out)

    def test_rubbish_is_ignored(self):
        machine = Machine()
        for rubbish in (b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 40, b"$" * 1000,
                        b"$qSupported#00", b"$" + b"x" * 200000, b"\x03\x03\x03", b"#$#$#zz"):
            with machine.connect() as client:
                try:
                    client.sendall(rubbish)
                except OSError:
                    pass
        self.leave_and_check(machine)

    def test_malformed_packets_are_refused(self):
        machine = Machine()
        client = Client(machine)
        for text in ("m", "m80000000", "mzz,4", "m0,ffffffffffffffff", "m80000000,0",
                     "M80000000,0:", "M80000000,4:1", "M80000000,2:-1+1", "M1,2:zzzz", "X80000000,5:ab", "p",
                     "pffffff", "P1=", "P1", "G00", "Z", "Z0", "Z9,1,1", "z0,,",
                     "qXfer:features:read:target.xml:zz", "qRcmd,0", "qRcmd,zz",
                     "vCont", "vCont;", "", "?extra", "Hg0", "T1", "bogus", "qfoo"):
            self.assertIsInstance(client.ask(text), str, text)
        self.assertEqual(client.ask("M80000000,2:-1+1"), "E01")
        # the stub must report an error instead of the memory at address 0
        self.assertEqual(client.ask("m100000000,4"), "E14")
        self.assertEqual(client.ask("m80000000,4"), "97510000")
        self.assertEqual(client.ask("D"), "OK")
        self.assertEqual(machine.finish()[0], 0)

    def test_a_silent_client_gives_way_to_the_next(self):
        machine = Machine()
        with machine.connect():
            self.leave_and_check(machine)

    def test_a_second_debugger_is_turned_away_at_once(self):
        machine = Machine()
        client = Client(machine)
        client.ask("?")
        with machine.connect() as second:
            self.assertEqual(second.recv(10), b"")
        self.assertEqual(client.ask("D"), "OK")
        self.assertEqual(machine.finish()[0], 0)

    def test_a_client_that_does_not_listen_is_left(self):
        machine = Machine()
        client = Client(machine)
        client.ask("?")
        client.socket.settimeout(1)
        # The client reads no replies, so the server's sends block and it stops reading. The client's own sendall then
        # fails.
        with self.assertRaises(OSError):
            while True:
                client.socket.sendall(packet("m80000000,1000") * 100)
        status, out = machine.finish()
        self.assertEqual(status, 0, out)

    def test_two_breakpoints_at_one_address_are_two(self):
        machine = Machine()
        client = Client(machine)
        for point in ("Z0", "Z1", "z1"):
            self.assertEqual(client.ask(point + ",80000004,4"), "OK")
        self.assertEqual(client.ask("c")[:3], "T05")
        self.assertEqual(client.ask("p20"), "04000080")
        self.assertEqual(client.ask("z0,80000004,4"), "OK")
        self.assertEqual(client.ask("D"), "OK")
        self.assertEqual(machine.finish()[0], 0)

    def test_disconnect_without_a_word_lets_the_run_go_on(self):
        machine = Machine()
        client = Client(machine)
        client.ask("qSupported")
        client.ask("Z0,80000000,2")
        client.socket.close()
        status, out = machine.finish()
        self.assertEqual(status, 0, out)

    def test_disconnect_while_running(self):
        machine = Machine(elf=ELF)
        client = Client(machine)
        client.ask("?")
        client.socket.sendall(packet("c"))
        client.socket.close()
        self.assertEqual(machine.finish()[0], 0)

    def test_interrupt_stops_a_running_program(self):
        machine = Machine("--max-time", "1000s", elf=FIRMWARE / "test_busy_loop.elf")
        client = Client(machine)
        client.ask("?")
        client.socket.sendall(packet("c"))
        time.sleep(0.3)
        client.socket.sendall(b"\x03")
        self.assertEqual(client.answer()[:3], "T02")
        before = client.ask("p20")
        time.sleep(0.2)
        self.assertEqual(client.ask("p20"), before)
        client.socket.sendall(packet("k"))
        status, out = machine.finish()
        self.assertEqual(status, 1)
        self.assertIn("ended by the debugger", out)

    def test_port_in_use(self):
        machine = Machine()
        done = subprocess.run([DCCVP, "run-elf", "--gdb", str(machine.port), ELF],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"cannot listen on 127.0.0.1:{machine.port}", done.stderr.decode())
        self.leave_and_check(machine)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

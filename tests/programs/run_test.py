#!/usr/bin/python3
"""Tests programs on NIC cores in a network: equal results with any number of threads, figures of handlers, and faults
of a program that do not end the run.

  run_test.py DCCVP PROGRAMS ROOT
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

DCCVP, PROGRAMS, ROOT = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
SHORT = ["-c", "duration=300us", "-c", "measure={from: 0us}"]


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-programs-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_one(self, name, *words, status=0, out="out", elf=True):
        program = ["-c", f"nic.congestion_control.elf={PROGRAMS / name}.elf"] if elf else []
        command = [DCCVP, "run", ROOT / f"configs/programs/{name}.yaml", *SHORT, *program, "--no-plots", "--out",
                   self.folder / out, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def metrics(self, out="out"):
        return json.loads((self.folder / out / "metrics.json").read_text())

    def sums(self, out="out"):
        aggregate = self.metrics(out)["aggregate"]
        return {name[8:]: value for name, value in aggregate.items() if name.startswith("program_")}

    def handlers(self, out="out"):
        (program,) = self.metrics(out)["programs"]
        return {one["event"]: one for one in program["handlers"]}

    def test_each_handler_has_its_figures(self):
        self.run_one("timely", "-c", "nic.congestion_control.clock=20MHz", "-c", "nic.congestion_control.queue=2")
        handlers, sums = self.handlers(), self.sums()
        self.assertEqual(set(handlers), {"start", "ack"})
        for name, total in (("events", "events"), ("merged", "events_merged"), ("lost", "events_lost"),
                            ("handled", "calls"), ("instructions", "instructions")):
            self.assertEqual(sum(one[name] for one in handlers.values()), sums[total], name)
        ack = handlers["ack"]
        for time in ("wait", "service", "reaction"):
            self.assertLessEqual(ack[f"{time}_us_p50"], ack[f"{time}_us_p99"])
        # A call takes 50 ns for each instruction, plus the dispatch. Of two waiting events, the second waits at least
        # until the first has been handled.
        self.assertGreaterEqual(ack["service_us_mean"], 0.05 * ack["instructions"] / ack["handled"])
        self.assertLess(ack["service_us_mean"], 0.1 * ack["instructions"] / ack["handled"])
        self.assertGreater(ack["wait_us_p50"], ack["service_us_p50"])
        self.assertGreater(self.metrics()["programs"][0]["busy"], 0.5)

    def test_times_of_handlers_are_the_sum_of_their_instructions(self):
        """With a clock cycle of 10 ns, a dispatch of 11 cycles and prime numbers as all other costs, cut() of
        halve.c has 13 instructions (2 loads, 3 stores, 6 of arithmetic, a branch, the return) and takes 41 cycles.
        At its least rate it has 14 instructions (7 of arithmetic, the branch taken) and takes 46 cycles.
        """
        self.run_one("halve", "-c", "duration=1ms", "-c", "nic.congestion_control.clock=100MHz",
                     "-c", "nic.congestion_control.dispatch=11",
                     "-c", "nic.congestion_control.cpi={load: 3, store: 2, branch: 5, jump: 7, taken: 4}")
        cut, metrics = self.handlers()["cnp"], self.metrics()
        floor = cut["instructions"] - 13 * cut["handled"]
        self.assertTrue(0 < floor < cut["handled"])
        mean = (0.41 * (cut["handled"] - floor) + 0.46 * floor) / cut["handled"]
        self.assertAlmostEqual(cut["service_us_mean"], mean, delta=1e-5)
        bucket = 0.46 / 32  # the histogram has 32 buckets per octave
        self.assertAlmostEqual(cut["service_us_p99"], 0.46, delta=bucket)
        self.assertAlmostEqual(cut["reaction_us_p99"], 0.46, delta=bucket)
        # Of the calls at the least rate, only the first one lowers the flow's rate.
        answers, first = metrics["reaction"]["answers"], 8
        self.assertEqual(answers, cut["handled"] - floor + first)
        self.assertEqual(answers, metrics["aggregate"]["rate_decreases"])
        self.assertAlmostEqual(metrics["reaction"]["us_mean"], (0.41 * (answers - first) + 0.46 * first) / answers,
                               delta=1e-5)

    def test_figures_of_programs_only_where_one_runs(self):
        self.run_one("halve", "-c", "nic.congestion_control={algorithm: timely}", elf=False)
        metrics = self.metrics()
        self.assertNotIn("programs", metrics)
        self.assertNotIn("reaction", metrics)
        self.assertEqual(set(self.sums().values()), {0})

    def test_reactions_of_hardware_and_programs(self):
        """The hardware block sets a rate after its latency of 64 cycles at 250 MHz, a core after its instructions."""
        self.run_one("halve", "-c", "nic.congestion_control={algorithm: dcc}", "-c", "duration=1ms", elf=False)
        hardware = self.metrics()["reaction"]
        self.assertGreater(hardware["answers"], 10)
        self.assertGreaterEqual(hardware["us_p50"], 0.256)
        # Before a CNP goes an event of the same flow that waits already, for at most the 32 cycles (0.128 us) between
        # two events of a flow. The median CNP waits for less than half of these cycles.
        self.assertLess(hardware["us_p50"], 0.256 + 0.064)
        self.run_one("halve", "-c", "duration=1ms", "-c", "nic.congestion_control.clock=50MHz", out="slow")
        program, handler = self.metrics("slow")["reaction"], self.handlers("slow")["cnp"]
        self.assertGreater(program["us_p50"], hardware["us_p50"])
        # No event waits, so the rate changes when the handler ends. The branches of the handler differ by two
        # instructions of 20 ns.
        self.assertEqual(handler["wait_us_max"], 0)
        self.assertAlmostEqual(program["us_mean"], handler["service_us_mean"], delta=0.04)
        self.assertLessEqual(program["answers"], handler["handled"])
        self.assertLessEqual(program["us_max"], handler["reaction_us_max"])

    def test_one_host_of_several_runs_a_program(self):
        self.run_one("halve", "-c", "nic.congestion_control={algorithm: dcqcn}", "-c",
                     "nics=[{hosts: [3], congestion_control: {algorithm: program, "
                     f"elf: {PROGRAMS / 'halve.elf'}}}}}]",
                     "-c", "duration=1ms", elf=False)
        self.assertGreater(self.sums()["calls"], 5)
        self.assertTrue(all(flow["goodput_gbps"] > 1 for flow in self.metrics()["flows"]))

    def test_responses_to_reads_are_governed(self):
        """The responder of a READ sends the data, so its NIC gets the CNPs, and its program sets the rate."""
        self.run_one("halve", "-c", "duration=1ms", "-c",
                     "traffic=[{kind: flow, from: 0, to: 1, operation: read}, "
                     "{kind: flow, from: 0, to: 2, operation: read}]")
        self.assertGreater(self.sums()["calls"], 10)
        self.assertEqual(self.sums()["faults"], 0)
        self.assertTrue(all(flow["goodput_gbps"] > 10 for flow in self.metrics()["flows"]))

    def test_a_thousand_flows(self):
        self.run_one("many_flows", "-c", "traffic.0.flows=512", "-c", "nic.congestion_control.queue=8", "-c",
                     f"nic.congestion_control.elf={PROGRAMS}/dcqcn.elf", elf=False)
        sums = self.sums()
        self.assertGreater(sums["events"], 1024)
        self.assertGreater(sums["events_lost"], 0)
        # Flows begin before the measurement window, and some of their handlers run within the window.
        waiting = 1024 + sums["events"] - sums["events_merged"] - sums["events_lost"] - sums["calls"]
        self.assertGreaterEqual(waiting, 0)
        self.assertLessEqual(waiting, 8 + 3 * 1024)  # three timers of each flow may wait

    def test_weights_from_a_program(self):
        """Checks weights 1 and 4 with a tolerance of a fifth, since a window of 3 ms has only some 200 intervals of
        the law."""
        self.run_one("proportional", "-c", "duration=6ms", "-c", "measure={from: 3ms}")
        light, heavy = self.metrics()["classes"]
        self.assertAlmostEqual(heavy["goodput_gbps"] / light["goodput_gbps"], 4, delta=0.8)

    def test_windows_from_a_program(self):
        self.run_one("swift", "-c", "duration=1ms", "-c", "measure={from: 500us}")
        self.assertGreater(self.metrics()["aggregate"]["goodput_gbps"], 80)
        self.assertEqual(self.sums()["faults"], 0)

    def test_threads_change_nothing(self):
        for threads in (1, 2):
            self.run_one("dcqcn", "--threads", str(threads), out=f"t{threads}")
        for file in ("flows.csv", "series/flow_rates.csv"):
            self.assertEqual((self.folder / "t1" / file).read_bytes(), (self.folder / "t2" / file).read_bytes())
        self.assertEqual(self.sums("t1"), self.sums("t2"))
        self.assertGreater(self.sums("t1")["calls"], 10)

    def test_every_event_is_accounted_for(self):
        self.run_one("timely", "-c", "nic.congestion_control.clock=20MHz", "-c", "nic.congestion_control.queue=2")
        sums = self.sums()
        self.assertGreater(sums["events_merged"], 0)
        self.assertGreater(sums["calls"], 100)
        # At the end of the run at most two events wait in each of eight NICs.
        waiting = sums["events"] - sums["events_merged"] - sums["events_lost"] - sums["calls"]
        self.assertGreaterEqual(waiting, 0)
        self.assertLessEqual(waiting, 16)
        self.assertGreater(sums["wait_ns"], sums["busy_ns"])
        self.assertGreater(sums["busy_ns"], 8 * 300_000 / 2)  # eight cores are busy for at least half of the time

    def test_faster_cores_react_sooner(self):
        reactions = []
        for clock in ("50MHz", "1GHz"):
            self.run_one("halve", "-c", f"nic.congestion_control.clock={clock}", out=clock)
            sums = self.sums(clock)
            reactions.append(sums["reaction_ns"] / sums["calls"])
        # The mean times differ by a few percent, because the two runs have different mixes of handlers.
        self.assertAlmostEqual(reactions[0], 20 * reactions[1], delta=0.1 * reactions[0])

    def test_a_fault_leaves_the_run_going(self):
        said = self.run_one("halve", "-c", f"nic.congestion_control.elf={PROGRAMS / 'test_faulty.elf'}",
                            "-c", "duration=1ms")
        self.assertRegex(said, r"host \d: test_faulty.elf: flow \d+, handler of cnp, at [\d.]+ us: store access fault, "
                               r"0x00000000, at 0x1000\w+ \(cut\+0x\w+\).*its last rate")
        sums = self.sums()
        self.assertEqual(sums["faults"], 8)  # each of 8 flows causes one fault
        self.assertEqual(sums["calls"], 16)
        lines = re.findall(r"^[\d.]+ us host \d flow \d+ cnp: cut of 100000$", said, re.MULTILINE)
        self.assertEqual(len(lines), 8)
        flows = self.metrics()["flows"]
        self.assertTrue(all(10 < flow["goodput_gbps"] < 100 for flow in flows), flows)

    def misuse(self, way, *words):
        return self.run_one("halve", "-c", f"nic.congestion_control.elf={PROGRAMS / 'test_misuse.elf'}",
                            "-c", f"nic.congestion_control.values=[{way}, 5]", *words)

    def test_writes_outside_context_and_result_are_faults(self):
        for way, at in ((0, r"at byte 64 of a context of 64 bytes"),
                        (1, r"at byte 64 of a context of 64 bytes"),
                        (4, r"at byte 36 of a result of 36 bytes")):
            with self.subTest(way=way):
                said = self.misuse(way, "--force")
                self.assertRegex(said, r"test_misuse.elf: flow \d+, handler of cnp, at [\d.]+ us: a write outside of "
                                       rf"context and result, {at}")
                self.assertEqual(self.sums()["faults"], 8)  # each flow of each NIC causes one fault
                self.assertNotIn("value 3", said)

    def test_a_timer_that_there_is_not_is_a_fault(self):
        self.assertRegex(self.misuse(2), r"handler of cnp, at [\d.]+ us: breakpoint, .* at 0x1000\w+ \(cut")
        self.assertEqual(self.sums()["faults"], 8)

    def test_a_timer_without_a_delay_ends(self):
        self.misuse(3, "-c", "nic.congestion_control.instant=true", "-c", "duration=20us")
        self.assertEqual(self.handlers()["timer"]["handled"], 8 * 20000)

    def compile(self, source, text, *options):
        """Compiles a program. Returns its file and the output of the compiler."""
        path = self.folder / source
        path.write_text(text)
        parts = ROOT / "firmware/program"
        elf = path.with_suffix(".elf")
        done = subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32imc", "-misa-spec=2.2", "-mabi=ilp32",
                               "--specs=picolibc.specs", "-O2", "-Wall", "-Wextra", *options, f"-I{ROOT / 'sw'}",
                               "-nostartfiles", "-T", parts / "link.ld", parts / "return.S", path, "-o", elf],
                              capture_output=True, text=True, check=False)
        return elf, done.stderr

    def test_constructors_are_refused(self):
        elf, said = self.compile("made.c", '''#include "program/dcc_program.h"
static uint32_t step;
__attribute__((constructor)) static void make(void) { step = 42; }
static void cut(const struct dcc_event *event, void *context, struct dcc_result *result) {
  (void)context;
  dcc_set_rate(result, event->rate - step);
}
DCC_PROGRAM(.on_cnp = cut);
''')
        self.assertFalse(elf.exists())
        self.assertIn("constructors do not run", said)

    def test_a_program_in_cplusplus(self):
        elf, said = self.compile("halves.cpp", '''#include "program/dcc_program.h"
namespace {
struct Flow {
  uint32_t cuts;
};
template <class T>
T half(T number) {
  return number / 2;
}
void cut(const dcc_event* event, void* context, dcc_result* result) {
  auto& flow = *static_cast<Flow*>(context);
  const auto tell = [&flow] { dcc_trace("cut %u", flow.cuts); };
  if (++flow.cuts == 2) tell();
  dcc_set_rate(result, half(event->rate));
}
}  // namespace
DCC_PROGRAM(.context_bytes = sizeof(Flow), .on_cnp = cut);
''', "-std=c++17", "-fno-exceptions", "-fno-rtti")
        self.assertEqual(said, "")
        lines = self.run_one("halve", "-c", f"nic.congestion_control.elf={elf}")
        self.assertEqual(len(re.findall(r"us host \d flow \d+ cnp: cut 2$", lines, re.MULTILINE)), 8)

    def test_a_file_that_is_no_program(self):
        said = self.run_one("halve", "-c", f"nic.congestion_control.elf={DCCVP}", status=2)
        self.assertIn("64-bit ELF", said)
        said = self.run_one("halve", "-c", "nic.congestion_control.elf=/no/such.elf", status=2)
        self.assertIn("no such file", said)


if __name__ == "__main__":
    unittest.main(argv=["run_test.py", "-v"])

#!/usr/bin/python3
"""Tests reverse execution at the prompt by time, by events, and to the last occurrence of an event. The state at an
instant must not depend on the way to it.

  reverse_debug_test.py BUILD/dccvp [--full | --moves N]
"""

import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness import PATIENCE, SMALL_INCAST, expect_in_order, figures

FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")
DCCVP = sys.argv.pop(1)
MOVES = 10_000 if FULL else 150
if "--moves" in sys.argv:
    at = sys.argv.index("--moves")
    MOVES = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]


class TimeTravel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-back-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "t.yaml").write_text(SMALL_INCAST, encoding="utf-8")

    def words(self, *options):
        return [DCCVP, "run", "t.yaml", "--interactive", "--quiet", "--force", "--out", "out", *options]

    def session(self, *commands, status=0, options=()):
        done = subprocess.run(self.words(*options), cwd=self.folder, text=True,
                              input="\n".join(commands) + "\n", capture_output=True, timeout=PATIENCE,
                              check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def expect(self, text, *patterns):
        expect_in_order(self, text, *patterns)

    def test_there_and_back(self):
        plain = subprocess.run([DCCVP, "run", "t.yaml", "--quiet", "--out", "plain"], cwd=self.folder,
                               check=False, timeout=PATIENCE)
        self.assertEqual(plain.returncode, 0)
        text = self.session("until 200us", "read digest", "until 400us", "read digest", "back 200us",
                            "read digest", "goto 400us", "read digest", "goto 0us", "read digest",
                            "goto 200us", "read digest", "run")
        self.expect(text, r"^paused at 200us$", r"^paused at 400us$", r"^paused at 200us$",
                    r"^paused at 400us$", r"^paused at 0us$", r"^paused at 200us$")
        at_200, at_400, again, there, begin, last = re.findall(r"digest = (\w{16})", text)
        self.assertEqual((at_200, at_400), (again, there))
        self.assertEqual(last, at_200)
        self.assertEqual(len({at_200, at_400, begin}), 3)
        # Inspection changes nothing: the results equal those of a run without the prompt.
        self.assertEqual(figures(self.folder / "out"), figures(self.folder / "plain"))
        for file in ("flows.csv", "series/flow_rates.csv"):
            self.assertEqual((self.folder / "out" / file).read_bytes(),
                             (self.folder / "plain" / file).read_bytes())

    def test_to_where_something_happened_last(self):
        text = self.session("until cut", "read digest", "until cut", "read digest", "until 400us",
                            "goto 60us", "until cut", "until cut", "step", "back until cut",
                            "read digest", "back until cut", "read digest", "back until released")
        self.expect(text, r"^host \d, slot 0, flow number 2: cut at (.*)$", r": cut at ",
                    r"^paused at 60us$", r": cut at ", r": cut at ", r"^stepped at ", r": cut at ", r": cut at ",
                    r"^that has not happened before: paused at ")
        first, second, same_second, same_first = re.findall(r"digest = (\w{16})", text)
        self.assertEqual((first, second), (same_first, same_second))

    def test_until_a_value_changes(self):
        value = "host2.slots_in_use"
        text = self.session(f"until change {value}", "read digest", "until 300us", f"back until change {value}",
                            "read digest", "back step", f"read {value}")
        self.expect(text, rf"^{value}: 0 -> 1, at (\S+)$", rf"^{value}: 0 -> 1, at (\S+)$", r"^stepped back at ",
                    rf"^{value} = 0$")
        here, again = re.findall(r"digest = (\w{16})", text)
        self.assertEqual(here, again)

    def test_until_a_register_changes_both_ways(self):
        rate = "host2.dcc.slots[0].RATE"
        text = self.session("until cut", f"until {rate} changes", "read digest", f"until {rate} changes",
                            f"back until {rate} changes", "read digest")
        change = r"^" + re.escape(rate) + r": (0x\w+) -> (0x\w+), at (\S+)$"
        first, second, back = re.findall(change, text, re.MULTILINE)
        self.assertEqual(first[1], second[0])
        self.assertEqual(back, first)
        here, again = re.findall(r"digest = (\w{16})", text)
        self.assertEqual(here, again)

    def test_random_moves_end_in_equal_states(self):
        draw = random.Random(11)
        times = [draw.randrange(1000, 500_000) for _ in range(60)]  # times in ns
        at = 0
        commands = []
        for _ in range(MOVES):
            to = draw.choice(times)
            how = draw.random()
            if to < at and how < 0.4:
                commands.append(f"back {at - to}ns")
            elif to > at and how < 0.4:
                commands.append(f"run {to - at}ns")
            elif to != at and how < 0.9:
                commands.append(f"goto {to}ns")
            else:
                steps = draw.randrange(1, 300)
                commands += [f"step {steps}", f"back step {steps}"]
                to = at
            at = to
            commands += ["time", "read digest"]
        text = self.session(*commands, "quit", status=1)
        seen = {}
        looks = re.findall(r"^(\S+s)\ndigest = (\w{16})$", text, re.MULTILINE)
        self.assertEqual(len(looks), MOVES)
        for moment, digest in looks:
            # After a step back the time is the same, but some events of that time may not have happened yet.
            seen.setdefault(moment, set()).add(digest)
        self.assertTrue(all(len(digests) == 1 for digests in seen.values()), seen)
        self.assertGreater(len({next(iter(d)) for d in seen.values()}), 50)

    def test_what_cannot_be(self):
        text = self.session("back 1us", "back", "back step 3", "back until nonsense", "back until change nothing",
                            "goto", "goto x", "until 100us", "back 200us", "back step 0")
        self.expect(text, r"^that is before the beginning of the run: it is 0us$", r"^back by what\?",
                    r"^only 0 events have happened so far$", r"^'nonsense' is neither",
                    r"nothing: no such value", r"^go to what time\?$", r"^go to what time\?$",
                    r"that is before the beginning of the run: it is 100us", r"^only \d+ events have happened")
        for options, reason in ((("--no-snapshots",), "--no-snapshots"),
                                (("-c", "output.trace.signals=true"), "traces")):
            text = self.session("until 100us", "back 50us", "goto 10us", options=options)
            self.expect(text, f"^going back is not possible: .*{reason}", f"^going back is not possible: .*{reason}")

    def test_who_ends_it_ends_all_of_it(self):
        run = subprocess.Popen(self.words(), cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
        run.stdin.write("until 300us\nback 100us\nback 100us\ntime\n")
        run.stdin.flush()
        while run.stdout.readline() != "100us\n":
            pass
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(timeout=PATIENCE), -signal.SIGTERM)
        run.stdout.read()  # read() returns after the last process of the run has ended
        time.sleep(0.1)
        left = [entry for entry in os.listdir(self.folder) if entry != "t.yaml"]
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()

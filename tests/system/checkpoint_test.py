#!/usr/bin/python3
"""A checkpoint on disk: what comes of it is the run, and whatever is not the run's is refused.

  checkpoint_test.py BUILD/dccvp
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import PATIENCE, SMALL_INCAST, figures

DCCVP = sys.argv.pop(1)


class Checkpoint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="dccvp-checkpoint-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "t.yaml").write_text(SMALL_INCAST, encoding="utf-8")

    def dccvp(self, *words, status=0, text="", program=DCCVP):
        done = subprocess.run([program, *words], cwd=self.folder, text=True, input=text,
                              capture_output=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def made(self, *options, at="300us", config="t.yaml"):
        self.dccvp("run", config, "--quiet", "--out", "whole", "--force", "--checkpoint", "c.yaml",
                   "--checkpoint-at", at, *options)
        return (self.folder / "c.yaml").read_text(encoding="utf-8")

    def same_as_whole(self, folder):
        self.assertEqual(figures(self.folder / folder), figures(self.folder / "whole"))
        for file in ("flows.csv", "series/flow_rates.csv"):
            self.assertEqual((self.folder / folder / file).read_bytes(),
                             (self.folder / "whole" / file).read_bytes())

    def test_leads_to_the_same_run(self):
        self.made()
        (self.folder / "t.yaml").unlink()
        self.dccvp("resume", "c.yaml", "--quiet", "--out", "again")
        self.same_as_whole("again")
        self.dccvp("resume", "c.yaml", "--quiet", "--threads", "2", "--out", "threads")
        self.same_as_whole("threads")

    def test_prompt_comes_at_its_moment(self):
        self.made()
        there = self.dccvp("run", "t.yaml", "--interactive", "--quiet", "--out", "look",
                           text="until 300us\nread digest\nrun\n")
        back = self.dccvp("resume", "c.yaml", "--interactive", "--quiet", "--out", "back",
                          text="read digest\nback 100us\ngoto 300us\nread digest\nrun\n")
        (digest,) = re.findall(r"digest = \w{16}", there)
        self.assertEqual(re.findall(r"digest = \w{16}", back), [digest, digest])
        self.assertEqual(re.findall(r"^paused at (.*)$", back, re.MULTILINE), ["300us", "200us", "300us"])
        self.same_as_whole("back")

    def test_at_both_ends_of_the_run(self):
        for at in ("0us", "500us"):
            with self.subTest(at=at):
                self.made("-c", "duration=500us", at=at)
                self.dccvp("resume", "c.yaml", "--quiet", "--force", "--out", "again")
                self.same_as_whole("again")

    def test_says_which_device_is_another(self):
        text = self.made()
        device, digest = re.search(r'^  "(s0)": \'(\w{16})\'$', text, re.MULTILINE).groups()
        other = text.replace(digest, f"{int(digest, 16) ^ 1:016x}")
        (self.folder / "c.yaml").write_text(other, encoding="utf-8")
        said = self.dccvp("resume", "c.yaml", "--quiet", "--out", "again", status=2)
        self.assertIn(f"at 300us this is not the run of the checkpoint: {device} (", said)
        self.assertFalse((self.folder / "again").exists())
        # A device less, a device more.
        fewer = re.sub(r'^  "s0": .*\n', "", text, flags=re.MULTILINE)
        for changed, name in ((fewer, "s0"), (text + "  moon: '0123456789abcdef'\n", "moon")):
            (self.folder / "c.yaml").write_text(changed, encoding="utf-8")
            self.assertIn(f"checkpoint: {name} (",
                          self.dccvp("resume", "c.yaml", "--quiet", "--out", "again", status=2))

    def test_a_file_it_names_has_changed(self):
        text = (self.folder / "t.yaml").read_text(encoding="utf-8")
        text = re.sub(r"traffic:.*", "traffic:\n  - {kind: trace, file: t.flow}\n", text, flags=re.DOTALL)
        (self.folder / "t.yaml").write_text(text, encoding="utf-8")
        flows = "2\n1 0 3 100 2000000 0\n2 0 3 100 2000000 {}\n"
        (self.folder / "t.flow").write_text(flows.format("0.00001"), encoding="utf-8")
        self.made()
        self.dccvp("resume", "c.yaml", "--quiet", "--out", "again")
        (self.folder / "t.flow").write_text(flows.format("0.00002"), encoding="utf-8")
        said = self.dccvp("resume", "c.yaml", "--quiet", "--out", "changed", status=2)
        self.assertIn("did a file change that its configuration names?", said)

    def test_another_build_is_refused(self):
        self.made()
        other = self.folder / "dccvp"
        shutil.copy(DCCVP, other)
        with other.open("ab") as file:
            file.write(b"\0")
        said = self.dccvp("resume", "c.yaml", "--quiet", "--out", "again", status=2, program=other)
        self.assertRegex(said, r"c\.yaml:3:\d+: another build of dccvp wrote this checkpoint \(\w{16}, this is")

    def test_another_configuration_is_refused(self):
        text = self.made()
        said = self.dccvp("resume", "c.yaml", "-c", "switch.ecn.kmin=7KB", "--out", "again", status=2)
        self.assertIn("a checkpoint is of its own configuration: ", said)
        self.assertIn("cannot become 'kmin: 7KB'", said)
        self.dccvp("resume", "c.yaml", "-c", "output.digest.every=100us", "--quiet", "--out", "again")
        self.assertTrue((self.folder / "again/digest.csv").exists())
        # In the file itself: its seed is told twice, and the rest shows in the state.
        (self.folder / "c.yaml").write_text(text.replace("\n  seed: 1\n", "\n  seed: 2\n"), encoding="utf-8")
        self.assertIn("its configuration has seed 2, not 1",
                      self.dccvp("resume", "c.yaml", "--out", "b", status=2))
        self.assertRegex(text, r"kmin: \w+")
        (self.folder / "c.yaml").write_text(re.sub(r"kmin: \w+", "kmin: 6KB", text, count=1), encoding="utf-8")
        self.assertIn("this is not the run of the checkpoint",
                      self.dccvp("resume", "c.yaml", "--out", "b", status=2))

    def test_a_configuration_that_goes_on_where_the_other_ends_is_refused(self):
        promise = "{metric: aggregate.drops, min: 0}"
        self.made("-c", f"expect=[{promise}]")
        said = self.dccvp("resume", "c.yaml", "-c", f"expect.+={promise}", "--out", "again", status=2)
        self.assertRegex(said, r"its own configuration: '.*drops.*' cannot be added \(only output and gdb may")
        self.made("-c", f"expect=[{promise}, {promise}]")
        said = self.dccvp("resume", "c.yaml", "-c", f"expect=[{promise}]", "--out", "again", status=2)
        self.assertRegex(said, r"its own configuration: '.*drops.*' cannot be left out \(only output and gdb")
        self.dccvp("resume", "c.yaml", "-c", f"expect=[{promise}, {promise}]", "--quiet", "--out", "again")

    def test_bad_files(self):
        text = self.made()
        cases = [
            ("", "empty"), ("duration: 1ms\n", "no checkpoint"), ("- a\n", "no checkpoint"),
            (text.replace("checkpoint: 1", "checkpoint: 2"), "form that is not known"),
            (text.replace("checkpoint: 1", "checkpoint: x"), "checkpoint: "),
            (text.replace("\nat: 300us", "\nat: soon"), "at: "),
            (text.replace("\nat: 300us", "\nat: 3s"), "its run goes from 0us to"),
            (text.replace("\nat: 300us", "\nat: -3us"), "must not be negative"),
            (text.replace("\nat: 300us", ""), "'at' is missing"),
            (text.replace("\nat: 300us", "\nat: [1]"), "at: unexpected"),
            (re.sub(r"build: '\w+'", "build: 'xyz'", text), "16 hexadecimal digits"),
            (re.sub(r"plugins: '\w+'", "plugins: '0123456789abcdef'", text), "plug-ins are others"),
            (re.sub(r"state:.*", "state: 7\n", text, flags=re.DOTALL), "state: unexpected"),
            (re.sub(r"\"s0\": '\w+'", "\"s0\": [x]", text), "16 hexadecimal digits"),
            (re.sub(r"configuration: \|\n(  .*\n)+", "configuration: 'hosts'\n", text), "configuration"),
        ]
        for content, words in cases:
            with self.subTest(words=words):
                self.assertNotEqual(content, text)
                (self.folder / "c.yaml").write_text(content, encoding="utf-8")
                said = self.dccvp("resume", "c.yaml", "--out", "again", status=2)
                self.assertIn(words, said)
                self.assertIn("c.yaml", said)
                self.assertEqual(said.count("\n"), 1, said)
        lines = text.splitlines(keepends=True)
        for count in range(0, len(lines), 7):  # cut short anywhere: never another run, never a crash
            (self.folder / "c.yaml").write_text("".join(lines[:count]), encoding="utf-8")
            self.dccvp("resume", "c.yaml", "--out", "again", status=2)
        for name in ("nothing.yaml", ".", "/dev/zero"):
            self.dccvp("resume", name, "--out", "again", status=2)

    def test_bad_requests(self):
        for words, said in ((("--checkpoint", "c.yaml"), "--checkpoint-at"),
                            (("--checkpoint-at", "1us"), "--checkpoint"),
                            (("--checkpoint", "c.yaml", "--checkpoint-at", "soon"), "soon"),
                            (("--checkpoint", "c.yaml", "--checkpoint-at", "9s"), "the run goes from 0us to"),
                            (("--checkpoint", "none/c.yaml", "--checkpoint-at", "1us"), "none/c.yaml")):
            with self.subTest(words=words):
                self.assertIn(said, self.dccvp("run", "t.yaml", "--quiet", "--out", "whole", *words, status=2))
                self.assertFalse((self.folder / "whole").exists())

    def test_nothing_is_replaced_unasked(self):
        words = ("run", "t.yaml", "--quiet", "--out", "whole", "--checkpoint-at", "1us", "--checkpoint")
        config = self.folder / "t.yaml"
        self.assertIn("not replaced", self.dccvp(*words, "t.yaml", "--force", status=2))
        self.assertEqual(config.read_text(encoding="utf-8"), SMALL_INCAST)
        before = self.made()
        self.assertIn("--force replaces it", self.dccvp(*words[:4], "other", *words[5:], "c.yaml", status=2))
        self.assertEqual((self.folder / "c.yaml").read_text(encoding="utf-8"), before)
        self.assertIn("is a folder", self.dccvp(*words, ".", "--force", status=2))
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), ["c.yaml", "t.yaml", "whole"])


if __name__ == "__main__":
    unittest.main()

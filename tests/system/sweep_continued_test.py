#!/usr/bin/python3
"""Tests the continuation of sweeps that were killed, altered, extended, or run on Snakemake.

  sweep_continued_test.py BUILD/dccvp
"""

import json
import os
import shutil
import signal
import subprocess
import time

from harness import PATIENCE

import sweeps
from sweeps import GRID, HEAD, HOLDING, METRICS, ROOT, SETTINGS, TOOL, VIEWS, Sweeps

from dccvp.experiments import folder as folders  # noqa: E402
from dccvp.experiments import identity  # noqa: E402


class Continued(Sweeps):
    def markers(self, out):
        return {p.name: p.stat().st_mtime_ns for p in (self.folder / out / "done").glob("*.json")}

    def test_a_kill_half_way_costs_only_what_was_under_way(self):
        name = self.write(HEAD + GRID + METRICS + VIEWS)
        holding = self.folder / "holding"
        holding.write_text(HOLDING.format(folder=self.folder, dccvp=sweeps.DCCVP))
        holding.chmod(0o755)
        program = (*TOOL, holding)
        self.sweep(name, "-j", "2", "--out", "whole", "--no-plots", program=program)
        self.assertEqual(len(self.table("whole")), 24)

        (self.folder / "hold").touch()
        process = subprocess.Popen([*program, name, "-j", "2", "--out", "killed"], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        while len(traces := list(self.folder.glob("killed/points/.*.tmp-*/trace"))) < 2:
            self.assertIsNone(process.poll(), "ended by itself")
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for trace in traces:  # the runs of points must end together with the sweep command
            while folders.alive(trace.parent.name.split(".tmp-")[1]):
                time.sleep(0.02)
        (self.folder / "hold").unlink()
        before = self.markers("killed")
        self.assertIn(len(before), (9, 10))
        self.assertFalse((self.folder / "killed/table.csv").exists())

        self.sweep(name, "-j", "2", "--out", "killed", program=program)
        after = self.markers("killed")
        self.assertEqual(len(after), 24)
        self.assertEqual({n: after[n] for n in before}, before, "a finished point was run again")
        self.assertEqual((self.folder / "killed/table.csv").read_bytes(),
                         (self.folder / "whole/table.csv").read_bytes())
        self.assertEqual([p for p in (self.folder / "killed").rglob(".*")], [], "left half done")

        self.sweep(name, "-j", "2", "--out", "killed", "--no-plots", program=program)
        self.assertEqual(self.markers("killed"), after, "nothing was missing")
        # A sweep keeps its results when values are added.
        self.write(HEAD + GRID.replace("1..2", "1..3") + METRICS + VIEWS)
        self.sweep(name, "-j", "2", "--out", "killed", "--no-plots", program=program)
        grown = self.markers("killed")
        self.assertEqual(len(grown), 36)
        self.assertEqual({n: grown[n] for n in after}, after)

    def test_what_was_cut_short_or_taken_away_is_run_again(self):
        name = self.write(HEAD + METRICS + "seeds: 1..3\n")
        self.sweep(name, "--out", "o")
        whole, markers = self.table("o"), sorted((self.folder / "o/done").glob("*.json"))
        markers[0].write_text('{"status": "o')
        shutil.rmtree(self.folder / "o/points" / markers[1].stem)
        before = self.markers("o")
        self.sweep(name, "--out", "o")
        self.assertEqual(self.table("o"), whole)
        after = self.markers("o")
        self.assertEqual([before[m.name] != after[m.name] for m in markers], [True, True, False])
        (self.folder / "o/plan.json").write_text("{}")
        for arguments in (("--collect", "o"), ("--collect", "none"), ("--point", "o", "x")):
            done = self.sweep(*arguments, code=2, program=TOOL)
            self.assertRegex(done.stderr, r"\Adccvp: '\w+' is no sweep's folder: .+\n\Z")

    def test_altered_and_swapped_results_are_detected(self):
        name = self.write(HEAD + METRICS + "seeds: 1..3\n")
        self.sweep(name, "--out", "o")
        whole, points = self.table("o"), [self.folder / "o/points" / row["id"] for row in self.table("o")]
        metrics = points[0] / "metrics.json"
        metrics.write_text(metrics.read_text().replace("goodput_gbps", "goodput_mbps"))
        done = self.sweep("--collect", "o", code=2, program=TOOL)
        self.assertRegex(done.stderr, r"\Adccvp: '.+' do not belong together: .+; run the sweep again\n\Z")
        points[1].rename(self.folder / "o/points/x")
        points[2].rename(points[1])
        (self.folder / "o/points/x").rename(points[2])
        done = self.sweep(name, "--out", "o")
        self.assertEqual(done.stderr.count("its results were changed after the run; it is run again"), 3)
        self.assertEqual(self.table("o"), whole)
        first, second = (self.folder / f"o/done/{point.name}.json" for point in points[:2])
        first.write_bytes(second.read_bytes())
        self.assertIn("point 1: its results were changed", self.sweep(name, "--out", "o").stderr)

    def test_a_folder_of_an_earlier_release_can_be_read(self):
        name = self.write(HEAD + METRICS + "seeds: 1..2\n")
        self.sweep(name, "--out", "o")
        whole = (self.folder / "o/table.csv").read_bytes()
        document = json.loads((self.folder / "o/plan.json").read_text())
        (self.folder / "o/plan.json").unlink()
        del document["limits"]
        (self.folder / "o/sweep.json").write_text(json.dumps(document))
        for marker in (self.folder / "o/done").iterdir():
            marker.write_text('{"status": "ok", "message": ""}')
        (self.folder / "o/table.csv").unlink()
        self.sweep("--collect", "o", program=TOOL)
        self.assertEqual((self.folder / "o/table.csv").read_bytes(), whole)
        self.sweep(name, "--out", "o")
        self.assertFalse((self.folder / "o/sweep.json").exists())
        self.assertEqual((self.folder / "o/table.csv").read_bytes(), whole)

    def test_a_second_command_in_the_same_folder_is_refused(self):
        name = self.write(HEAD + METRICS + "seeds: 1..2\n")
        (self.folder / "o").mkdir()
        with folders.Folder(self.folder / "o", {}).locked():
            done = self.sweep(name, "--out", "o", code=2)
        self.assertEqual(done.stderr, f"dccvp: 'o' is in use by another dccvp (process {os.getpid()}): wait for its "
                                      "end, or name another folder with --out\n")
        self.sweep(name, "--out", "o")

    def test_files_that_a_platform_names_belong_to_a_point(self):
        """A point's identity depends on extended files, traces and firmware, but not on comments and the order of
        keys."""
        self.write("topology: {kind: star, hosts: 3}\nhost: {driver: none}\n", "base.yaml")
        platform = ("extends: base.yaml\nduration: 100us\nmeasure: {to: 100us, from: 0us}\n"
                    "traffic: [{kind: trace, file: t.csv, format: csv}]\n")
        self.write(platform, "p.yaml")
        self.write("a trace", "t.csv")
        self.write("firmware", "a.elf")

        def names(*overrides):
            inputs = identity.Inputs(sweeps.DCCVP)
            return [inputs.name(self.folder / "p.yaml", words, self.folder) for words in ([], *overrides)]

        first, elf = names(["host.elf=a.elf"])
        self.assertNotEqual(first, elf)
        self.write("# why\n" + platform.replace("{to: 100us, from: 0us}", "{from: 0us, to: 100us}"), "p.yaml")
        self.assertEqual(names(["host.elf=a.elf"]), [first, elf])
        seen = {first}
        for file, text in (("base.yaml", "topology: {kind: star, hosts: 4}\nhost: {driver: none}\n"),
                           ("t.csv", "another trace"), ("p.yaml", platform.replace("100us", "90us"))):
            self.write(text, file)
            self.assertNotIn(names()[0], seen, file)
            seen.add(names()[0])
        before = names(["host.elf=a.elf"])
        self.write("other firmware", "a.elf")
        after = names(["host.elf=a.elf"])
        self.assertEqual((before[0], before[1] == after[1]), (after[0], False))

    def test_a_changed_base_runs_the_points_again(self):
        base = (ROOT / "configs/incast_8x25g.yaml").read_text()
        self.write(base, "base.yaml")
        self.write("extends: base.yaml\n", "p.yaml")
        name = self.write("platform: p.yaml\n" + SETTINGS + METRICS + "seeds: 1..2\n")
        self.sweep(name, "--out", "o")
        before = self.table("o")
        self.write(base.replace("25Gbps", "10Gbps"), "base.yaml")
        self.sweep(name, "--out", "o")
        self.assertLess(float(self.table("o")[0]["goodput"]), 0.5 * float(before[0]["goodput"]))

    def test_snakemake_makes_the_same_table(self):
        name = self.write(HEAD + GRID.replace("[5KB, 20KB, 100KB]", "[5KB]") + METRICS)
        self.sweep(name, "-j", "2", "--out", "here")
        self.sweep(name, "--snakemake", "flow")
        self.assertFalse((self.folder / "flow/done").exists(), "only the workflow is written")
        environment = {**os.environ, "HOME": str(self.folder)}
        done = subprocess.run(["snakemake", "-j2", "--quiet"], cwd=self.folder / "flow",
                              capture_output=True, text=True, timeout=PATIENCE,
                              check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        for file in ("table.csv", "results.sqlite"):
            self.assertEqual((self.folder / "flow" / file).read_bytes(),
                             (self.folder / "here" / file).read_bytes(), file)


if __name__ == "__main__":
    sweeps.main()

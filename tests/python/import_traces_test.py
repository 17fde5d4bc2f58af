"""Tests the import of traces of training jobs (GOAL, Chakra, astra-sim) as flows and computations that depend on each
other."""

import collections
import csv
import decimal
import json
import subprocess

import import_samples as samples
import package
from import_case import Import

from dccvp.common.ending import InputError
from dccvp.importers import astra, chakra, goal, waiting


class Traces(Import):
    def test_goal(self):
        imported, _ = self.read(goal, g_goal=samples.GOAL)
        self.assertEqual(self.lines(imported), [
            "compute 0 2us id=c0", "0 1 0 100 125000 0 id=f1 after=c0", "compute 0 300ns processor=1 after=c0",
            "1 2 0 100 10 0 after=f1"])
        self.assertIn("2 of 2 flows wait", self.said(imported))
        self.assertIn("18:1: rank 2 has no label 'out' above",
                      self.refused(goal, g_goal=samples.GOAL.replace("nic 1\n", "nic 1\nin requires out\n")))
        self.assertIn("the file ends before the end of rank 2", self.refused(goal, g_goal=samples.GOAL[:-2]))

    def test_a_message_that_nobody_sends_is_told(self):
        imported, _ = self.read(goal, g_goal=samples.GOAL.replace("send 10b to 2", "calc 5"))
        self.assertIn("1 operation that never end", self.said(imported))

    def test_ranks_of_one_host(self):
        imported, yaml = self.read(goal, {"ranks_per_host": "2"}, g_goal=samples.GOAL)
        self.assertEqual(self.lines(imported), [
            "compute 0 2us id=c0", "compute 0 0us id=c1 after=c0", "compute 0 300ns processor=1 after=c0",
            "0 1 0 100 10 0 after=c1"])
        self.assertEqual(yaml["topology"]["hosts"], 2)
        self.assertEqual([node.origin for node in imported.nodes[:2]], ["ranks 0 to 1", "rank 2"])
        self.assertIn("1 send between ranks of one host", self.said(imported))
        text = samples.GOAL.replace("on: send", "calc 5\non: send")
        second, _ = self.read(goal, {"ranks_per_host": "2"}, g_goal=text)
        self.assertIn("compute 0 5ns processor=128", self.lines(second), "rank 1 has processors of its own")
        with self.assertRaisesRegex(InputError, "ranks_per_host=65: 1 to 64"):
            self.read(goal, {"ranks_per_host": "65"}, g_goal=samples.GOAL)
        self.assertIn("8:1: cpu 128; with 2 ranks on a host 0 to 127", self.refused(
            goal, {"ranks_per_host": "2"}, g_goal=samples.GOAL.replace("cpu 1", "cpu 128")))
        both = {"a.0_json": samples.CHAKRA_0, "a.1_json": samples.CHAKRA_1}
        together, _ = self.read(chakra, {"ranks_per_host": "2"}, **both)
        self.assertTrue(all(line.startswith("compute") for line in self.lines(together)))

    def test_chakra_in_three_forms(self):
        imported, yaml = self.read(chakra, **{"t.0_json": samples.CHAKRA_0, "t.1_json": samples.CHAKRA_1})
        # An all-reduce of two ranks has two steps and begins when both ranks have reached it. Rank 0 sends after it
        # has received the last step.
        self.assertEqual(self.lines(imported), [
            "compute 0 10us id=c0", "compute 0 0us id=c1 after=c0", "0 1 0 100 50000 0 id=f2 after=c1",
            "1 0 0 100 50000 0 id=f3 after=c1", "0 1 0 100 50000 0 after=c1,f3", "1 0 0 100 50000 0 id=f5 after=c1,f2",
            "0 1 0 100 77 0 after=c1,f5"])
        each, _ = self.read(chakra, {"begin": "each"}, **{"t.0_json": samples.CHAKRA_0, "t.1_json": samples.CHAKRA_1})
        self.assertEqual(self.lines(each), [
            "compute 0 10us id=c0", "0 1 0 100 50000 0 id=f1 after=c0", "1 0 0 100 50000 0 id=f2",
            "0 1 0 100 50000 0 after=c0,f2", "1 0 0 100 50000 0 id=f4 after=f1", "0 1 0 100 77 0 after=c0,f4"])
        binary, again = self.read(chakra, **{"t.0_et": samples.CHAKRA_ET, "t.1_json": samples.CHAKRA_1})
        self.assertEqual((again["traffic"], self.lines(binary)), (yaml["traffic"], self.lines(imported)))
        self.assertIn("1:22: the file ends inside a message", self.refused(chakra, a_et=samples.CHAKRA_ET[:25]))
        self.assertIn("2:3: node 5 waits for 9", self.refused(chakra, a_json=samples.CHAKRA_0.replace("[]", "[9]")))
        self.assertIn("not JSON", self.refused(chakra, a_json=samples.CHAKRA_1[:-9]))

    def test_metadata_of_the_jsonizer_is_no_node(self):
        metadata = '{"version": "0.0.4", "attr": [{"name": "schema", "stringVal": "1.0.2"}]}\n'
        _, rest = samples.CHAKRA_1.split("\n", 1)
        one, _ = self.read(chakra, a_0_json=samples.CHAKRA_0, a_1_json=metadata + rest)
        other, _ = self.read(chakra, b_0_json=samples.CHAKRA_0, b_1_json=samples.CHAKRA_1)
        self.assertEqual(self.lines(one), self.lines(other))

    def test_ranks_by_the_names_of_files(self):
        for names, ranks, told in ((["t.1.et.gz", "t.0.json"], [1, 0], False), (["t.7.et"], [7], False),
                                   (["rank_10.json", *(f"rank_{i}.json" for i in range(10))], [10, *range(10)], False),
                                   (["trace_128.json"], [0], False), (["b.json", "a.json"], [0, 1], True),
                                   (["a_5.json", "a_6.json"], [0, 1], True)):
            self.assertEqual(chakra._ranks_of(names), (ranks, told), names)
        imported, _ = self.read(chakra, x_json=samples.CHAKRA_0, y_json=samples.CHAKRA_1)
        self.assertIn("in the order given", self.said(imported))

    def test_steps_of_collectives(self):
        """Checks senders, receivers and order of flows, and that no flow begins before its data has arrived."""
        for kind, sent in (("all_reduce", 12), ("reduce_scatter", 6), ("all_gather", 6), ("all_to_all", 6),
                           ("barrier", 6), ("broadcast", 2), ("scatter", 2), ("gather", 2), ("reduce", 2)):
            with self.subTest(kind):
                lines = waiting.Lines()
                begins = [[lines.compute(rank, 1000)] for rank in range(3)]
                ends = lines.collective(kind, [0, 1, 2], 3000, begins)
                flows = {line.name: line for line in lines.lines if line.computes is None}
                self.assertEqual(len(flows), sent)
                self.assertEqual({flow.bytes for flow in flows.values()}, {1} if kind == "barrier" else
                                 {3000} if kind in ("all_gather", "gather", "broadcast", "reduce") else {1000})
                for flow in flows.values():
                    self.assertIn(begins[flow.source][0], flow.after)
                    for name, _ in flow.after:
                        self.assertIn(flow.source, (lines.lines[int(name[1:])].target,))
                self.assertEqual([len(events) > 0 for events in ends], [True] * 3)
        self.assertEqual(waiting.Lines().collective("all_reduce", [4], 10, [[("x", False)]]), [[("x", False)]])

    def test_astra(self):
        imported, yaml = self.read(astra, n_yml=samples.ASTRA_NETWORK, w_txt=samples.ASTRA_WORKLOAD)
        self.assertEqual(len(imported.hosts()), 6)
        wires = [link for link in yaml["topology"]["links"] if link["rate"] == "42.94967296Gbps"]
        self.assertEqual(len(wires), 6, "two groups of three, each pair: 5 GB/s of 2^30 bytes")
        entries = yaml["traffic"]
        rings = [(entry["shape"], entry["hosts"], entry["bytes"]) for entry in entries if entry["kind"] == "collective"]
        self.assertEqual(rings[:3], [("ring_all_reduce", ["0..1"], "4KB"), ("ring_all_reduce", ["2..3"], "4KB"),
                                     ("ring_all_reduce", ["4..5"], "4KB")])
        self.assertEqual(rings[6:8], [("ring_reduce_scatter", [0, 2, 4], "60KB"),
                                      ("ring_reduce_scatter", [1, 3, 5], "60KB")])
        self.assertEqual(rings[8:], [("ring_all_reduce", [0, 2, 4], "60KB"), ("ring_all_reduce", [1, 3, 5], "60KB")])
        # Order of the computations: forward pass of both layers; backward pass of the second layer, its weights, the
        # first layer with its update; the last update.
        self.assertEqual([(entry["id"], entry["time"]) for entry in entries if entry["kind"] == "compute"],
                         [("compute0", "3us"), ("compute1", "2us"), ("compute2", "500ns"), ("compute3", "1.51us"),
                          ("compute4", "10ns")])
        # Each entry waits for earlier entries of its rank: the second entry for compute0, the fifth entry for all
        # four before it.
        self.assertEqual(entries[0].get("after"), None)
        self.assertEqual(entries[1]["after"], {"flows": ["compute0"], "scope": "host"})
        self.assertEqual(entries[4]["after"], {"flows": ["compute0", *(entry["id"] for entry in entries[1:4])],
                                               "scope": "host"})
        self.assertIn("the file ends after 1 of 2 layers",
                      self.refused(astra, {"npus": "4"}, w_txt=samples.ASTRA_WORKLOAD[:-90]))

    def test_first_lines_and_layers_of_older_workloads(self):
        text = ("HYBRID_DLRM\t4\t\t\n2\t\t\n"
                "Embedding\t-1\t300\tALLTOALL\t98304\t300\tALLTOALL\t98304\t300\tNONE\t0\t98\n"
                "MLP\t-1\t1280\tNONE\t0\t794\tNONE\t0\t896\tALLREDUCE\t13312\t13\tMODEL\n")
        imported, yaml = self.read(astra, {"npus": "4"}, w_txt=text)
        collectives = [(one["shape"], one["hosts"]) for one in yaml["traffic"] if one["kind"] == "collective"]
        self.assertEqual(collectives, [("all_to_all", ["0..3"]), ("ring_all_reduce", ["0..3"]),
                                       ("all_to_all", ["0..3"])])
        for words in ("'4' behind the policy", "policies of single layers (MODEL)"):
            self.assertIn(words, self.said(imported))


def recursive_doubling(ranks, size):
    """Returns the GOAL text of an iteration of recursive doubling. Each rank computes, exchanges `size` bytes with
    the ranks at distances 1, 2, 4, ..., and computes again."""
    text = f"num_ranks {ranks}\n"
    for rank in range(ranks):
        text += f"rank {rank} {{\nb: calc {10000 + 100 * (rank % 7)}\n"
        last = "b"
        for bit in range((ranks - 1).bit_length()):
            peer = rank ^ 1 << bit
            text += f"s{bit}: send {size}b to {peer} tag {bit}\ns{bit} requires {last}\n"
            text += f"r{bit}: recv {size}b from {peer} tag {bit}\nr{bit} requires {last}\n"
            last = f"r{bit}"
        text += f"u: calc 5000\nu requires {last}\n}}\n"
    return text


class Runs(Import):
    def run_of(self, importer, **texts):
        """Runs the imported platform. Returns metrics.json and the rows of timeline.csv."""
        net, out = self.folder / "net", self.folder / "out"
        for words in (("import", importer, *self.files(**texts), "-o", net),
                      ("run", net / "network.yaml", "--no-plots", "--quiet", "--out", out)):
            done = subprocess.run([str(package.DCCVP), *map(str, words)], capture_output=True, encoding="utf-8",
                                  stdin=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        with open(out / "timeline.csv", encoding="utf-8", newline="") as file:
            rows: list[dict] = list(csv.DictReader(file))
        with open(out / "metrics.json", encoding="utf-8") as file:
            return json.load(file), rows

    def test_an_iteration_of_layers(self):
        """A rank computes 3 + 2 + 0.5 + 1.51 + 0.01 us. Each computation begins at the picosecond at which the rank
        has received everything that was sent to it since its previous computation."""
        metrics, rows = self.run_of("astra", n_yml=samples.ASTRA_NETWORK, w_txt=samples.ASTRA_WORKLOAD)
        found = metrics["dependencies"]
        self.assertEqual(found["never_begun"], 0)
        for rank in found["ranks"]:
            self.assertAlmostEqual(rank["computing_s"], 7.02e-6, 12)
            computes = [row for row in rows if row["kind"] == "compute" and int(row["from"]) == rank["host"]]
            self.assertEqual(len(computes), 5)
            for before, row in zip(computes, computes[1:]):
                ends = {float(flow["end_s"]): flow["end_s"] for flow in rows
                        if flow["kind"] == "flow" and int(flow["to"]) == rank["host"]
                        and float(before["end_s"]) < float(flow["end_s"]) <= float(row["start_s"])}
                self.assertEqual(ends[max(ends)], row["start_s"])
        # Numbers of steps: six rings of two ranks take 2 * 2 steps each; four rings of three ranks take 2 * 2 and 4
        # steps.
        self.assertEqual(sum(row["kind"] == "flow" for row in rows), 6 * 2 * 2 + 2 * 3 * 2 + 2 * 3 * 4)

    def test_an_iteration_of_128_ranks(self):
        """Every send begins at the picosecond at which its dependencies have ended, and the end time of the
        iteration is exact."""
        metrics, rows = self.run_of("goal", g_goal=recursive_doubling(128, 4000))
        self.assertEqual(sum(row["kind"] == "flow" for row in rows), 128 * 7)
        sent = collections.defaultdict(list)
        for row in rows:
            row["start"], row["end"] = (decimal.Decimal(row[name]) for name in ("start_s", "end_s"))
            if row["kind"] == "flow":
                sent[int(row["from"]), int(row["to"])].append(row)
        began = {int(row["from"]): row["end"] for row in rows if row["kind"] == "compute" and row["start"] == 0}
        for rank in range(128):
            ready = began[rank]
            for bit in range(7):
                self.assertEqual(sent[rank, rank ^ 1 << bit][0]["start"], ready)
                ready = max(ready, sent[rank ^ 1 << bit, rank][0]["end"])
            last = max(row["end"] for row in rows if row["kind"] == "compute" and int(row["from"]) == rank)
            self.assertEqual(last, ready + decimal.Decimal("5e-6"))
        found = metrics["dependencies"]
        self.assertEqual(found["never_begun"], 0)
        self.assertAlmostEqual(found["completion_s"], float(max(row["end"] for row in rows)), 11)
        self.assertEqual(found["critical_path"][0]["kind"], "compute")
        self.assertEqual(len(found["ranks"]), 128)


if __name__ == "__main__":
    package.main()

"""Imports the samples of other formats in tests/python/samples, and compares the result with the meaning that the
authors of the samples state. Every truncated sample gives a platform or an error of one line with its place."""

import fractions
import json
import pathlib
import re
import subprocess
import typing

import package
from import_case import Import

from dccvp.common.ending import InputError
from dccvp.importers import (astra, chakra, csv_flows, export_files, goal, hpcc, htsim, mlx5, sizes, sndlib, sonic,
                             write)

SAMPLES = pathlib.Path(__file__).parent / "samples"
SETS: tuple[typing.Any, ...] = (
    (hpcc, "hpcc_small.topology.txt", "hpcc_small.flow.txt", "hpcc_small.config.txt"), (hpcc, "simai_2x2.topo"),
    (htsim, "htsim_leaf.topo", "htsim_chain.cm"), (goal, "goal_pingpong.goal"),
    (chakra, "chakra_two_ranks.0.json", "chakra_two_ranks.1.json"), (astra, "astra_network.yml"),
    (sonic, "sonic_small.json"), (mlx5, "mlx5_cc_params.txt"), (sndlib, "sndlib_small.txt"),
    (sizes, "hpcc_style.cdf", "ns2_style.cdf", "homa_style.cdf"), (csv_flows, "flows.csv"),
    (csv_flows, "ns3_four.flow"))


class Meaning(Import):
    def sample(self, module, *names):
        """Imports samples. Returns (Imported, YAML document)."""
        imported = module.read_files([str(SAMPLES / name) for name in names], {})
        return imported, write.prepare(imported, "x")

    def test_hpcc(self):
        imported, yaml = self.sample(hpcc, "hpcc_small.config.txt")
        links = {(link["from"], link["to"]): (link["rate"], link["delay"]) for link in yaml["topology"]["links"]}
        self.assertEqual(links, {("h0", "s4"): ("25Gbps", "1us"), ("h1", "s4"): ("25Gbps", "1us"),
                                 ("h2", "s5"): ("25Gbps", "1us"), ("h3", "s5"): ("40Gbps", "2us"),
                                 ("s4", "s5"): ("100Gbps", "1.5us")})
        self.assertEqual([node.origin for node in imported.nodes], ["0", "1", "2", "3", "4", "5"])
        self.assertEqual([(fault["link"], fault["probability"]) for fault in yaml["faults"] if fault["kind"] == "loss"],
                         [("h3->s5", "0.0001"), ("s5->h3", "0.0001")])
        self.assertIn({"kind": "link_failure", "link": "s4--s5", "convergence": "0us", "start": "500us"},
                      yaml["faults"])
        self.assertEqual([(f.source, f.target, f.priority, f.port, f.bytes, f.start - imported.time_offset)
                          for f in imported.flows["flows.flow"]],
                         [(0, 2, 3, 100, 1_000_000, 0), (1, 2, 3, 200, 64, 10**6), (3, 0, 1, 100, 2500, 10**6)])
        self.assertEqual(yaml["traffic"][0]["time_offset"], "2s")
        self.assertEqual(yaml["duration"], "1s")
        self.assertEqual(yaml["switch"]["buffer"], "32MiB")
        self.assertEqual(yaml["switch"]["ecn"], {"kmin": "100KB", "kmax": "400KB", "pmax": "0.2", "mark_at": "dequeue",
                                                 "reference_rate": "25Gbps"})
        self.assertEqual(yaml["nic"]["congestion_control"], {
            "algorithm": "dcqcn", "variant": "slotted", "preset": "reference", "alpha_timer": "1us",
            "decrease_period": "4us", "increase_timer": "900us", "g": "1/256", "f": 1, "r_ai": "40Mbps",
            "r_hai": "100Mbps", "clamp_target": "after_timer", "r_min": "100Mbps"})
        self.assertEqual(yaml["nic"]["mtu"], "1KB")
        self.assertNotIn("window", yaml["nic"])
        for words in ("2 lines behind the 5 links", "2 lines behind the 3 flows", "last one holds of RATE_AI"):
            self.assertIn(words, self.said(imported))

    def test_simai(self):
        _, yaml = self.sample(hpcc, "simai_2x2.topo")
        self.assertEqual([node["name"] for node in yaml["topology"]["nodes"]],
                         ["h0", "h1", "h2", "h3", "nv4", "nv5", "s6", "s7", "s8"])
        links = {(link["from"], link["to"]): (link["rate"], link["delay"]) for link in yaml["topology"]["links"]}
        self.assertEqual(len(links), 10)
        for gpu in range(4):
            self.assertEqual(links[f"h{gpu}", f"nv{4 + gpu // 2}"], ("2880Gbps", "25ns"))
            self.assertEqual(links[f"h{gpu}", f"s{6 + gpu % 2}"], ("400Gbps", "500ns"))
        self.assertEqual((links["s6", "s8"], links["s7", "s8"]), (("800Gbps", "500ns"), ("800Gbps", "500ns")))

    def test_htsim(self):
        imported, yaml = self.sample(htsim, "htsim_leaf.topo", "htsim_chain.cm")
        link = {"rate": "200Gbps", "delay": "1us", "overhead": "0B"}
        self.assertEqual(yaml["topology"], {"kind": "leaf_spine", "leaves": 2, "hosts_per_leaf": 4, "spines": 2,
                                            "host_link": link, "fabric_link": link})
        flows = {(f.source, f.target): f for f in imported.flows["flows.flow"]}
        name = {pair: f.name for pair, f in flows.items()}
        self.assertEqual({pair: (f.bytes, f.start) for pair, f in flows.items()}, {
            (0, 1): (100_000, 0), (1, 2): (50_000, 0), (3, 2): (70_000, 10**6), (2, 0): (4096, 0), (2, 3): (1, 0)})
        self.assertEqual(flows[1, 2].after, ((name[0, 1], True),), "acknowledged to the last byte")
        self.assertEqual(set(flows[2, 0].after), {(name[1, 2], False), (name[3, 2], False)}, "both received whole")
        self.assertEqual(flows[2, 3].after, ((name[2, 0], True),))
        with self.assertRaisesRegex(InputError, r"bad_counts\.cm:2:13: 3 connections announced, 2 found"):
            self.sample(htsim, "htsim_bad_counts.cm")

    def test_goal_and_chakra(self):
        imported, _ = self.sample(goal, "goal_pingpong.goal")
        self.assertEqual(self.lines(imported), [
            "compute 0 1us id=c0", "0 1 0 100 100 0 id=f1 after=c0", "compute 0 50ns processor=1 after=c0",
            "1 0 0 100 200 0 after=f1", "1 2 0 100 8 0 after=f1"])
        self.assertIn("the choice of a NIC in 1 operation", self.said(imported))
        imported, _ = self.sample(chakra, "chakra_two_ranks.0.json", "chakra_two_ranks.1.json")
        lines = self.lines(imported)
        self.assertEqual(lines[0], "compute 0 20us id=c0")
        self.assertEqual(lines[1], "compute 0 0us id=c1 after=c0", "both ranks begin when the last is there")
        self.assertEqual(sum("524288" in line for line in lines), 4, "two steps each way, half of 1 MiB each")
        self.assertRegex(lines[-1], r"^0 1 0 100 4096 0 after=c1,f5$")

    def test_astra(self):
        _, yaml = self.sample(astra, "astra_network.yml")
        links = {frozenset((link["from"], link["to"])): (link["rate"], link["delay"])
                 for link in yaml["topology"]["links"]}
        ring = [frozenset((f"npu{4 * group + i}_ports", f"npu{4 * group + (i + 1) % 4}_ports"))
                for group in (0, 1) for i in range(4)]
        for pair in ring:
            self.assertEqual(links[pair], ("429.4967296Gbps", "500ns"), "50 x 2^30 bytes a second")
        for i in range(4):
            for npu in (i, i + 4):
                self.assertEqual(links[frozenset((f"npu{npu}_ports", f"d1_s{i}"))], ("214.7483648Gbps", "2us"))

    def test_sonic(self):
        imported, yaml = self.sample(sonic, "sonic_small.json")
        switch = yaml["switch"]
        self.assertEqual(switch["buffer"], "18MiB", "16 MiB and the shared headroom of 2 MiB")
        self.assertEqual(switch["pfc"], {
            "shared_headroom": "2MiB", "alpha": "0.125", "headroom": "165KB", "resume_below": "4KiB",
            "priorities": [3, 4],
            "watchdog": {"detect": "200ms", "restore": "400ms", "action": "drop", "poll": "200ms"}})
        self.assertEqual(switch["ecn"], {"kmin": "100KB", "kmax": "400KB", "pmax": "0.2", "priorities": [3, 4]})
        self.assertEqual(switch["scheduler"], {"kind": "ets", "weights": [25, 1, 1, 75, 75, 1, 0, 1]})
        self.assertEqual(switch["priorities"][0], {"limit": "1MB"})
        for lossless in (3, 4):
            self.assertEqual(switch["priorities"][lossless]["resume_at"], "9KiB")
        self.assertEqual(yaml["dscp"], {26: {"priority": 3}, 30: {"priority": 4}, 48: {"priority": 6}})
        self.assertEqual(switch["priorities"][6], {"group": 0}, "DSCP 48 has queue 6, but counts in PG 0")
        self.assertEqual(imported.notes.not_expressed, [])

    def test_mlx5(self):
        imported, yaml = self.sample(mlx5, "mlx5_cc_params.txt")
        self.assertEqual(yaml["nic"], {
            "congestion_control": {
                "algorithm": "dcqcn", "preset": "adapter", "g": "5/1024", "alpha_timer": "1us",
                "initial_alpha": "1023/1024", "increase_timer": "300us", "byte_counter": "32767B", "f": 1,
                "r_ai": "5Mbps", "r_hai": "50Mbps", "r_min": "1Mbps", "r_max": "link", "cut_floor": "50/100",
                "clamp_target": "after_timer", "decrease_period": "4us"},
            "cnp": {"interval": "4us", "dscp": 48, "priority": 6}})
        self.assertEqual(imported.notes.not_expressed, ["roce_rp by priority (on for 3): it is on for all"])

    def test_sndlib(self):
        imported, yaml = self.sample(sndlib, "sndlib_small.txt")
        rates = {(link["from"], link["to"]): link["rate"] for link in yaml["topology"]["links"]}
        self.assertEqual((rates["N1", "N2"], rates["N2", "N_3"]), ("40Gbps", "10Gbps"), "the smaller module")
        names = [imported.nodes[host].name for host in imported.hosts()]
        self.assertEqual(yaml["traffic"], [{"kind": "background", "from": names.index("N1_h"),
                                            "to": names.index("N_3_h"), "rate": "2.5Gbps"}])

    def test_sizes_and_flows(self):
        means = []
        for name in ("hpcc_style.cdf", "ns2_style.cdf", "homa_style.cdf"):
            means.append(sizes.Distribution(sizes.read(str(SAMPLES / name)), {}).mean())
        self.assertEqual(means, [52_950, fractions.Fraction("13.55") * 1460, fractions.Fraction("3.5")])
        imported, _ = self.sample(sizes, "homa_style.cdf")
        self.assertIn("the mean that the first line states, 3.25 B; the points give 3.5 B", self.said(imported))
        imported, _ = self.sample(csv_flows, "flows.csv")
        self.assertEqual(self.flows(imported), [(0, 2, 10**6, 0), (1, 2, 64, 1500), (3, 0, 2500, 12_000)])
        self.assertEqual([f.priority for f in imported.flows["flows.flow"]], [3, 3, 0])
        imported, _ = self.sample(csv_flows, "ns3_four.flow")
        self.assertEqual(self.flows(imported), [(0, 5, 20_000, 1000), (3, 5, 1500, 2500)])

    def test_every_beginning_of_every_sample(self):
        for module, *names in SETS:
            texts = {name: (SAMPLES / name).read_bytes() for name in names}
            whole = {name: self.folder / name for name in names}
            for name, text in texts.items():
                whole[name].write_bytes(text)
            refused = 0
            for name, text in texts.items():
                for end in range(0, len(text), max(1, len(text) // 50)):
                    whole[name].write_bytes(text[:end])
                    try:
                        write.prepare(module.read_files([str(whole[one]) for one in names], {}), "x")
                    except InputError as error:
                        self.assertRegex(str(error), r"^(x|[^:\n]+):[0-9]+:[0-9]+: [^\n]+$", (name, end))
                        refused += 1
                whole[name].write_bytes(text)
            self.assertGreater(refused, 0, names)


class Times(Import):
    def test_ideal_times_and_addresses_of_the_original(self):
        """The sample fct.txt has the same flows as flow.txt, with times of the original program."""
        net, run = self.folder / "net", self.folder / "run"
        for words in (("import", "hpcc", SAMPLES / "hpcc_small.config.txt", "-o", net),
                      ("run", net / "network.yaml", "--quiet", "--no-plots", "--out", run, "-c", "duration=10ms")):
            done = subprocess.run([str(package.DCCVP), *map(str, words)], capture_output=True, encoding="utf-8",
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        ours = {tuple(row[:6]): row[7] for row in self.rows(export_files.fct_text(run, self.fail))}
        theirs = {tuple(row[:6]): row[7] for row in self.rows((SAMPLES / "fct_small.txt").read_text(encoding="ascii"))}
        self.assertEqual({key: ours[key] for key in theirs}, theirs)
        metrics = json.loads((run / "metrics.json").read_text(encoding="utf-8"))
        self.assertEqual(metrics["flows_completed"], 3)

    @staticmethod
    def rows(text):
        return [re.split(r"\s+", line.strip()) for line in text.splitlines()]


if __name__ == "__main__":
    package.main()

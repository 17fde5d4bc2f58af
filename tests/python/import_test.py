"""Tests `dccvp import` and `dccvp export`. Each format is imported with the meaning of its grammar and with notes
about everything that was not imported. Each network passes `dccvp check` and runs."""

import json
import re
import shutil
import subprocess
import unittest

import import_samples as samples
import package
from import_case import Import

from dccvp.importers import csv_flows, geography, graphml, hpcc, htsim, mlx5, sizes, sndlib
from dccvp.importers import export_files, import_files, write


class Hpcc(Import):
    def test_topology_flows_and_config(self):
        imported, yaml = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, f_txt=samples.HPCC_FLOWS,
                                   c_txt=samples.HPCC_CONFIG, trace_txt=samples.HPCC_TRACE)
        nodes = [(node["name"], node.get("kind", "host")) for node in yaml["topology"]["nodes"]]
        self.assertEqual(nodes[:5], [("h0", "host"), ("s1", "switch"), ("h2", "host"), ("s3", "switch"),
                                     ("h4", "host")])
        links = {(link["from"], link["to"]): link for link in yaml["topology"]["links"]}
        self.assertEqual(links["h2", "s1"]["rate"], "50Gbps")
        self.assertEqual(links["h2", "s1"]["delay"], "2us")
        self.assertEqual(len(links), 5, "the sixth line is beyond the count")
        self.assertEqual({pair for pair in links if "h0" in pair}, {("h0", "s1"), ("h0", "s3")}, "h0 has two ports")
        self.assertEqual(self.flows(imported), [(0, 1, 4000, 2e9), (1, 0, 1, 2e9 + 500), (2, 0, 900, 2.1e9)])
        self.assertEqual(yaml["traffic"], [{"kind": "trace", "file": "flows.flow", "time_offset": "2s",
                                            "dscp_map": {0: 0, 3: 24}}])
        self.assertEqual(yaml["duration"], "500ms")
        self.assertEqual(yaml["switch"]["ecn"], {"kmin": "100KB", "kmax": "400KB", "pmax": "0.2", "mark_at": "dequeue",
                                                 "reference_rate": "50Gbps", "priorities": list(range(1, 8))},
                         "queue 0, which a flow uses, is neither marked nor paused")
        self.assertEqual(yaml["switch"]["buffer"], "16MiB")
        self.assertEqual(yaml["switch"]["scheduler"], {"kind": "ets", "weights": [0] + [1] * 7})
        rules = yaml["nic"]["congestion_control"]
        self.assertEqual((rules["g"], rules["r_ai"], rules["increase_timer"]), ("1/16", "20Mbps", "1.5ms"))
        self.assertIn({"kind": "link_failure", "link": "s1--s3", "convergence": "0us", "start": "300us"},
                      yaml["faults"])
        self.assertIn({"kind": "loss", "link": "h4->s3", "probability": "0.001"}, yaml["faults"])
        said = self.said(imported)
        self.assertEqual(yaml["nic"]["window"], {"limit": "bdp"})
        self.assertEqual(yaml["switch"]["pfc"]["priorities"], list(range(1, 8)))
        for words in ("from line 8: 2 lines behind", "MY_OWN_KEY", "last one holds of RATE_AI", "1 id that"):
            self.assertIn(words, said)
        rows = {row[0]: row[2] for row in imported.tables[0][2]}
        self.assertEqual(len(rows), 15, "each key once")
        self.assertEqual(rows["QLEN_MON_FILE"], "not used: an output")

    def test_a_config_names_the_others(self):
        self.files(topo_txt=samples.HPCC_TOPOLOGY, flow_txt=samples.HPCC_FLOWS)
        config = samples.HPCC_CONFIG + "TOPOLOGY_FILE mix/topo.txt\nFLOW_FILE flow.txt\n"
        imported, _ = self.read(hpcc, c_txt=config)
        self.assertEqual(len(self.flows(imported)), 3)

    def test_unknown_keys_of_a_config_are_named_and_comments_are_not(self):
        config = "CC_MODE 1   # DCQCN:1, PFC on: \u03b1\n  SEED 7\nRATE_AI 50Mb/s # NOTE the default\n"
        imported, _ = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, c_txt=config)
        self.assertIn("c.txt: words that are no key: SEED", imported.notes.ignored)

    def test_thresholds_that_do_not_follow_the_rate(self):
        config = samples.HPCC_CONFIG.replace("50000000000 100 100", "50000000000 90 100")
        _, yaml = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, c_txt=config)
        # Most ports have 50 Gb/s, and the maps do not list 200 Gb/s.
        self.assertEqual(yaml["switch"]["ecn"], {
            "kmin": "90KB", "kmax": "400KB", "pmax": "0.2", "mark_at": "dequeue", "by_speed": {
                "100Gbps": {"kmin": "200KB", "kmax": "800KB", "pmax": "0.2"},
                "200Gbps": {"kmin": "360KB", "kmax": "1600KB", "pmax": "0.2"}}})

    def test_windows_and_acks(self):
        for change, window, acks in (("HAS_WIN 1", {"limit": "bdp"}, None), ("HAS_WIN 0", None, 4),
                                     ("HAS_WIN 1\nVAR_WIN 1", {"limit": "bdp", "follows_rate": True}, None)):
            config = samples.HPCC_CONFIG.replace("HAS_WIN 1", change + "\nL2_ACK_INTERVAL 4000")
            imported, yaml = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, c_txt=config)
            self.assertEqual(yaml["nic"].get("window"), window, change)
            self.assertEqual(yaml["nic"].get("ack_every"), acks, change)
            self.assertEqual("an ACK for each 4000 bytes" in self.said(imported), window is not None)

    def test_a_target_clamped_at_every_cut(self):
        for flag, clamp in ((1, "always"), (0, "after_timer")):
            config = samples.HPCC_CONFIG + f"CLAMP_TARGET_RATE {flag}\n"
            _, yaml = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, c_txt=config)
            self.assertEqual(yaml["nic"]["congestion_control"]["clamp_target"], clamp)

    def test_an_end_that_never_comes(self):
        config = samples.HPCC_CONFIG.replace("TIME 2.5", "TIME 40000000000000.00")
        imported, yaml = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, f_txt=samples.HPCC_FLOWS, c_txt=config)
        self.assertIn("40000000000000.00 never comes", self.said(imported))
        self.assertLess(float(yaml["duration"].removesuffix("ms")), 1000)

    def test_switches_of_simai(self):
        _, yaml = self.read(hpcc, topo=samples.SIMAI_TOPOLOGY)
        names = [node["name"] for node in yaml["topology"]["nodes"]]
        self.assertEqual(names, ["h0", "h1", "h2", "h3", "nv4", "s5"])

    def test_hosts_in_a_ring_pass_packets_on(self):
        ring = "4 0 4\n\n" + "".join(f"{host} {(host + 1) % 4} 10Gbps 1us 0\n" for host in range(4))
        imported, yaml = self.read(hpcc, t_txt=ring)
        self.assertEqual(len(yaml["topology"]["nodes"]), 8, "each host with a switch of its own")
        self.assertNotIn("forwards", str(yaml))
        self.assertIn("torus", self.said(imported))

    def test_hosts_that_others_must_pass_get_a_switch(self):
        # Hosts 0 and 3 have no switch in common. A path leads through host 1 or host 2, whose switches must not
        # forward.
        chain = "6 2 6\n4 5\n0 4 10Gbps 1us 0\n1 4 10Gbps 1us 0\n2 4 10Gbps 1us 0\n1 5 10Gbps 1us 0\n" \
                "2 5 10Gbps 1us 0\n3 5 10Gbps 1us 0\n"
        _, yaml = self.read(hpcc, t_txt=chain)
        self.assertEqual([node["name"] for node in yaml["topology"]["nodes"] if node.get("forwards") is False],
                         ["h1_ports", "h2_ports"])

    def test_faults_name_the_ports_of_hosts(self):
        text = "5 2 5\n3 4\n0 3 10Gbps 1us 0\n0 4 10Gbps 1us 0.01\n1 3 10Gbps 1us 0\n2 3 10Gbps 1us 0\n" \
               "4 3 10Gbps 1us 0\n"
        _, yaml = self.read(hpcc, t_txt=text, c_txt="LINK_DOWN 1000 0 4\n")
        links = [fault["link"] for fault in yaml["faults"]]
        self.assertEqual(links, ["h0.1->s4", "s4->h0.1", "h0.1--s4"])

    def test_the_later_of_two_links_is_used(self):
        imported, yaml = self.read(hpcc, t_txt="4 2 4\n2 3\n0 2 1Gbps 1us 0\n2 3 5Gbps 1us 0\n3 2 7Gbps 1us 0\n"
                                   "1 3 1Gbps 1us 0\n")
        self.assertEqual([link["rate"] for link in yaml["topology"]["links"]], ["1Gbps", "7Gbps", "1Gbps"])
        self.assertIn("a later link joins again, as the original uses the last one: 2 3", self.said(imported))

    def test_the_form_of_2015_counts_packets(self):
        imported, _ = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, f_txt="1\n0 2 3 20 0.5 9\n")
        self.assertEqual(self.flows(imported), [(0, 1, 20_000, 5e8)])
        imported, _ = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, f_txt="1\n0 2 3 20 1 2\n")
        self.assertEqual(self.flows(imported), [(0, 1, 1, 2e9)], "a port, a byte, 2 s")

    def test_four_columns(self):
        imported, _ = self.read(hpcc, t_txt=samples.HPCC_TOPOLOGY, f_txt="1\n0 2 1500 700\n")
        self.assertEqual(self.flows(imported), [(0, 1, 1500, 700)])

    def test_fast_hosts_get_no_setting_without_effect(self):
        _, yaml = self.read(hpcc, t_txt="3 1 2\n2\n0 2 400Gbps 1us 0\n1 2 400Gbps 1us 0\n")
        self.assertNotIn("dma", yaml.get("nic", {}))  # virtual payload needs no DMA

    def test_refusals_name_the_place(self):
        topology = samples.HPCC_TOPOLOGY
        self.assertEqual(self.refused(hpcc, t_txt=topology[:topology.index("0.002ms") + 4]),
                         "4:19: the file ends where link 2 of 5, its error rate should be")
        self.assertIn("5:7: expected a rate such as 25Gbps, not '100Gbit'",
                      self.refused(hpcc, t_txt=topology.replace("4 3 100Gbps", "4 3   100Gbit")))
        self.assertIn("5:5: a rate of '100bps': the platform takes 1Mbps to 10000Gbps",
                      self.refused(hpcc, t_txt=topology.replace("100Gbps", "100bps")))
        self.assertIn("the network is not connected", self.refused(hpcc, t_txt=topology.replace("1 3 200", "1 2 200")
                                                                   .replace("0 3 50", "0 1 50")))
        self.assertEqual(self.refused(hpcc, t_txt=topology, f_txt="1\n0 1 3 100 5 2\n"),
                         "2:1: flow 1 of 1: the destination 1 is a switch")
        self.assertEqual(self.refused(hpcc, t_txt=topology, f_txt="2\n0 2 3 100 5 2\n0 2 3 100 5 1\n"),
                         "3:1: flow 2 of 2 starts before the one above; the flows are in the order of their starts")
        self.assertEqual(self.refused(hpcc, t_txt=topology, f_txt="2\n0 2 3 100 5 2\n0 2 3\n"),
                         "3:6: the file ends where flow 2 of 2, its port should be")
        self.assertIn("no topology.txt among the files", self.refused(hpcc, f_txt=samples.HPCC_FLOWS))
        self.assertIn("ALPHA_RESUME_INTERVAL 0 is 0us; the platform takes 1us to 10ms", self.refused(
            hpcc, t_txt=topology, c_txt="CC_MODE 1\nALPHA_RESUME_INTERVAL 0\n"))


class Htsim(Import):
    def test_a_tree_of_three_tiers_and_its_triggers(self):
        imported, yaml = self.read(htsim, t_topo=samples.HTSIM_TOPOLOGY, m_cm=samples.HTSIM_MATRIX)
        self.assertEqual(len(yaml["topology"]["nodes"]), 16 + 4 + 4 + 4)
        wires = [(link["from"], link["to"]) for link in yaml["topology"]["links"]]
        self.assertEqual(len(wires), 16 + 8 + 16)
        self.assertEqual(wires.count(("agg2", "core2")), 2, "a bundle")
        self.assertEqual(yaml["topology"]["links"][0]["delay"], "600ns", "half of the ToR's 200 ns")
        self.assertEqual(yaml["faults"][0]["link"], "agg2--core0")
        self.assertEqual(self.lines(imported), [
            "0 1 0 100 125000 0 id=c0", "1 2 0 100 125000 0 id=c1 after=c0:sent", "2 0 0 100 10 0 after=c2,c1",
            "5 6 0 100 125000 0.000000000002 id=c4", "3 2 0 100 125000 0.000005 id=c2"])
        self.assertEqual(yaml["traffic"][0],
                         {"kind": "flow", "from": 6, "to": 7, "after": {"flows": ["flows.c4:sent"]}})
        self.assertEqual(yaml["traffic"][1], {"kind": "trace", "file": "flows.flow", "id": "flows"})
        self.assertIn("3 of 6 flows wait for others", self.said(imported))
        self.assertIn(("2->0", "barrier of 2 2: 1->2 received, 3->2 received"), imported.tables[0][2])

    def test_two_tiers_are_a_leaf_spine(self):
        text = samples.HTSIM_TOPOLOGY.split("Tier 2")[0].replace("Tiers 3", "Tiers 2")
        text = text.replace("Podsize 8", "Podsize 16")
        _, yaml = self.read(htsim, t_topo=text.replace("Radix_Down 2", "Radix_Down 4"))
        self.assertEqual(yaml["topology"]["kind"], "leaf_spine")
        self.assertEqual((yaml["topology"]["leaves"], yaml["topology"]["spines"]), (4, 2))

    def test_ids_are_kept(self):
        matrix = samples.HTSIM_MATRIX.replace("size 0", "size 9").replace("Failures 1\n", "").partition("failure")[0]
        imported, _ = self.read(htsim, m_cm=matrix)
        self.assertEqual(imported.files["connections.csv"].splitlines()[:4],
                         ["flow,id,connection,trigger", "0,1,0->1,", "1,2,1->2,1", "2,4,2->0,2"])

    def test_where_the_order_of_ends_decides_an_idle_network_does(self):
        matrix = ("Nodes 4\nConnections 5\nTriggers 2\n0->1 start 0 size 9000 recv_done_trigger 1\n"
                  "1->2 start 0 size 90 recv_done_trigger 1 send_done_trigger 2\n2->3 trigger 1 size 1\n"
                  "3->2 trigger 1 size 2\n3->0 trigger 2 size 3\ntrigger id 1 multishot\n"
                  "trigger id 2 barrier count 2\n")
        imported, _ = self.read(htsim, m_cm=matrix)
        self.assertEqual(self.lines(imported)[2:], ["2 3 0 100 1 0 after=c1", "3 2 0 100 2 0 after=c0"])
        self.assertIn("the order in which flows activate 1 trigger (1)", self.said(imported))
        self.assertIn("1 connection whose trigger never fires: 3->0", self.said(imported))

    def test_starts_are_single_precision_picoseconds(self):
        imported, _ = self.read(htsim, m_cm="Nodes 2\nConnections 1\n0->1 start 16777217 size 1\n")
        self.assertEqual(imported.flows["flows.flow"][0].start, 16777216)

    def test_refusals_name_the_place(self):
        matrix = samples.HTSIM_MATRIX
        for old, new, message in (
                ("Connections 6", "Connections 7", "2:13: 7 connections announced, 6 found"),
                ("id 2 trigger 1", "trigger 1 id 2", "6:16: id stands before trigger in a line"),
                ("id 4 trigger 2", "id 4 trigger 9", "8:1: trigger 9 is never defined"),
                ("3->2 id 3", "3->2 id 2", "7:1: the id 2 is there twice"),
                ("start 5e6", "start 5e6 trigger 1", "7:1: a connection has start or trigger, not both"),
                ("count 2", "number 2", "12:14: a barrier has count N"),
                ("3->2", "3->99", "7:1: host 99 of 16 nodes"),
                ("5->6 start 2.5 size 125000 send_done_trigger 3", "5->6 start 2.5 size 125000 send_done_trigger 1",
                 "9:1: trigger 1 is oneshot and would be activated again"),
                ("size 125000 send_done_trigger 1", "size 2147483648 send_done_trigger 1", "5:24: expected size in"),
                ("prio", "# prio", "8:29: unknown key '#'"),
                ("link_id 0", "link_id 1", "14:45: AGG 2 has no link to core 1")):
            with self.subTest(new):
                self.assertIn(old, matrix)
                self.assertIn(message, self.refused(htsim, t_topo=samples.HTSIM_TOPOLOGY,
                                                    m_cm=matrix.replace(old, new, 1)))
        for old, new, message in (("Radix_Down 2", "Radix_Down 3", "need a Radix_Down of 2"),
                                  ("Tiers 3", "Tiers 4", "Tiers, 2 to 3"),
                                  ("Bundle 1", "Bundles 1", "unknown key 'Bundles'"),
                                  ("Bundle 1", "Oversubscribed 3", "which is not 3 : 1")):
            self.assertIn(message, self.refused(htsim, t_topo=samples.HTSIM_TOPOLOGY.replace(old, new, 1)))


class Traffic(Import):
    def test_sizes_in_three_spellings(self):
        imported, _ = self.read(sizes, a_cdf=samples.CDF_BYTES, b_cdf=samples.CDF_PACKETS, c_cdf=samples.CDF_HOMA)
        self.assertEqual(imported.files["a.cdf"], "0 0\n1000 25\n3000 100\n")
        self.assertEqual(imported.files["b.cdf"], "1460 0\n1460 25\n4380 25\n4380 100\n")
        self.assertEqual(imported.files["c.cdf"], "100 0\n100 50\n400 50\n400 100\n")
        said = self.said(imported)
        # The mean size is 500 / 4 + 2000 * 3 / 4.
        self.assertIn("a.cdf: 3 points, size and share form, mean 1625 B", said)
        self.assertIn("b.cdf: 3 points, ns-2's form, mean 3650 B", said)
        self.assertNotIn("states", said, "250 is the mean of the steps")
        self.assertIn("2:1: sizes and shares do not fall", self.refused(sizes, a_cdf="5 10\n4 100\n"))
        self.assertIn("2:3: the last share is 1 or 100", self.refused(sizes, a_cdf="5 10\n6 50\n"))

    def test_csv_with_a_head_and_units(self):
        imported, _ = self.read(csv_flows, {"columns": "time=start_us,src=a,dst=b,bytes=size_KB"}, f_csv=samples.CSV)
        self.assertEqual(self.flows(imported), [(2, 9, 10_000, 0), (7, 2, 10_000, 500), (9, 7, 3000, 2000)])
        self.assertEqual(len(imported.hosts()), 10)
        self.assertIn("columns: colour", self.said(imported))

    def test_csv_by_names(self):
        imported, yaml = self.read(csv_flows, f_csv="time_ms,src,dst,bytes,prio\n1,gpu-a,10.0.0.1,5e3,3\n"
                                   "2,b,gpu-a,7,\n")
        self.assertEqual(self.flows(imported), [(0, 1, 5000, 1e6), (2, 0, 7, 2e6)])
        self.assertEqual([node["name"] for node in yaml["topology"]["nodes"]], ["gpu-a", "10_0_0_1", "b", "s0"])

    def test_rows_of_pfabric(self):
        imported, _ = self.read(csv_flows, f_txt=samples.PFABRIC)
        self.assertEqual(self.flows(imported), [(0, 3, 2920, 1e9), (2, 1, 1460, 1.5e9)])

    def test_refusals_name_the_place(self):
        self.assertEqual(self.refused(csv_flows, f_csv="0,1,2,5\n1,2,2,5\n"), "2:1: 2 would send to itself")
        self.assertIn("2:7: expected a size", self.refused(csv_flows, f_csv="0,1,2,5\n1,2,3,x\n"))
        self.assertIn("2:3: the row ends before", self.refused(csv_flows, f_csv="0,1,2,5\n1,2\n"))
        self.assertIn("no column for time", self.refused(csv_flows, f_csv="when,src,dst,bytes\n1,2,3,4\n"))

    def test_sizes_with_a_head_commas_and_percent_signs(self):
        imported, _ = self.read(sizes, d_csv="size,cdf\n100,0\n1e3,0.5\n1000000,1\n")
        self.assertEqual(imported.files["d.cdf"], "100 0\n1000 50\n1000000 100\n")
        self.assertIn("the head 'size cdf'", self.said(imported))
        imported, _ = self.read(sizes, d_csv="100;0%\n1000;12,5 %\n1000000;100%\n")
        self.assertEqual(imported.files["d.cdf"], "100 0\n1000 12.5\n1000000 100\n")
        self.assertIn("2:6: expected a share", self.refused(sizes, d_csv="100,0\n1000,1.5\n2000,1\n"))

    def test_csv_with_semicolons_has_decimal_commas(self):
        text = "Start (ms);Source;Destination;Size [KiB]\n0,5;10.0.0.1;10.0.0.2;64\n1,25;10.0.0.2;10.0.0.3;\"0,5\"\n"
        imported, _ = self.read(csv_flows, f_csv=text)
        self.assertEqual(self.flows(imported), [(0, 1, 65536, 500_000), (1, 2, 512, 1_250_000)])
        self.assertIn("commas in numbers are decimal points (3)", self.said(imported))
        # In a list without a header line the first line has commas as well.
        imported, _ = self.read(csv_flows, f_csv="0,5;1;2;64\n0,25;2;1;8\n")
        self.assertEqual(self.flows(imported)[0], (2, 1, 8, 250_000_000))
        self.assertIn("expected a time", self.refused(csv_flows, f_csv="time,src,dst,bytes\n\"0,5\",1,2,3\n"))


class Maps(Import):
    def test_topology_zoo(self):
        imported, yaml = self.read(graphml, z_graphml=samples.GRAPHML)
        names = [node["name"] for node in yaml["topology"]["nodes"]]
        self.assertEqual(names, ["North_Town", "South", "South_2", "North_Town_h", "South_h"])
        rates = [link["rate"] for link in yaml["topology"]["links"]]
        self.assertEqual(rates[:3], ["10Gbps", "155Mbps", "2.48832Gbps"])
        # A degree of latitude is 111.2 km; the delay is 1.5 * 5 us/km times this distance.
        self.assertRegex(yaml["topology"]["links"][0]["delay"], r"^833\.\d+us|^8339\d\d\.\d+ns")
        self.assertIn("alone", self.said(imported))
        self.assertIn("no host at external nodes: South_2", self.said(imported))
        self.assertIn("not XML", self.refused(graphml, z_graphml=samples.GRAPHML[:900]))
        self.assertIn("document type definition", self.refused(graphml, z_graphml="<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"))

    def test_a_declared_encoding_does_not_count(self):
        for name in ("iso-8859-1", "nan"):
            text = samples.GRAPHML.replace('encoding="utf-8"', f'encoding="{name}"').replace("North Town", "Köln")
            imported, _ = self.read(graphml, m_graphml=text)
            self.assertEqual(imported.nodes[0].origin, "0 Köln")

    def test_speeds_written_as_text(self):
        for text, rate in (("OC-192c", 9_953_280_000), ("STM-16", 2_488_320_000), ("10 Gbps", 10**10),
                           ("<155 Mbps", 155_000_000), ("GigE", 10**9), ("2.5Gbit/s", 2_500_000_000), ("dark", None)):
            self.assertEqual(geography.rate_of_text(text), rate, text)

    def test_sndlib(self):
        imported, yaml = self.read(sndlib, n_txt=samples.SNDLIB)
        self.assertEqual([link["rate"] for link in yaml["topology"]["links"][:2]], ["10Gbps", "2.5Gbps"])
        self.assertEqual(yaml["topology"]["nodes"][0]["name"], "A_1")
        self.assertEqual(yaml["traffic"], [{"kind": "background", "from": 0, "to": 2, "rate": "500Mbps"}])
        self.assertIn("smallest module: L2", self.said(imported))
        imported, yaml = self.read(sndlib, n_xml=samples.SNDLIB_XML)
        self.assertEqual(yaml["topology"]["links"][0], {"from": "X", "to": "Y", "rate": "2.5Gbps", "delay": "1ms"})
        self.assertIn("ends where", self.refused(sndlib, n_txt=samples.SNDLIB[:200]))


class Command(Import):
    def run_tool(self, *words):
        return subprocess.run([str(package.DCCVP), *map(str, words)], capture_output=True, encoding="utf-8",
                              stdin=subprocess.DEVNULL, check=False)

    def test_an_import_runs_and_its_times_go_back(self):
        paths = self.files(t_txt=samples.HPCC_TOPOLOGY, f_txt=samples.HPCC_FLOWS)
        net, out = self.folder / "net", self.folder / "out"
        done = self.run_tool("import", "hpcc", *paths, "-o", net)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ok (custom, 3 hosts", done.stdout)
        self.assertIn("Ignored", (net / "import.md").read_text())
        self.assertEqual((net / "names.csv").read_text(), "host,name,origin\n0,h0,0\n1,h2,2\n2,h4,4\n")
        done = self.run_tool("run", net / "network.yaml", "--quiet", "--no-plots", "--out", out,
                             "-c", "nic.congestion_control.algorithm=dcqcn")
        self.assertEqual(done.returncode, 0, done.stderr)
        head, row = (out / "flows.csv").read_text().splitlines()[:2]
        named = dict(zip(head.split(","), row.split(",")))
        self.assertEqual((named["from_name"], named["to_name"]), ("h0", "h2"))
        hosts = json.loads((out / "metrics.json").read_text())["hosts"]
        self.assertEqual([host["name"] for host in hosts], ["h0.0", "h0.1", "h2", "h4"], "an entry a port")
        done = self.run_tool("report", out, "-o", self.folder / "r.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("h0 → h2", (self.folder / "r.html").read_text())
        done = self.run_tool("export", "fct", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual([len(row) for row in rows], [8, 8, 8])
        by_size = {row[4]: row for row in rows}
        self.assertEqual(by_size["900"][:4], ["0b000401", "0b000001", "10000", "100"])
        self.assertEqual(by_size["1"][3], "200")
        self.assertEqual(by_size["1"][5], "2000000500")
        self.assertGreater(int(by_size["4000"][6]), 4000 * 8 / 50)

    def test_an_adapter_goes_there_and_back(self):
        path, = self.files(p_txt=samples.MLX5)
        net = self.folder / "nic"
        self.assertEqual(self.run_tool("import", "mlx5", path, "-o", net).returncode, 0)
        done = self.run_tool("export", "mlx5", net / "network.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        first, _ = self.read(mlx5, q_txt=done.stdout)
        second, _ = self.read(mlx5, p_txt=samples.MLX5)
        for section in ("congestion_control", "cnp"):
            for key, value in second.settings["nic"][section].items():
                self.assertEqual(first.settings["nic"][section][key], value, key)

    def test_every_format_passes_check(self):
        formats = {
            "htsim": {"a_topo": samples.HTSIM_TOPOLOGY, "a_cm": samples.HTSIM_MATRIX},
            "sonic": {"a_json": samples.SONIC, "b_ini": samples.SONIC_LOOKUP}, "irdma": {"a_conf": samples.IRDMA},
            "bnxt": {"b_txt": samples.BNXT}, "sizes": {"d_cdf": samples.CDF_HOMA}, "csv": {"e_txt": samples.PFABRIC},
            "graphml": {"g_graphml": samples.GRAPHML}, "sndlib": {"s_txt": samples.SNDLIB},
            "goal": {"g_goal": samples.GOAL}, "chakra": {"c.0_json": samples.CHAKRA_0, "c.1_json": samples.CHAKRA_1},
            "astra": {"n_yml": samples.ASTRA_NETWORK, "w_txt": samples.ASTRA_WORKLOAD}, "dts": {"b_dts": samples.DTS},
            "repl": {"b_repl": samples.REPL}}
        self.assertEqual(set(formats) | {"hpcc", "mlx5"}, set(import_files.FORMATS))
        for name, texts in formats.items():
            if name == "dts" and shutil.which("dtc") is None:
                continue  # the importer refuses every damaged tree
            with self.subTest(name):
                done = self.run_tool("import", name, *self.files(**texts), "-o", self.folder / name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("network.yaml: ok", done.stdout)

    def test_refusals_end_with_status_2_and_leave_nothing(self):
        binary = self.folder / "b.txt"
        binary.write_bytes(b"2 1\n\x00\xff\x12")
        for words, message in ((("hpcc", binary), r"b\.txt:2:2: a byte that is no UTF-8"),
                               (("hpcc", self.folder / "none"), "none:1:1: no such file"),
                               (("hpc", binary), "did you mean 'hpcc'"),
                               (("csv", "--set=x=1", binary), "csv takes NAME=VALUE of")):
            done = self.run_tool("import", *words, "-o", self.folder / "out")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertTrue(re.search(message, done.stderr), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertFalse((self.folder / "out").exists())

    def test_a_folder_of_somebody_is_not_replaced(self):
        path, = self.files(b_txt=samples.BNXT)
        out = self.folder / "out"
        out.mkdir()
        (out / "mine").write_text("x")
        for words in ((), ("--force",)):
            self.assertEqual(self.run_tool("import", "bnxt", path, "-o", out, *words).returncode, 2)
        (out / "mine").unlink()
        self.assertEqual(self.run_tool("import", "bnxt", path, "-o", out).returncode, 0)
        self.assertEqual(self.run_tool("import", "bnxt", path, "-o", out).returncode, 2)
        self.assertEqual(self.run_tool("import", "bnxt", path, "-o", out, "--force").returncode, 0)

    def test_fct_of_no_run_is_refused(self):
        done = self.run_tool("export", "fct", self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no folder of a run", done.stderr)


class Yaml(unittest.TestCase):
    def test_numbers_held_as_text_are_plain(self):
        values = {"a": "1", "b": "0.125", "c": "007", "d": "1e3", "e": "5/1024", "f": "0"}
        self.assertEqual(write.yaml_text({"x": values}, ["head"]),
                         "# head\nx: {a: 1, b: 0.125, c: '007', d: 1e3, e: 5/1024, f: 0}\n")


class Ideal(unittest.TestCase):
    def test_is_that_of_the_original(self):
        way = [(25 * 10**9, 10**6), (100 * 10**9, 1_500_000), (25 * 10**9, 10**6)]
        self.assertEqual(export_files.ideal_ns(way, 10**6, 1000), 7000 + 320 + 80 + 320 + 335_360)
        self.assertEqual(export_files.address(258), "0b010201")


if __name__ == "__main__":
    package.main()

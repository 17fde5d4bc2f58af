"""dccvp import and export: each format gives what its grammar means, says what it could not take over, and its network
passes dccvp check and runs."""

import json
import re
import shutil
import subprocess
import unittest

import import_samples as samples
import package

from dccvp.importers import bnxt, csv_flows, geography, graphml, hpcc, htsim, irdma, mlx5, sizes, sndlib
from dccvp.importers import export_files, import_files, sonic, write
from dccvp.common.ending import InputError


class Import(package.FolderTest):
    def files(self, **texts):
        """Paths of files with these texts; the names' last underscore becomes a dot."""
        paths = []
        for name, text in texts.items():
            path = self.folder / ".".join(name.rsplit("_", 1))
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            paths.append(str(path))
        return paths

    def read(self, module, settings=None, **texts):
        """Reads files with these texts: (Imported, YAML document)."""
        imported = module.read_files(self.files(**texts), settings or {})
        return imported, write.prepare(imported, "x")

    def refused(self, module, settings=None, **texts):
        """The error message about the first file, from the line number on."""
        paths = self.files(**texts)
        with self.assertRaises(InputError) as raised:
            write.prepare(module.read_files(paths, settings or {}), paths[0])
        message = str(raised.exception)
        for path in paths:
            message = message.replace(path + ":", "")
        return message

    def said(self, imported):
        return "\n".join(sentence for _, part in imported.notes.sections() for sentence in part)

    def flows(self, imported):
        """([(from, to, bytes, start in ns)] of the flows by host number, priorities)."""
        numbers = imported.host_numbers()
        return [(numbers[f.source], numbers[f.target], f.bytes, f.start / 1000) for f in imported.flows["flows.flow"]]

    def lines(self, imported):
        """The lines of the traffic file."""
        return write.flow_text(imported, imported.flows["flows.flow"]).splitlines()[1:]


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
        # Most ports have 50 Gb/s. The maps do not list 200 Gb/s.
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
        # 0 and 3 have no switch in common: the way leads through 1 or through 2, whose own switches do not forward.
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
        self.assertNotIn("dma", yaml.get("nic", {}))  # Virtual payload needs no DMA.

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


class Sonic(Import):
    def test_profiles_by_speed_and_cable(self):
        imported, yaml = self.read(sonic, db_json=samples.SONIC, table_ini=samples.SONIC_LOOKUP)
        self.assertEqual(yaml["switch"]["pfc"], {"alpha": "0.125", "headroom": "52KiB", "resume_below": "2288B",
                                                 "priorities": [3, 4]})
        self.assertEqual(yaml["switch"]["buffer"], "32MiB")
        self.assertEqual(yaml["switch"]["ecn"], {"kmin": "200KB", "kmax": "800KB", "pmax": "0.1", "priorities": [3, 4]})
        lossless = {"reserved": "1248B", "resume_at": "2288B"}
        self.assertEqual(yaml["switch"]["priorities"], {0: {"alpha": "8"}, 3: lossless, 4: lossless})
        self.assertEqual(yaml["switch"]["scheduler"], {"kind": "ets", "weights": [1, 1, 1, 30, 30, 1, 0, 1]})
        self.assertEqual(yaml["dscp"], {26: {"priority": 3}, 46: {"priority": 2}, 48: {"priority": 6}})
        self.assertEqual(yaml["nic"], {"cnp": {"priority": 6}})
        self.assertEqual([node["name"] for node in yaml["topology"]["nodes"]],
                         ["Ethernet8", "Ethernet16", "Ethernet24", "switch"])
        self.assertEqual(yaml["topology"]["links"][0]["delay"], "1.5us")
        said = self.said(imported)
        self.assertIn("other tables: VLAN", said)
        self.assertNotIn("settings by port", said)
        self.assertEqual(yaml["switches"], [{"ports": ["Ethernet8"], "priorities": dict.fromkeys((3, 4), {
            "alpha": "0.0625", "reserved": "1248B", "resume_at": "2288B", "resume_below": "2288B",
            "headroom": "160KB"})}])

    def test_pools_and_shared_headroom(self):
        base = json.loads(samples.SONIC)
        base["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "2000000"
        base["BUFFER_POOL"]["ingress_lossy_pool"] = {"type": "ingress", "size": "4000000"}
        base["BUFFER_POOL"]["egress_lossy_pool"] = {"type": "egress", "size": "5000000"}
        base["BUFFER_PROFILE"]["lossy"]["pool"] = "[BUFFER_POOL|ingress_lossy_pool]"
        imported, yaml = self.read(sonic, db_json=json.dumps(base), table_ini=samples.SONIC_LOOKUP)
        switch = yaml["switch"]
        self.assertEqual(switch["pools"], [{"name": "ingress_lossy_pool", "size": "4MB"}])
        self.assertEqual(switch["buffer"], f"{33554432 + 6000000}B")
        self.assertEqual(switch["pfc"]["shared_headroom"], "2MB")
        self.assertEqual(switch["priorities"][0], {"alpha": "8", "pool": "ingress_lossy_pool"})
        self.assertIn("egress pools that no lossy queue has: egress_lossy_pool", self.said(imported))

    def test_egress_pools_of_queues(self):
        base = json.loads(samples.SONIC)
        base["BUFFER_POOL"]["egress_lossy_pool"] = {"type": "egress", "size": "5000000", "mode": "dynamic"}
        base["BUFFER_POOL"]["egress_lossless_pool"] = {"type": "egress", "size": "33554432", "mode": "static"}
        base["BUFFER_PROFILE"]["q"] = {"pool": "[BUFFER_POOL|egress_lossy_pool]", "size": "1518", "dynamic_th": "-1"}
        base["BUFFER_PROFILE"]["fixed"] = {"pool": "egress_lossy_pool", "size": "0", "static_th": "90000"}
        base["BUFFER_PROFILE"]["whole"] = {"pool": "egress_lossless_pool", "size": "0", "static_th": "33554432"}
        base["BUFFER_QUEUE"] = {"Ethernet0,Ethernet8|0-1": {"profile": "q"}, "Ethernet8|3-4": {"profile": "whole"},
                                "Ethernet8|1": {"profile": "fixed"}}
        imported, yaml = self.read(sonic, db_json=json.dumps(base))
        self.assertEqual(yaml["switch"]["egress_pools"], [{"name": "egress_lossy_pool", "size": "5MB"}])
        queue = {"alpha": "0.5", "pool": "egress_lossy_pool", "reserved": "1518B"}
        self.assertEqual(yaml["switch"]["priorities"][0]["queue"], queue)
        self.assertEqual([one["priorities"] for one in yaml["switches"] if 1 in one.get("priorities", {})],
                         [{1: {"queue": {"limit": "90KB", "pool": "egress_lossy_pool", "reserved": "0B"}}}])
        self.assertNotIn("queue", yaml["switch"]["priorities"].get(3, {}))
        self.assertIn("egress pools that no lossy queue has: egress_lossless_pool", self.said(imported))
        # A lossless queue in the pool of the lossy queues counts there, without a limit of its own.
        base["BUFFER_PROFILE"]["whole"]["pool"] = "egress_lossy_pool"
        _, yaml = self.read(sonic, db_json=json.dumps(base))
        self.assertEqual(yaml["switch"]["priorities"][3]["queue"], {"pool": "egress_lossy_pool"})

    def test_lossy_groups_of_most_ports_hold(self):
        base = json.loads(samples.SONIC)
        base["BUFFER_PROFILE"]["zero"] = {"pool": "ingress_lossless_pool", "size": "0", "static_th": "0"}
        base["BUFFER_PG"].update({"Ethernet8|0": {"profile": "lossy"}, "Ethernet24|0": {"profile": "zero"}})
        _, yaml = self.read(sonic, db_json=json.dumps(base), table_ini=samples.SONIC_LOOKUP)
        self.assertEqual(yaml["switch"]["priorities"][0], {"alpha": "8"})
        self.assertIn({"ports": ["Ethernet24"], "priorities": {0: {"reserved": "0B", "limit": "2KB"}}},
                      yaml["switches"])

    def test_ports_that_pause_fewer_priorities(self):
        base = json.loads(samples.SONIC)
        base["PORT_QOS_MAP"].update({"Ethernet8": {"pfc_enable": "3"}, "Ethernet24": {"pfc_enable": ""}})
        _, yaml = self.read(sonic, db_json=json.dumps(base), table_ini=samples.SONIC_LOOKUP)
        self.assertEqual(yaml["switch"]["pfc"]["priorities"], [3, 4])
        self.assertIn({"ports": ["Ethernet8"], "priorities": {4: {"lossy": True}}}, yaml["switches"])
        self.assertIn({"ports": ["Ethernet24"], "priorities": {3: {"lossy": True}, 4: {"lossy": True}}},
                      yaml["switches"])

    def test_files_of_one_database_are_joined(self):
        base = json.loads(samples.SONIC)
        queues = {table: base.pop(table) for table in ("QUEUE", "SCHEDULER", "WRED_PROFILE", "PORT_QOS_MAP",
                                                       "DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP") if table in base}
        _, whole = self.read(sonic, a_json=samples.SONIC)
        imported, joined = self.read(sonic, a_json=json.dumps(base), b_json=json.dumps(queues))
        self.assertEqual(joined, whole)
        self.assertNotIn("sets anew", self.said(imported))
        queues["PORT"] = {"Ethernet8": {"speed": "x"}}
        paths = self.files(a_json=json.dumps(base), b_json=json.dumps(queues))
        with self.assertRaisesRegex(InputError, re.escape(f"{paths[1]}:1:") + "[0-9]+: PORT Ethernet8 speed"):
            sonic.read_files(paths, {})
        queues["PORT"] = {"Ethernet8": {"speed": "25000"}, "Ethernet99": {"lanes": "1"}}
        imported, _ = self.read(sonic, a_json=json.dumps(base), b_json=json.dumps(queues))
        self.assertIn("a later file sets anew: PORT Ethernet8 speed", self.said(imported))
        self.assertIn("ports without a speed: Ethernet99", self.said(imported))

    def test_priority_groups_of_other_numbers(self):
        base = json.loads(samples.SONIC)
        base["PORT_QOS_MAP"] = {"Ethernet8": {"dscp_to_tc_map": "D", "tc_to_queue_map": "Q", "tc_to_pg_map": "G",
                                              "pfc_enable": "3,4"}}
        base["DSCP_TO_TC_MAP"] = {"D": {"0": "0", "8": "1", "16": "2", "24": "3", "32": "4", "40": "5"}}
        base["TC_TO_QUEUE_MAP"] = {"Q": {"0": "0", "1": "1", "2": "2", "3": "3", "4": "4", "5": "2"}}
        base["TC_TO_PRIORITY_GROUP_MAP"] = {"G": {"0": "0", "1": "0", "2": "0", "3": "3", "4": "4", "5": "0"}}
        imported, yaml = self.read(sonic, db_json=json.dumps(base), table_ini=samples.SONIC_LOOKUP)
        priorities = yaml["switch"]["priorities"]
        self.assertEqual((priorities[1], priorities[2]), ({"group": 0}, {"group": 0}))
        self.assertNotIn("group", priorities.get(0, {}))
        self.assertNotIn("priority group", "".join(imported.notes.not_expressed))
        # Queue 2 has packets of two groups, and a lossless queue has a class of its own.
        base["TC_TO_PRIORITY_GROUP_MAP"]["G"].update({"5": "7", "4": "0"})
        imported, yaml = self.read(sonic, db_json=json.dumps(base), table_ini=samples.SONIC_LOOKUP)
        self.assertEqual(yaml["switch"]["priorities"][1], {"group": 0})
        self.assertNotIn("group", yaml["switch"]["priorities"].get(2, {}))
        self.assertIn("for DSCP 16, 32, 40", "".join(imported.notes.not_expressed))

    def test_queues_by_priority_and_watchdog(self):
        base = json.loads(samples.SONIC)
        base["BUFFER_PROFILE"]["q"] = {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "1"}
        base["BUFFER_PROFILE"]["whole"] = {"pool": "egress_lossless_pool", "size": "0", "static_th": "33554432"}
        base["BUFFER_PROFILE"]["pg"] = {"pool": "ingress_lossless_pool", "xon": "18432", "xoff": "55120",
                                        "size": "73552", "static_th": "165364"}
        base["BUFFER_PG"] = {"Ethernet8|3-4": {"profile": "pg"}}
        base["BUFFER_QUEUE"] = {"Ethernet8|0-1": {"profile": "q"}, "Ethernet8|3-4": {"profile": "whole"}}
        base["WRED_PROFILE"]["L"] = {"ecn": "ecn_none", "wred_green_enable": "true", "green_min_threshold": "1000",
                                     "green_max_threshold": "2000", "green_drop_probability": "50"}
        base["QUEUE"]["Ethernet8|1"] = {"wred_profile": "L"}
        base["PFC_WD"] = {"Ethernet8": {"action": "forward", "detection_time": "200", "restoration_time": "400"},
                          "GLOBAL": {"POLL_INTERVAL": "100"}}
        _, yaml = self.read(sonic, db_json=json.dumps(base))
        lossless = {"limit": "165364B", "reserved": "18432B", "resume_at": "18432B", "resume_below": "1GiB"}
        self.assertEqual({key: {name: str(value).replace("18KiB", "18432B") for name, value in one.items()}
                          for key, one in yaml["switch"]["priorities"].items() if key > 2},
                         {3: lossless, 4: lossless})
        self.assertEqual(yaml["switch"]["priorities"][0], {"queue": {"alpha": "2"}})
        self.assertEqual(yaml["switch"]["priorities"][1]["ecn"],
                         {"enabled": False, "kmin": "1KB", "kmax": "2KB", "pmax": "0.5", "drop": True})
        self.assertEqual(yaml["switch"]["pfc"]["watchdog"],
                         {"detect": "200ms", "restore": "400ms", "poll": "100ms", "action": "forward"})

    def test_refusals_name_the_place(self):
        for old, new, message in (('"200000"}, "E', '"fast"}, "E', "2:25: PORT Ethernet8 speed is a whole number"),
                                  ('"weight": "30"', '"weight": "300"', "10:38: SCHEDULER a weight"),
                                  ('8|3-4"', '8|3-"', "6:16: BUFFER_PG: expected PORT|NUMBER"),
                                  ('}\n}', '}', "16:1: not JSON")):
            self.assertIn(old, samples.SONIC)
            self.assertIn(message, self.refused(sonic, db_json=samples.SONIC.replace(old, new, 1)))
        self.assertIn("2:12: expected a threshold",
                      self.refused(sonic, db_json=samples.SONIC, t_ini="#\n1 5m 1 1 1 x\n"))


class Adapters(Import):
    def test_mlx5_under_three_names(self):
        imported, yaml = self.read(mlx5, p_txt=samples.MLX5)
        self.assertEqual(yaml["nic"]["congestion_control"], {
            "algorithm": "dcqcn", "preset": "adapter", "g": "5/1024", "increase_timer": "500us", "r_ai": "10Mbps",
            "cut_floor": "50/100"})
        self.assertEqual(yaml["nic"]["cnp"], {"interval": "50us"})
        self.assertEqual(yaml["nic"]["recovery"], {"adaptive": True})
        said = self.said(imported)
        for words in ("board_id", "roce_rp by priority (on for 3)", "roce_slow_restart_en 1"):
            self.assertIn(words, said)
        self.assertNotIn("roce_adp_retrans_en", said)
        off = samples.MLX5.replace("roce_adp_retrans_en | 0x00000001", "roce_adp_retrans_en | 0x00000000")
        self.assertEqual(self.read(mlx5, p_txt=off)[1]["nic"]["recovery"], {"adaptive": False})
        self.assertIn("is 0 to 1, not", self.refused(mlx5, p_txt="roce_adp_retrans_en | 0x00000002\n"))
        self.assertIn("1:1: rpg_gd without a number", self.refused(mlx5, p_txt="rpg_gd: eleven\n"))
        self.assertIn("1:12: cnp_dscp is 0 to 63, not '64'", self.refused(mlx5, p_txt="cnp_dscp : 64\n"))

    def test_mlxconfig_names_values_before_their_numbers(self):
        text = ("RPG_TIME_RESET_P1                   300\nCLAMP_TGT_RATE_P1                   False(0)\n"
                "CLAMP_TGT_RATE_AFTER_TIME_INC_P1    True(1)\nLINK_TYPE_P1                        ETH(2)\n")
        imported, yaml = self.read(mlx5, p_txt=text)
        self.assertEqual(yaml["nic"]["congestion_control"], {
            "algorithm": "dcqcn", "preset": "adapter", "increase_timer": "300us", "clamp_target": "after_timer"})
        self.assertIn("LINK_TYPE_P1", self.said(imported))

    def test_the_current_values_of_three_columns(self):
        _, yaml = self.read(mlx5, p_txt="RPG_TIME_RESET_P1     300    400    500    \n"
                            "CLAMP_TGT_RATE_P1   False(0)    True(1)     False(0)  \nCNP_DSCP_P1  48\n")
        self.assertEqual(yaml["nic"], {"congestion_control": {
            "algorithm": "dcqcn", "preset": "adapter", "increase_timer": "400us", "clamp_target": "always"},
            "cnp": {"dscp": 48}})

    def test_how_an_adapter_cuts(self):
        imported, yaml = self.read(mlx5, p_txt="rp_gd: 12\nrp_min_dec_fac: 75\nrp_rate_to_set_on_first_cnp: 5000\n"
                                   "rp_clamp_tgt_rate: 1\n")
        self.assertEqual(yaml["nic"]["congestion_control"], {
            "algorithm": "dcqcn", "preset": "adapter", "cut_divisor": 4, "first_rate": "5Gbps", "cut_floor": "75/100",
            "clamp_target": "always"})
        self.assertEqual(imported.notes.not_expressed, [])
        imported, yaml = self.read(mlx5, p_txt="rate_to_set_on_first_cnp 0\nclamp_tgt_rate 0\n"
                                   "clamp_tgt_rate_after_time_inc 0\n")
        self.assertNotIn("first_rate", yaml["nic"]["congestion_control"])
        self.assertIn("clamp_tgt_rate_after_time_inc 0", "".join(imported.notes.not_expressed))
        self.assertIn("1:8: rpg_gd is 10 to 25, not '9'", self.refused(mlx5, p_txt="rpg_gd 9\n"))

    def test_irdma(self):
        imported, yaml = self.read(irdma, {"rtt": "8us"}, p_conf=samples.IRDMA)
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "dcqcn", "f": 3, "increase_timer": "100us",
                                                             "byte_counter": "200KB", "r_ai": "2.048Gbps"})
        imported, yaml = self.read(irdma, p_conf=samples.IRDMA.replace("valid=1", "valid=0"))
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "dcqcn"})
        self.assertIn("no effect", self.said(imported))

    def test_flags_of_modules(self):
        text = "/sys/module/irdma/parameters/dcqcn_enable:Y\n/sys/module/irdma/parameters/dcqcn_T:{}\n"
        _, yaml = self.read(irdma, p_txt=text.format(100))
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "dcqcn", "increase_timer": "100us"})
        _, yaml = self.read(irdma, p_txt=text.format(100).replace(":Y", ":N"))
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "none"})

    def test_bnxt_configfs_has_names_of_its_own(self):
        place = "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/"
        pairs = ("ecn_enable:0x1", "ecn_marking:0x1", "cc_mode:1", "g:0x8", "roce_dscp:26", "roce_prio:3",
                 "cnp_dscp:48", "cnp_prio:7")
        text = "".join(f"{place}{pair}\n" for pair in pairs)
        imported, yaml = self.read(bnxt, p_txt=text)
        self.assertEqual(yaml["nic"], {"congestion_control": {"algorithm": "dcqcn", "g": "1/256"},
                                       "cnp": {"dscp": 48, "priority": 7}})
        self.assertEqual(imported.notes.ignored, [])
        self.assertIn("roce_prio 3", imported.notes.not_expressed)
        _, yaml = self.read(bnxt, p_txt=place + "ecn_enable:0x0\n")
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "none"})

    def test_bnxt(self):
        imported, yaml = self.read(bnxt, p_txt=samples.BNXT)
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "dcqcn", "g": "1/256"})
        self.assertIn("probabilistic", self.said(imported))


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
        # The first line of a list without a head has commas as well.
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
                continue  # every tree is refused
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

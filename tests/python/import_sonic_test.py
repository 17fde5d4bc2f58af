"""Tests `dccvp import sonic`: buffers, queues and watchdogs of a CONFIG_DB, and settings that differ between ports."""

import json
import re

import import_samples as samples
import package
from import_case import Import

from dccvp.common.ending import InputError
from dccvp.importers import sonic

MARKING = {"ecn": "ecn_all", "green_min_threshold": "300000", "green_max_threshold": "600000",
           "green_drop_probability": "20"}
DROPPING = {"ecn": "ecn_none", "wred_green_enable": "true", "green_min_threshold": "1000",
            "green_max_threshold": "2000", "green_drop_probability": "50"}


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
        # A lossless queue that uses the pool of the lossy queues belongs to that pool, without a limit of its own.
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
        # Queue 2 carries packets of two priority groups, and a lossless queue has a class of its own.
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


class QueuesByPort(Import):
    def read_with(self, **tables):
        """Imports the sample with additional rows in these tables. Returns (Imported, YAML document)."""
        base = json.loads(samples.SONIC)
        for table, rows in tables.items():
            base.setdefault(table, {}).update(rows)
        return self.read(sonic, db_json=json.dumps(base))

    def test_marking(self):
        imported, yaml = self.read_with(
            WRED_PROFILE={"V": MARKING, "L": DROPPING},
            QUEUE={"Ethernet8|3": {"wred_profile": "V"}, "Ethernet8|4": {"wred_profile": "W"},
                   "Ethernet24|3": {"wred_profile": "W"}, "Ethernet24|4": {"scheduler": "a"},
                   "Ethernet24|0": {"wred_profile": "L"}, "Ethernet16|0": {"wred_profile": "L"},
                   "Ethernet8|0": {"wred_profile": "V"}})
        self.assertEqual(yaml["switch"]["ecn"], {"kmin": "200KB", "kmax": "800KB", "pmax": "0.1", "priorities": [3, 4]})
        self.assertIs(yaml["switch"]["priorities"][0]["ecn"]["drop"], True)
        marks = {"enabled": True, "kmin": "300KB", "kmax": "600KB", "pmax": "0.2", "drop": False}
        self.assertEqual(yaml["switches"], [
            {"ports": ["Ethernet8"], "priorities": {0: {"ecn": marks}, 3: {"ecn": marks}}},
            {"ports": ["Ethernet24"], "priorities": {4: {"ecn": {"enabled": False, "drop": False}}}},
            {"ports": ["Ethernet24"], "scheduler": {"kind": "ets", "weights": [1, 1, 1, 1, 30, 1, 1, 1]}}])
        self.assertNotIn("several WRED", self.said(imported))

    def test_rows_without_a_profile_and_unknown_profiles(self):
        _, yaml = self.read_with(QUEUE={"Ethernet8|4": {"wred_profile": "absent"}, "Ethernet24|2": {"scheduler": "a"},
                                        "Ethernet24|4": {"wred_profile": "W"}, "Ethernet24|0-7": {"scheduler": "a"}})
        # A profile that is missing in the file is unknown. Queue 4 gets its profile from another row; queue 3 has
        # none.
        self.assertEqual(yaml["switches"], [
            {"ports": ["Ethernet24"], "priorities": {3: {"ecn": {"enabled": False, "drop": False}}}},
            {"ports": ["Ethernet16"], "scheduler": {"kind": "ets", "weights": [1, 1, 1, 30, 30, 1, 0, 1]}}])

    def test_profile_of_most_queues_marks_nothing(self):
        _, yaml = self.read_with(WRED_PROFILE={"V": MARKING, "W": {"ecn": "ecn_none"}},
                                 QUEUE={"Ethernet8|5": {"wred_profile": "V"}})
        self.assertEqual(yaml["switch"]["ecn"], {"enabled": False})
        self.assertEqual(yaml["switch"]["priorities"][5]["ecn"],
                         {"enabled": True, "kmin": "300KB", "kmax": "600KB", "pmax": "0.2"})

    def test_limits(self):
        imported, yaml = self.read_with(
            BUFFER_PROFILE={"q": {"size": "0", "dynamic_th": "1"}, "fixed": {"size": "0", "static_th": "50000"},
                            "open": {"size": "0"}},
            BUFFER_QUEUE={"Ethernet8,Ethernet16|0-4": {"profile": "q"}, "Ethernet24|0": {"profile": "fixed"},
                          "Ethernet24|1": {"profile": "open"}, "Ethernet24|3": {"profile": "fixed"}})
        self.assertEqual(yaml["switch"]["priorities"][1], {"queue": {"alpha": "2"}})
        self.assertEqual(yaml["switches"], [{"ports": ["Ethernet24"], "priorities": {
            0: {"queue": {"limit": "50KB"}}, 1: {"queue": {"alpha": "128"}}}}])
        self.assertNotIn("BUFFER_QUEUE by port", self.said(imported))

    def test_watchdogs(self):
        database = json.loads(samples.SONIC)
        most = {"action": "drop", "detection_time": "200", "restoration_time": "400"}
        database["PFC_WD"] = {"Ethernet16": most}
        imported, yaml = self.read(sonic, db_json=json.dumps(database))
        self.assertEqual(yaml["switch"]["pfc"]["watchdog"], {"detect": "200ms", "restore": "400ms", "action": "drop"})
        self.assertEqual(yaml["switches"], [{"ports": ["Ethernet8", "Ethernet24"], "watchdog": {"enabled": False}}])
        database["PFC_WD"] = {"Ethernet8,Ethernet16,Ethernet24": most}
        imported, yaml = self.read(sonic, db2_json=json.dumps(database))
        self.assertNotIn("switches", yaml)
        self.assertNotIn("PFC_WD", "".join(imported.notes.not_expressed))
        database["PFC_WD"] = {"Ethernet8,Ethernet16": most, "GLOBAL": {"POLL_INTERVAL": "150"},
                              "Ethernet24": {"action": "forward", "detection_time": "100", "restoration_time": "900"}}
        imported, yaml = self.read(sonic, db3_json=json.dumps(database))
        self.assertEqual(yaml["switch"]["pfc"]["watchdog"]["poll"], "100ms")
        self.assertIn("POLL_INTERVAL 150 is above detection_time 100", self.said(imported))
        self.assertEqual(yaml["switches"], [{"ports": ["Ethernet24"], "watchdog": {
            "detect": "100ms", "restore": "900ms", "action": "forward"}}])
        database["PFC_WD"]["Ethernet24"]["action"] = "alert"
        imported, yaml = self.read(sonic, db4_json=json.dumps(database))
        self.assertEqual(yaml["switches"], [{"ports": ["Ethernet24"], "watchdog": {"enabled": False}}])
        self.assertIn("action alert: no watchdog at Ethernet24", self.said(imported))

    def test_schedulers(self):
        database = json.loads(samples.SONIC)
        database["SCHEDULER"] = {"a": {"type": "DWRR", "weight": "60"}, "b": {"type": "DWRR", "weight": "40"},
                                 "s": {"type": "STRICT"}}
        database["QUEUE"] = {}
        for port, other in (("Ethernet8", "b"), ("Ethernet16", "b"), ("Ethernet24", "s")):
            database["QUEUE"][f"{port}|0-2"] = {"scheduler": "a"}
            database["QUEUE"][f"{port}|3"] = {"scheduler": other}
        imported, yaml = self.read(sonic, db_json=json.dumps(database))
        self.assertEqual(yaml["switch"]["scheduler"], {"kind": "ets", "weights": [60, 60, 60, 40, 1, 1, 1, 1]})
        self.assertEqual(yaml["switches"], [{"ports": ["Ethernet24"], "scheduler": {
            "kind": "ets", "weights": [60, 60, 60, 0, 1, 1, 1, 1]}}])
        self.assertNotIn("schedulers by port", self.said(imported))

    def test_settings_of_ports_of_other_line_cards_are_named(self):
        database = json.loads(samples.SONIC)
        database["WRED_PROFILE"]["V"] = {"ecn": "ecn_all", "green_max_threshold": "500000"}
        database["QUEUE"]["card2|asic0|Ethernet8|3"] = {"wred_profile": "V"}
        imported, yaml = self.read(sonic, db_json=json.dumps(database))
        self.assertIn("for card2|asic0|Ethernet8: the table PORT does not have them", self.said(imported))
        self.assertNotIn("card2", str(yaml.get("switches", "")))

    def test_without_ports_the_settings_are_named(self):
        base = json.loads(samples.SONIC)
        del base["PORT"]
        base["WRED_PROFILE"]["V"] = MARKING
        base["QUEUE"]["Ethernet8|3"] = {"wred_profile": "V"}
        imported, yaml = self.read(sonic, db_json=json.dumps(base))
        self.assertNotIn("switches", yaml)
        self.assertIn("settings by port, for Ethernet8: the table PORT", self.said(imported))


if __name__ == "__main__":
    package.main()

"""dccvp import sonic: settings of queues that differ by port."""

import json

import import_samples as samples
import package
from import_test import Import

from dccvp.importers import sonic

MARKING = {"ecn": "ecn_all", "green_min_threshold": "300000", "green_max_threshold": "600000",
           "green_drop_probability": "20"}
DROPPING = {"ecn": "ecn_none", "wred_green_enable": "true", "green_min_threshold": "1000",
            "green_max_threshold": "2000", "green_drop_probability": "50"}


class QueuesByPort(Import):
    def read_with(self, **tables):
        """(Imported, YAML document) of the sample with more rows in these tables."""
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
        # A profile that the file lacks is unknown; another row gives queue 4 its profile; queue 3 has none.
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

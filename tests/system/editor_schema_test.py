#!/usr/bin/python3
"""Tests that the schema for editors accepts every configuration that the program accepts, and reports a misspelt key.

  editor_schema_test.py DCCVP
"""

import json
import pathlib
import subprocess
import sys
import unittest
from typing import Any

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DCCVP = sys.argv[1]


class EditorSchema(unittest.TestCase):
    schema: dict[str, Any]
    validator: Any

    @classmethod
    def setUpClass(cls):
        said = subprocess.run([DCCVP, "params", "--format", "schema"], capture_output=True,
                              check=True).stdout
        cls.schema = json.loads(said)
        jsonschema.Draft7Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft7Validator(cls.schema)

    def complaint(self, text):
        # An editor treats all keys as text.
        document = json.loads(json.dumps(yaml.load(text, Loader=yaml.BaseLoader)))
        return next(iter(self.validator.iter_errors(typed(document))), None)

    def test_every_shipped_configuration(self):
        files = sorted(ROOT.glob("configs/*.yaml")) + sorted(ROOT.glob("configs/reproduce/*.yaml"))
        self.assertGreater(len(files), 10)
        for file in files:
            with self.subTest(file=file.name):
                self.assertIsNone(self.complaint(file.read_text()))

    def test_slips(self):
        for text in ("sead: 1", "duration: 5", "duration: 5mss", "switch: {ecn: {kmin: 5Kb}}",
                     "nic: {ack: per_pocket}", "nic: {mtu: big}", "traffic: {kind: flow}",
                     "traffic: [{kind: flaw}]", "dscp: {gold: {weight: 1}}",
                     "dscp: {46: {priority: 8}}", "host: {driver: firmware, gdb: 80}",
                     "switch: {pfc: {enabled: maybe}}"):
            with self.subTest(text=text):
                self.assertIsNotNone(self.complaint(text))

    def test_words_in_the_place_of_a_quantity(self):
        for text in ("switch: {pfc: {headroom: auto}}", "dscp: {46: {min_rate: none}}",
                     "dscp: {46: {weight: 1/8, max_rate: 2.5Gbps}}", "traffic: [{senders: 1..8}]"):
            with self.subTest(text=text):
                self.assertIsNone(self.complaint(text))


def typed(node):
    """Converts scalars to values by the rules of YAML 1.2, as editors do."""
    if isinstance(node, dict):
        return {key: typed(value) for key, value in node.items()}
    if isinstance(node, list):
        return [typed(item) for item in node]
    for text, value in (("true", True), ("false", False)):
        if node == text:
            return value
    for kind in (int, float):
        try:
            return kind(node)
        except ValueError:
            pass
    return node


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

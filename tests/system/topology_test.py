#!/usr/bin/python3
"""Tests the drawing of a network: the picture shows every part of the configuration, no parts overlap, and the table
agrees with the picture.

  topology_test.py BUILD/dccvp
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
DCCVP = ""

CUSTOM = """\
duration: 1ms
topology:
  kind: custom
  nodes: [{name: "a<b"}, {name: c}, {name: s, kind: switch}, {name: t, kind: switch}, {name: u, kind: switch}]
  links:
    - {from: "a<b", to: s}
    - {from: c, to: t}
    - {from: s, to: t}
    - {from: s, to: u}
    - {from: t, to: u}
    - {from: t, to: u, rate: 400Gbps}
host: {driver: none}
traffic:
  - {kind: flow, from: 0, to: 1}
"""


def topology(*arguments, cwd=ROOT):
    return subprocess.run([DCCVP, "topology", *map(str, arguments)], cwd=cwd, capture_output=True,
                          text=True, timeout=PATIENCE, check=False)


class Drawing:
    """The contents of a drawing: boxes as (name, x, y, width, height), cables as sets of wires."""

    def __init__(self, text):
        root = ElementTree.fromstring(text)
        self.width, self.height = float(root.get("width")), float(root.get("height"))
        self.boxes, self.wires = {}, []
        for group in root.iter(SVG + "g"):
            if group.get("data-node"):
                self.add(group.get("data-node"), group.find(SVG + "rect"))
        for rect in root.iter(SVG + "rect"):
            title = rect.find(SVG + "title")
            if title is not None:
                self.add(title.text, rect)
        for element in root.iter():
            if element.get("data-up"):
                self.wires += [element.get("data-up"), element.get("data-down")]
        self.text = "".join(root.itertext())

    def add(self, name, rect):
        assert name not in self.boxes, f"{name} drawn twice"
        self.boxes[name] = tuple(float(rect.get(key)) for key in ("x", "y", "width", "height"))


class Topology(unittest.TestCase):
    def drawing(self, *arguments, cwd=ROOT):
        done = topology(*arguments, "--svg", cwd=cwd)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        picture = Drawing(done.stdout)
        self.assertEqual(len(picture.wires), len(set(picture.wires)), "a wire is drawn twice")
        boxes = sorted(picture.boxes.items(), key=lambda item: item[1][0])
        for i, (name, (x, y, width, height)) in enumerate(boxes):
            self.assertGreaterEqual(min(x, y), 0, name)
            self.assertLessEqual(x + width, picture.width, name)
            self.assertLessEqual(y + height, picture.height, name)
            for other, (ox, oy, _, other_height) in boxes[i + 1:]:
                if ox >= x + width:
                    break
                self.assertFalse(y < oy + other_height and oy < y + height, f"{name} on {other}")
        return picture

    def test_fat_tree_of_320_hosts(self):
        picture = self.drawing("configs/reproduce/fbhadoop_dcqcn.yaml")
        racks, aggs, cores = range(20), range(20), range(16)
        names = {f"h{i}" for i in range(320)} | {f"rack{i}" for i in racks}
        names |= {f"agg{i}" for i in aggs} | {f"core{i}" for i in cores}
        self.assertEqual(set(picture.boxes), names)
        pairs = [(f"h{h}", f"rack{h // 16}") for h in range(320)]
        pairs += [(f"rack{r}", f"agg{a}") for r in racks for a in aggs if r // 4 == a // 4]
        pairs += [(f"agg{a}", f"core{c}") for a in aggs for c in cores if a % 4 == c // 4]
        wires = {f"{a}->{b}" for a, b in pairs} | {f"{b}->{a}" for a, b in pairs}
        self.assertEqual(set(picture.wires), wires)
        self.assertIn("fat_tree: 320 hosts, 56 switches, 480 cables", picture.text)
        layers = [picture.boxes[name][1] for name in ("core0", "agg0", "rack0", "h0")]
        self.assertEqual(layers, sorted(layers))

    def test_small_ones(self):
        star = self.drawing("configs/demo.yaml")
        self.assertEqual(set(star.boxes), {f"h{i}" for i in range(9)} | {"s0"})
        lot = self.drawing("configs/reproduce/ib_parking_lot.yaml")
        self.assertIn("s0->s1", lot.wires)
        self.assertEqual(lot.boxes["s0"][1], lot.boxes["s1"][1], "a chain is level")
        many = self.drawing("configs/demo.yaml", "-c", "topology.hosts=1000", "-c", "traffic=[]")
        self.assertEqual(len(many.boxes), 1001)

    def test_shapes(self):
        for shape, hosts, switches, wire in (
                ("kind: fat_tree, k: 4, oversubscription: 2", 32, 20, "rack0->agg1"),
                ("kind: leaf_spine, leaves: 3, hosts_per_leaf: 4, spines: 2", 12, 5, "leaf2->spine1"),
                ("kind: rail, units: 2, rails: 2, servers: 3, spines: 2", 12, 6, "u1_rail0->spine1"),
                ("kind: torus, dimensions: [3, 3]", 9, 9, "r2_0->r0_0"),
                ("kind: torus, dimensions: [3, 3], wrap: false", 9, 9, "r1_0->r1_1"),
                ("kind: dragonfly, groups: 4, routers: 3, hosts_per_router: 1", 12, 12, "g0_0->g1_0")):
            picture = self.drawing("configs/demo.yaml", "-c", f"topology={{{shape}}}",
                                   "-c", "traffic=[]")
            self.assertEqual(len(picture.boxes), hosts + switches, shape)
            self.assertIn(wire, picture.wires, shape)
            self.assertIn(f": {hosts} hosts, {switches} switches", picture.text)

    def test_custom(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "custom.yaml").write_text(CUSTOM)
            picture = self.drawing("custom.yaml", cwd=folder)
            self.assertEqual(set(picture.boxes), {"a<b", "c", "s", "t", "u"})
            self.assertEqual(len(picture.wires), 12)
            self.assertIn("t->u#1", picture.wires)
            done = topology("custom.yaml", "--svg", "drawn.svg", cwd=folder)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            Drawing((folder / "drawn.svg").read_text())

    def test_table(self):
        done = topology("configs/reproduce/fbhadoop_dcqcn.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\n  rack19 +1 +20 +4 +h304\.\.h319 +0\.964 : 1\n")
        self.assertRegex(done.stdout, r"\n  core15 +3 +5 +5 +- +-\n")
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_table_tells_the_oversubscription(self):
        """Leaves have eight hosts of 200 Gb/s and four cables to spines."""
        for fabric, ratio in (("100Gbps", "4 : 1"), ("200Gbps", "2 : 1"), ("400Gbps", "1 : 1"),
                              ("300Gbps", "1.33 : 1")):
            done = topology("configs/demo.yaml", "-c", "traffic=[]", "-c", "topology={kind: leaf_spine, leaves: 2, "
                            "hosts_per_leaf: 8, spines: 4, host_link: {rate: 200Gbps}, fabric_link: {rate: "
                            f"{fabric}}}}}")
            self.assertRegex(done.stdout, rf"\n  leaf1 +1 +12 +4 +h8\.\.h15 +{ratio}\n")
            self.assertRegex(done.stdout, r"\n  spine3 +2 +2 +2 +- +-\n")

    def test_errors(self):
        unconnected = ("configs/demo.yaml", "-c", "traffic=[]", "-c",
                       "topology={kind: custom, nodes: [{name: a}, {name: b}], links: []}")
        for arguments in (("missing.yaml",), ("configs/demo.yaml", "--svg", "/nowhere/x.svg"),
                          unconnected):
            done = topology(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertTrue(re.fullmatch(r"dccvp: .*\n", done.stderr), done.stderr)


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

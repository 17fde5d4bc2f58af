#!/usr/bin/python3
"""Tests the device trees that `dccvp dts` prints: dtc accepts each without a warning, every node agrees with the
memory map, and machine virt has the same nodes as QEMU's machine of that name where the two share devices.

  dts_test.py DCCVP FIRMWARE_FOLDER SOURCE_FOLDER
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
from harness import PATIENCE, SKIPPED  # noqa: E402

DCCVP, FIRMWARE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
QEMU = "qemu-system-riscv32"
NETWORK = f"""\
duration: 1ms
topology: {{kind: star, hosts: 4}}
nic: {{congestion_control: {{algorithm: dcc}}}}
host: {{driver: firmware, elf: {FIRMWARE}/traffic.elf, ram: 8MiB, clock: 400MHz}}
hosts:
  "2": {{machine: virt, rom: {{base: 0x20000000, size: 1MiB}}}}
  "3": {{driver: native}}
"""


def run(*command, text=None):
    return subprocess.run([str(part) for part in command], input=text, capture_output=True, timeout=PATIENCE,
                          check=False)


def parse(blob):
    """Returns {path of a node: {property: bytes}} of a flattened device tree."""
    def word(at):
        return int.from_bytes(blob[at:at + 4], "big")

    at, strings = word(8), word(12)
    path, nodes = [], {}
    while True:
        token = word(at)
        at += 4
        if token == 1:  # token 1 begins a node
            end = blob.index(b"\0", at)
            path.append(blob[at:end].decode())
            nodes["/".join(path) or "/"] = {}
            at = (end + 4) // 4 * 4
        elif token == 2:  # token 2 ends a node
            path.pop()
        elif token == 3:  # token 3 is a property
            size, name = word(at), strings + word(at + 4)
            key = blob[name:blob.index(b"\0", name)].decode()
            nodes["/".join(path) or "/"][key] = blob[at + 8:at + 8 + size]
            at += 8 + (size + 3) // 4 * 4
        elif token == 9:
            return nodes


def cells(value):
    return [int.from_bytes(value[i:i + 4], "big") for i in range(0, len(value), 4)]


def names(value):
    return value.decode().rstrip("\0").split("\0")


class DeviceTrees(unittest.TestCase):
    def compiled(self, *arguments):
        source = run(DCCVP, "dts", *arguments)
        self.assertEqual((source.returncode, source.stderr), (0, b""))
        blob = run("dtc", "-I", "dts", "-O", "dtb", text=source.stdout)
        self.assertEqual((blob.returncode, blob.stderr), (0, b""), source.stdout.decode())
        return parse(blob.stdout)

    def network(self, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(NETWORK)
            file.flush()
            return self.compiled(file.name, *arguments)

    def check_devices(self, tree, stem, absent=()):
        """Checks that the device tree has a node for each region of the memory map with a node name, and no further
        node except the ROM."""
        memory = yaml.safe_load((ROOT / f"rtl/regs/{stem}.yaml").read_text(encoding="utf-8"))
        blocks = {name: yaml.safe_load((ROOT / f"rtl/regs/{name}.yaml").read_text(encoding="utf-8"))
                  for name in ("dcc", "nic")}
        sources = {i["name"]: i["number"] if "number" in i else blocks[i["map"]]["interrupt"]["number"]
                   for i in memory["interrupts"]}
        lines = [p for p in tree if re.fullmatch("/cpus/cpu@[0-9a-f]+/interrupt-controller", p)]
        self.assertEqual(len(lines), 1)
        hart = cells(tree[lines[0]]["phandle"])
        there = {p for p in tree if p.startswith("/soc/") and "/rom@" not in p}
        self.assertEqual(cells(tree["/cpus"]["timebase-frequency"]), [memory["timebase"]])
        for region in memory["regions"]:
            node = region.get("device_tree")
            if node is None or region.get("map") in absent:
                continue
            block = blocks.get(region.get("map"))
            base = block["base_address"] if block else region["base"]
            path = f"/soc/{node['node']}@{base:x}"
            there.remove(path)
            found = tree[path]
            self.assertEqual(names(found["compatible"]), node["compatible"], path)
            self.assertEqual(cells(found["reg"]), [base, 1 << block["address_width"] if block else region["size"]])
            if "interrupt" in node:
                self.assertEqual(cells(found["interrupts"]), [sources[node["interrupt"]]], path)
            if "hart_interrupts" in node:
                self.assertEqual(cells(found["interrupts-extended"]),
                                 [x for line in node["hart_interrupts"] for x in (*hart, line)], path)
            for key, value in node.get("properties", {}).items():
                self.assertEqual(cells(found[key]), [value], path)
        self.assertEqual(there, set())

    def test_machines_of_run_elf(self):
        for machine, stem in (("dcc", "memory_map"), ("virt", "memory_map_virt")):
            with self.subTest(machine):
                tree = self.compiled("--machine", machine)
                self.check_devices(tree, stem, absent=("dcc", "nic"))
                self.assertEqual(cells(tree["/memory@80000000"]["reg"]), [0x80000000, 4 << 20])

    def test_hosts_of_a_network(self):
        tree = self.network("--host", "1")
        self.check_devices(tree, "memory_map")
        self.assertEqual(cells(tree["/cpus/cpu@1"]["clock-frequency"]), [400_000_000])
        self.assertEqual(cells(tree["/memory@80000000"]["reg"]), [0x80000000, 8 << 20])
        tree = self.network("--host", "2")
        self.check_devices(tree, "memory_map_virt")
        self.assertIn("/cpus/cpu@0", tree)
        self.assertEqual(cells(tree["/soc/rom@20000000"]["reg"]), [0x20000000, 1 << 20])
        tree = self.network("--host", "1", "-c", "host.clock=5GHz")  # a RAM size of more than 32 bits
        self.assertEqual(cells(tree["/cpus/cpu@1"]["clock-frequency"]), [1, 5_000_000_000 - (1 << 32)])
        tree = self.network("-c", "nic.congestion_control.algorithm=dcqcn", "--host", "0")
        self.check_devices(tree, "memory_map", absent=("dcc",))

    def test_several_harts(self):
        for host, controller, contexts in (("0", "interrupt-controller@c000000", 1), ("2", "plic@c000000", 4)):
            with self.subTest(host):
                tree = self.network("--host", host, "-c", "host.harts=4", "-c", "hosts.2.harts=4")
                harts = [cells(tree[f"/cpus/cpu@{i}/interrupt-controller"]["phandle"])[0] for i in range(4)]
                self.assertEqual([cells(tree[f"/cpus/cpu@{i}"]["reg"]) for i in range(4)], [[0], [1], [2], [3]])
                self.assertEqual(cells(tree["/soc/clint@2000000"]["interrupts-extended"]),
                                 [x for hart in harts for x in (hart, 3, hart, 7)])
                found = next(p for p in tree if p == f"/soc/{controller}" or p.endswith("/" + controller))
                self.assertEqual(cells(tree[found]["interrupts-extended"]),
                                 [x for hart in harts[:contexts] for x in (hart, 11)])

    def test_refusals(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(NETWORK)
            file.flush()
            for arguments, words in (((file.name, "--host", "3"), b"host 3 has no modelled processor"),
                                     ((file.name, "--host", "4"), b"--host 4: the last host is 3"),
                                     ((file.name, "--machine", "dcc"), b"--machine: CONFIG says"),
                                     ((file.name, "--harts", "2"), b"--harts: CONFIG says"),
                                     (("--harts", "5"), b"--harts: "),
                                     (("--machine", "virt", "--host", "1"), b"--host: names a host of CONFIG")):
                done = run(DCCVP, "dts", *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)

    def imported(self, folder, tree, elf):
        """Imports a device tree from bytes. Returns the printed lines and the resulting configuration."""
        file, net = folder / "tree", folder / "net"
        file.write_bytes(tree)
        done = run(DCCVP, "import", "dts", file, "-o", net, "--force", f"--set=elf={FIRMWARE / elf}")
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)
        return done.stdout.decode(), net / "network.yaml"

    def test_harts_of_run_elf(self):
        tree = self.compiled("--machine", "virt", "--harts", "3")
        self.assertEqual([p for p in sorted(tree) if re.fullmatch("/cpus/cpu@[0-9a-f]", p)],
                         [f"/cpus/cpu@{i}" for i in range(3)])

    def test_an_own_tree_goes_there_and_back(self):
        for machine, elf in (("dcc", "traffic.elf"), ("virt", "virt_c.elf")):
            for options in ("harts: 1, clock: 1.25GHz, ram: 24MiB, rom: {base: 0x20000000, size: 2MiB}",
                            "harts: 4, clock: 10GHz, ram: 1GiB"):
                with self.subTest(machine, options=options), tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    config = folder / "first.yaml"
                    config.write_text("topology: {kind: star, hosts: 2}\n"
                                      f"host: {{driver: firmware, machine: {machine}, elf: {FIRMWARE / elf}, "
                                      f"keeps_accounts: false, {options}}}\n", encoding="utf-8")
                    source = run(DCCVP, "dts", config).stdout
                    blob = run("dtc", "-q", "-I", "dts", "-O", "dtb", text=source).stdout
                    for tree in (source, blob):
                        told, network = self.imported(folder, tree, elf)
                        self.assertNotIn("Not expressed", told)
                        self.assertNotIn("Ignored", told)
                        self.assertEqual(run(DCCVP, "dts", network).stdout, source)

    @unittest.skipUnless(shutil.which(QEMU), f"{QEMU} is missing (package qemu-system-misc)")
    def test_the_tree_of_qemu_is_imported(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            file = folder / "virt.dtb"
            run(QEMU, "-M", f"virt,dumpdtb={file}", "-m", "64", "-smp", "2", "-bios", "none", "-nographic")
            told, network = self.imported(folder, file.read_bytes(), "virt_c.elf")
            host = yaml.safe_load(network.read_text(encoding="utf-8"))["host"]
        self.assertIn("4 devices at the machine's own addresses", told)
        self.assertEqual([host["machine"], host["harts"], host["ram"], host["rom"]["size"]],
                         ["virt", 2, "64MiB", "32MiB"])
        self.assertEqual(told.count("(virtio,mmio)"), 8)

    @unittest.skipUnless(shutil.which(QEMU), f"{QEMU} is missing (package qemu-system-misc)")
    def test_virt_is_as_in_qemu(self):
        ours = self.compiled("--machine", "virt")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "virt.dtb"
            run(QEMU, "-M", f"virt,dumpdtb={file}", "-cpu", "rv32,s=off,h=off", "-bios", "none", "-nographic")
            theirs = parse(file.read_bytes())
        self.assertEqual(ours["/cpus"]["timebase-frequency"], theirs["/cpus"]["timebase-frequency"])
        self.assertEqual(ours["/chosen"]["stdout-path"], theirs["/chosen"]["stdout-path"])
        shared = [path for path in ours if path.startswith("/soc/")]
        self.assertEqual(len(shared), 4)
        for path in shared:
            with self.subTest(path):
                # QEMU's device tree uses two cells for addresses and sizes.
                self.assertEqual(cells(ours[path]["reg"]), cells(theirs[path]["reg"])[1::2])
                for key in ("compatible", "interrupts", "riscv,ndev", "clock-frequency"):
                    self.assertEqual(ours[path].get(key), theirs[path].get(key), key)


if __name__ == "__main__":
    if shutil.which("dtc") is None:
        print("dtc is missing (package device-tree-compiler): skipped")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])

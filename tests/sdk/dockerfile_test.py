#!/usr/bin/python3
"""Tests the Dockerfile: every file and package that its steps call, copy or install exists. With --full, debootstrap
and root the test also executes the steps in a fresh root file system of Debian 12, which is a complete build from the
network.

  dockerfile_test.py SOURCE [--full]
"""

import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")


def steps():
    """Yields (instruction, arguments) of the Dockerfile, with continued lines joined."""
    text = (SOURCE / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(None, 1)) for line in lines]


class Dockerfile(unittest.TestCase):
    def test_begins_from_debian_12_alone(self):
        images = [words.split()[0] for step, words in steps() if step == "FROM"]
        self.assertEqual(images, ["debian:12", "debian:12"])

    def test_shell_can_read_every_command(self):
        for step, words in steps():
            if step == "RUN":
                subprocess.run(["sh", "-n", "-c", words], check=True)

    def test_makes_a_target_that_there_is(self):
        targets = re.findall(r"^([a-z-]+):", (SOURCE / "Makefile").read_text(), re.MULTILINE)
        called = re.findall(r"^RUN make (\S+)$", (SOURCE / "Dockerfile").read_text(), re.MULTILINE)
        self.assertEqual(called, ["deb"])
        self.assertLessEqual(set(called), set(targets))

    def test_copies_the_package_from_where_it_is_left(self):
        (copied,) = re.findall(r"^COPY --from=build /src/(\S+) ", (SOURCE / "Dockerfile").read_text(),
                               re.MULTILINE)
        recipe = (SOURCE / "Makefile").read_text().split("\ndeb:", 1)[1].split("\n\n", 1)[0]
        folder = re.search(r"cpack -B (\S+)", recipe)[1]
        self.assertIn("cd $(BUILD)", recipe)
        build = re.search(r"^BUILD [:?]?= (\S+)$", (SOURCE / "Makefile").read_text(), re.MULTILINE)[1]
        self.assertTrue(fnmatch.fnmatch(f"{build}/{folder}/dccvp_1.0.0_amd64.deb", copied), copied)
        cmake = (SOURCE / "sdk/CMakeLists.txt").read_text()
        self.assertIn("set(CPACK_PACKAGE_NAME dccvp)", cmake)
        self.assertIn("set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)", cmake)

    def test_sends_no_results_and_builds_along(self):
        ignored = (SOURCE / ".dockerignore").read_text().split()
        for name in (".git", "build", "build-fast", "out", "handoff"):
            self.assertTrue(any(fnmatch.fnmatch(name, one) for one in ignored), name)
        for needed in ("models", "vp", "sdk", "python", "configs", "cmake", "Makefile", "sw", "rtl"):
            self.assertFalse(any(fnmatch.fnmatch(needed, one) for one in ignored), needed)

    @unittest.skipUnless(FULL and shutil.which("debootstrap") and os.geteuid() == 0,
                         "the steps are read, not carried out: that takes --full, debootstrap, root")
    def test_steps_work_in_a_clean_root(self):
        with tempfile.TemporaryDirectory(prefix="dccvp-docker-") as folder:
            root = pathlib.Path(folder) / "root"
            subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root], check=True)
            place = "/"
            for step, words in steps():
                if step == "FROM" and "AS" not in words:
                    break  # the second stage begins with files that the first stage has built
                if step == "WORKDIR":
                    place = words
                    (root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
                elif step == "COPY":
                    subprocess.run(["git", "-C", SOURCE, "checkout-index", "-a",
                                    f"--prefix={root}{place}/"], check=True)
                elif step == "RUN":
                    subprocess.run(["chroot", root, "sh", "-c", f"cd {place} && {words}"], check=True)
            self.assertTrue(list((root / "src/build/package").glob("dccvp_*.deb")))


if __name__ == "__main__":
    unittest.main()

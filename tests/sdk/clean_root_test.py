#!/usr/bin/python3
"""Installs the package in a fresh Debian 12 without the source tree, and runs the checks of sdk_test.py there, with
the package's own prefix and with another prefix. Needs root, debootstrap and network access.

  clean_root_test.py BUILD SOURCE [--root DIR]    DIR: a root that debootstrap has made, to be used again
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
BUILD, SOURCE = (pathlib.Path(a) for a in sys.argv[1:3])
ROOT = pathlib.Path(sys.argv[4]) if sys.argv[3:4] == ["--root"] else None
# Packages that are needed to build the examples. The Debian package suggests them.
TOOLS = ["g++", "cmake", "ninja-build", "pkg-config", "libsystemc-dev", "zlib1g-dev", "libdeflate-dev",
         "make", "verilator",
         "gcc-riscv64-unknown-elf", "picolibc-riscv64-unknown-elf", "python3-matplotlib", "zsh",
         "groff-base"]
HIDDEN = "DCCVP_SDK_TEST_FOLDER"
# Tests of the package below /usr. All other tests use the relocated package, since they would search all of /usr.
IN_PLACE = ["test_a_run_with_report_and_pictures", "test_a_systemc_platform_of_ones_own",
            "test_the_same_by_pkg_config", "test_an_algorithm_of_ones_own", "test_rtl_of_ones_own",
            "test_firmware_of_ones_own", "test_python_finds_the_program_beside_it", "test_manual_page"]


class CleanRoot(unittest.TestCase):
    def inside(self, *words, **environment):
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                 "DEBIAN_FRONTEND": "noninteractive", **environment}
        done = subprocess.run(["chroot", self.root, *map(str, words)], env=clean, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout[-4000:]}")
        return done.stdout

    def setUp(self):
        self.root = ROOT
        if self.root is None:
            folder = tempfile.TemporaryDirectory(prefix="dccvp-clean-")
            self.addCleanup(folder.cleanup)
            self.root = pathlib.Path(folder.name)
            subprocess.run(["debootstrap", "--variant=minbase", "bookworm", self.root], check=True,
                           stdout=subprocess.DEVNULL)
        subprocess.run(["cpack", "-B", self.root / "package"], cwd=BUILD, check=True, stdout=subprocess.DEVNULL)
        shutil.copy(SOURCE / "tests/sdk/sdk_test.py", self.root / "package/sdk_test.py")
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self.assertFalse((self.root / str(SOURCE).lstrip("/")).exists())
        self.inside("apt-get", "update")
        self.inside("apt-get", "install", "-y", "--no-install-recommends", *TOOLS)

    def installation(self, folder, tests):
        said = self.inside("python3", "-B", "-c", "import sys, unittest; "
                           "sys.argv[1:] = ['cmake', '/no/build', '/no/checkout']; "
                           "sys.path.insert(0, '/package'); import sdk_test; "
                           f"unittest.main('sdk_test', argv=['x', *{tests!r}])", **{HIDDEN: str(folder)})
        self.assertRegex(said, r"Ran \d+ tests?")
        self.assertNotIn("skipped", said)
        print(said.strip().splitlines()[-3:])

    def test_package_and_another_prefix(self):
        package = next((self.root / "package").glob("*.deb"))
        self.inside("apt-get", "install", "-y", "--no-install-recommends", f"/package/{package.name}")
        self.inside("mkdir", "-p", "/installed/moved")
        self.inside("ln", "-sfn", "/usr", "/installed/moved/opt")
        self.installation("/installed", [f"Installed.{name}" for name in IN_PLACE])
        self.inside("dpkg", "--remove", "dccvp")
        self.assertFalse((self.root / "usr/bin/dccvp").exists())
        self.inside("mkdir", "-p", "/other/moved", "/unpacked")
        self.inside("dpkg-deb", "--extract", f"/package/{package.name}", "/unpacked")
        self.inside("mv", "/unpacked/usr", "/other/moved/opt")
        self.installation("/other", ["Installed"])


if __name__ == "__main__":
    if os.geteuid() != 0 or (ROOT is None and shutil.which("debootstrap") is None):
        print("needs root and debootstrap")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])

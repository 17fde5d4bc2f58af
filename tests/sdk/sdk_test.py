#!/usr/bin/python3
"""Tests the installed product: it works without the source tree, in any folder, and is sufficient for building own
models.

  sdk_test.py CMAKE BUILD SOURCE [--deb]

The test installs into a folder, moves the folder, and continues in a mount namespace in which neither the source tree
nor its build is visible. Where mount namespaces are forbidden, both remain visible, and the test prints a note. With
--deb the test unpacks the Debian package into a folder instead.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

HIDDEN = "DCCVP_SDK_TEST_FOLDER"
PATIENCE = 900
RISCV = shutil.which("riscv64-unknown-elf-gcc")
GDB = shutil.which("gdb-multiarch")
# A congestion control that no example contains. A flow reduces its rate by an eighth when its round trip is twice the
# minimum, at most once per round trip, and increases it by a step in every other round trip.
OWN_PROGRAM = """\
#include "program/dcc_program.h"

struct flow {
  uint64_t until_ps; /* end of the round trip of the last change */
  uint32_t lowered;
};

static void lower(const struct dcc_event *event, struct flow *flow, struct dcc_result *result) {
  const uint32_t least = event->line_rate / 1000;
  const uint32_t rate = event->rate - event->rate / 8;
  ++flow->lowered;
  dcc_set_rate(result, rate > least ? rate : least);
}

static void raise(const struct dcc_event *event, struct dcc_result *result) {
  const uint32_t rate = event->rate + event->line_rate / 512;
  dcc_set_rate(result, rate < event->line_rate ? rate : event->line_rate);
}

static void acknowledged(const struct dcc_event *event, void *context, struct dcc_result *result) {
  struct flow *const flow = context;
  if (event->time_ps < flow->until_ps) return;
  flow->until_ps = event->time_ps + event->rtt_ps;
  if (event->rtt_ps > 2 * event->base_rtt_ps) {
    lower(event, flow, result);
  } else {
    raise(event, result);
  }
}

DCC_PROGRAM(.context_bytes = sizeof(struct flow), .flags = DCC_EACH_ACK, .on_ack = acknowledged);
"""


def run(*words, folder, fails=False, **environment):
    done = subprocess.run([str(w) for w in words], cwd=folder, env={**os.environ, **environment},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}")
    return done.stdout


class Installed(unittest.TestCase):
    folder = pathlib.Path(os.environ.get(HIDDEN, "/nowhere"))
    prefix = folder / "moved/opt"
    program = prefix / "bin/dccvp"
    data = prefix / "share/dccvp"

    def example(self, name, called=None):
        """Copies an example, as a user does."""
        place = self.folder / (called or name)
        shutil.copytree(self.data / "examples" / name, place)
        return place

    def built(self, place):
        run("cmake", "-S", place, "-B", place / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", folder=place,
            **({"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(self.folder)}
               if shutil.which("ccache") else {}))
        run("cmake", "--build", place / "build", folder=place)
        return place / "build"

    def test_a_run_with_report_and_pictures(self):
        out = self.folder / "demo"
        run(self.program, "run", self.data / "configs/demo.yaml", "-c", "duration=300us", "-c",
            "measure={from: 100us, to: 300us}", "--out", out, "--quiet", folder=self.folder)
        run(self.program, "report", out, folder=self.folder)
        self.assertTrue(list(out.glob("*.png")))
        self.assertGreater((out / "report.html").stat().st_size, 10_000)

    def test_experiments_that_come_with_it(self):
        self.assertIn("star_dctcp", run(self.program, "reproduce", "--list", folder=self.folder))

    def test_python_finds_the_program_beside_it(self):
        path = run("pkg-config", "--variable=pythonpath", "dccvp", folder=self.folder,
                   PKG_CONFIG_PATH=str(self.prefix / "lib/pkgconfig")).strip()
        said = run("/usr/bin/python3", "-B", "-c",
                   "import dccvp; from dccvp.program import program; print(program())",
                   folder=self.folder, PYTHONPATH=path, PATH="/usr/bin:/bin")
        self.assertEqual(pathlib.Path(said.strip()).resolve(), self.program.resolve())

    def test_nothing_names_the_place_it_was_built_in(self):
        # The program may contain the path of the checkout, where a build that is not installed looks last. Verilated
        # blocks contain the names of their sources in assertion messages.
        for file in self.prefix.rglob("*"):
            if (file.is_file() and file != self.program and file.suffix != ".a"
                    and file.name not in ("wheel_replay", "rate_replay", "controller_replay")):
                with self.subTest(file=file):
                    self.assertNotIn(sys.argv[3].encode(), file.read_bytes())

    def test_manual_page(self):
        page = self.prefix / "share/man/man1/dccvp.1"
        text = page.read_text()
        for command in ("run", "check", "params", "sweep", "report"):
            self.assertIn(f'.SH "dccvp {command}"', text)
        if shutil.which("groff"):
            self.assertEqual(run("groff", "-man", "-ww", "-z", page, folder=self.folder), "")

    def test_completion(self):
        script = self.prefix / "share/bash-completion/completions/dccvp"
        said = run("bash", "-c", f'source {script}; COMP_WORDS=(dccvp re); COMP_CWORD=1; _dccvp; '
                   'echo "${COMPREPLY[@]}"', folder=self.folder)
        self.assertIn("report", said.split())

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_finds_its_completion(self):
        place = self.prefix / "share/zsh/vendor-completions"
        said = run("zsh", "-f", "-c", f"fpath=({place} $fpath); autoload -Uz compinit; "
                   f"compinit -u -d {self.folder}/zcompdump; echo $_comps[dccvp]", folder=self.folder)
        self.assertEqual(said.strip(), "_dccvp")

    def test_a_systemc_platform_of_ones_own(self):
        build = self.built(self.example("systemc-controller"))
        said = run(build / "platform", folder=build)
        self.assertIn("1024 slots, enabled", said)
        rates = [float(line.split()[-2]) for line in said.splitlines() if "flow 42" in line]
        self.assertEqual(rates[0], 50_000.0)     # the CNP cuts the rate to a half
        self.assertGreater(rates[1], rates[0])   # the first CNP halves the rate
        self.assertLess(rates[2], rates[1])      # the timer raises the rate
        self.assertGreater(rates[-1], rates[2])  # the timer raises the rate again

    def test_the_same_with_a_systemc_of_ones_own(self):
        # Uses SystemC as Accellera's CMake package (SystemC::systemc), and hides it from pkg-config.
        place = self.example("systemc-controller", "own-systemc")
        (place / "SystemCLanguageConfig.cmake").write_text(
            "add_library(SystemC::systemc INTERFACE IMPORTED)\n"
            "target_link_libraries(SystemC::systemc INTERFACE -lsystemc)\n")
        run("cmake", "-S", place, "-B", place / "build", "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DSystemCLanguage_DIR={place}", folder=place,
            PKG_CONFIG_LIBDIR=str(place))
        run("cmake", "--build", place / "build", folder=place)
        self.assertIn("flow 42", run(place / "build/platform", folder=place))

    def test_the_same_by_pkg_config(self):
        place = self.example("systemc-controller", "by-pkg-config")
        command = "g++ -std=c++17 platform.cpp -o platform $(pkg-config --cflags --libs dccvp)"
        if shutil.which("ccache"):
            command = command.replace("g++", "ccache g++ -c").replace("-o platform ", "") + \
                " && g++ platform.o -o platform $(pkg-config --libs dccvp)"
        run("bash", "-e", "-c", command, folder=place,
            PKG_CONFIG_PATH=str(self.prefix / "lib/pkgconfig"), CCACHE_BASEDIR=str(self.folder))
        self.assertIn("flow 42", run(place / "platform", folder=place))

    def test_an_algorithm_of_ones_own(self):
        place = self.example("algorithm-plugin")
        self.built(place)
        run(self.program, "run", "platform.yaml", "--out", "one", "--quiet", folder=place)
        metrics = json.loads((place / "one/metrics.json").read_text())
        self.assertGreater(metrics["aggregate"]["rate_decreases"], 100)
        self.assertGreater(metrics["aggregate"]["rate_increases"], 100)
        # The parameters of the plug-in behave like built-in parameters.
        said = run(self.program, "params", "platform.yaml", "--match", "congestion_control.cut",
                   folder=place)
        self.assertIn("0.125   (platform.yaml:5:51; default 0.25)", said)
        self.assertIn("'2' is out of range (1/100 … 1)",
                      run(self.program, "check", "platform.yaml", "-c",
                          "nic.congestion_control.cut=2", folder=place, fails=True))
        # The effective configuration that a run writes reproduces the run from any folder.
        run(self.program, "run", place / "one/config.effective.yaml", "--out", "again", "--quiet",
            folder=self.folder)
        self.assertEqual((self.folder / "again/flows.csv").read_bytes(),
                         (place / "one/flows.csv").read_bytes())
        # Names the plug-in without a path.
        run(self.program, "check", "platform.yaml", "-c", "plugins=steps", folder=place,
            DCCVP_PLUGIN_PATH=f"/nowhere:{place / 'build'}")
        self.refusals(place)

    def refusals(self, place):
        def refused(value):
            return run(self.program, "check", "platform.yaml", "-c", f"plugins={value}",
                       folder=place, fails=True)

        self.assertIn("no plug-in of that name", refused("stairs"))
        self.assertIn("no such file", refused("build/stairs.so"))
        self.assertIn("is not a shared object", refused("steps.cpp"))
        shared = next(pathlib.Path("/lib").glob("*/libz.so.1"))
        self.assertIn("does not say that it is a plug-in", refused(shared))
        # Changes the interface version or the headers that the plug-in was built with.
        whole = (place / "build/steps.so").read_bytes()
        at = whole.index(b"dccvp plug-in\0\0\0") + 16
        for offset, words in ((0, "is built for plug-in interface 99, this program has"),
                              (4, "is built from other headers")):
            spoilt = bytearray(whole)
            spoilt[at + offset] = 99
            (place / "spoilt.so").write_bytes(spoilt)
            self.assertIn(words, refused("./spoilt.so"))
        for length in range(0, len(whole), len(whole) // 40):
            (place / "short.so").write_bytes(whole[:length])
            self.assertIn("short.so", refused("./short.so"))
        # Two plug-ins with the same name must be refused.
        shutil.copy(place / "build/steps.so", place / "twin.so")
        self.assertIn("two modules of nic.congestion_control named steps", refused("[build/steps.so, ./twin.so]"))

    def bytes_of(self, place, engine):
        """Files that a run of the example writes, with the rate unit computed by model or RTL."""
        run(self.program, "run", "platform.yaml", "-c", f"nic.controller.rate_lut={engine}", "--out",
            engine, "--force", "--quiet", folder=place)
        return [(place / engine / name).read_bytes() for name in ("flows.csv", "series/flow_rates.csv")]

    @unittest.skipUnless(shutil.which("verilator"), "no Verilator")
    def test_rtl_of_ones_own(self):
        place = self.example("rtl-rate-unit")
        self.built(place)
        run(self.program, "run", "platform.yaml", "--out", "both", "--quiet", folder=place)
        metrics = json.loads((place / "both/metrics.json").read_text())
        self.assertGreater(metrics["aggregate"]["rate_decreases"], 100)
        self.assertGreater(metrics["aggregate"]["rate_increases"], 100)
        whole = self.bytes_of(place, "model")
        self.assertEqual(self.bytes_of(place, "rtl"), whole)
        # A rate unit with a flat line segment, which is a fault. Lock-step finds the difference, and the run uses the
        # plug-in's responses.
        source = place / "my_rate_unit.sv"
        text = source.read_text()
        next_entry = "decrease[9'(argument[16:8] + 9'd1)]"
        self.assertIn(next_entry, text)
        source.write_text(text.replace(next_entry, "decrease[argument[16:8]]"))
        self.built(place)
        said = run(self.program, "run", "platform.yaml", "--out", "broken", "--quiet", folder=place,
                   fails=True)
        self.assertIn("rate unit (my_rate_unit): model and RTL differ after", said)
        self.assertRegex(said, r"\n +model: rc .*\n +RTL: +rc ")
        self.assertNotEqual(self.bytes_of(place, "rtl"), whole)
        self.assertEqual(self.bytes_of(place, "model"), whole)
        # A process may have only one rate unit, so a second one is refused.
        shutil.copy(place / "build/my_rate_unit.so", place / "twin.so")
        self.assertIn("two rate units, my_rate_unit and my_rate_unit, for one place",
                      run(self.program, "check", "platform.yaml", "-c",
                          "plugins=[build/my_rate_unit.so, ./twin.so]", folder=place, fails=True))

    @unittest.skipUnless(RISCV, "no RISC-V compiler")
    def test_firmware_in_cplusplus(self):
        place = self.example("firmware", "firmware_cplusplus")
        (place / "objects.cpp").write_text("""
            #include <stdio.h>
            #include "driver/nic_driver.h"
            #include "machine.h"
            #include "trap.h"
            volatile int seven = 7;
            struct Answer { int value; Answer() : value(6 * seven) {} ~Answer() { puts("gone"); } };
            Answer answer;
            int main() { printf("answer %d\\n", answer.value); }
            """)
        said = run("make", "run", f"PREFIX={self.prefix}", "PROGRAM=objects", "SOURCES=objects.cpp",
                   folder=place)
        self.assertIn("answer 42\ngone\n", said)
        self.assertIn("exit code 0", said)

    @unittest.skipUnless(RISCV, "no RISC-V compiler")
    def test_firmware_of_ones_own(self):
        place = self.example("firmware")
        said = run("make", "run", f"PREFIX={self.prefix}", folder=place)
        self.assertIn("1 timer interrupt", said)
        self.assertIn("exit code 0", said)
        launch = json.loads((place / ".vscode/launch.json").read_text())
        self.assertEqual(launch["configurations"][0]["program"],
                         "${workspaceFolder}/build/hello.elf")
        self.assertIn(launch["configurations"][0]["miDebuggerServerAddress"].split(":")[1],
                      (self.data / "firmware/firmware.mk").read_text())

    @unittest.skipUnless(RISCV, "no RISC-V compiler")
    def test_two_hosts_with_a_driver_of_ones_own(self):
        said = run("make", "network", f"PREFIX={self.prefix}", folder=self.example("rdma"))
        self.assertIn("host 0: all as it must be", said)

    @unittest.skipUnless(RISCV, "no RISC-V compiler")
    def test_congestion_control_of_ones_own(self):
        place = self.example("program")
        said = run("make", "run", f"PREFIX={self.prefix}", folder=place)
        self.assertIn("cut 1 to", said)

    @unittest.skipUnless(RISCV and GDB, "no RISC-V compiler or no gdb")
    def test_a_program_written_here_in_32_flows_debugged_and_counted(self):
        self.assertLessEqual(len(OWN_PROGRAM.splitlines()), 60)
        place = self.folder / "own-program"
        place.mkdir()
        for file in ("Makefile", "platform.yaml"):
            text = (self.data / "examples/program" / file).read_text()
            (place / file).write_text(text.replace("steps", "mine"))
        (place / "mine.c").write_text(OWN_PROGRAM)
        run("make", f"PREFIX={self.prefix}", "CFLAGS=-Og -g -Wall -Wextra -Werror", folder=place)
        command = [str(self.program), "run", "platform.yaml", "--quiet", "--no-plots", "-c", "measure={from: 1ms}"]
        run(*command, "--out", "plain", folder=place)
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        with subprocess.Popen([*command, "--out", "debugged", "-c", f"nic.congestion_control.gdb={port}", "-c",
                               "nic.congestion_control.gdb_host=7"], cwd=place, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as debugged:
            self.addCleanup(debugged.kill)
            self.assertIn(f"127.0.0.1:{port}", debugged.stderr.readline())
            words = ["set architecture riscv:rv32", "set remotetimeout 600", f"target remote 127.0.0.1:{port}",
                     "break lower", "continue", "print event->rtt_ps > 2 * event->base_rtt_ps", "watch flow->lowered",
                     "continue", "delete", "detach"]
            said = run(GDB, "-batch", "-nx", *(part for word in words for part in ("-ex", word)), "build/mine.elf",
                       folder=place)
            self.assertEqual(debugged.wait(PATIENCE), 0)
        self.assertRegex(said, r"(?s)Breakpoint 1, lower .*\$1 = 1\n.*Old value = 0\nNew value = 1\n")
        self.assertEqual((place / "debugged/flows.csv").read_bytes(), (place / "plain/flows.csv").read_bytes())
        metrics = json.loads((place / "plain/metrics.json").read_text())
        self.assertEqual(metrics["flow_count"], 32)
        (program,) = metrics["programs"]
        (handler,) = program["handlers"]
        self.assertEqual(handler["event"], "ack")
        # Only packets in flight have no ACK yet, and the counters would show lost or merged events.
        self.assertGreater(handler["handled"], 5000)
        self.assertEqual((handler["lost"], handler["faults"]), (0, 0))
        self.assertGreater(handler["instructions"], 5 * handler["handled"])
        self.assertGreater(metrics["aggregate"]["goodput_gbps"], 70)


class Packaged(Installed):
    """Runs the tests of Installed on the unpacked Debian package. The examples are built with this package."""

    test_a_systemc_platform_of_ones_own = None
    test_the_same_by_pkg_config = None
    test_the_same_with_a_systemc_of_ones_own = None
    test_firmware_of_ones_own = None
    test_two_hosts_with_a_driver_of_ones_own = None
    test_congestion_control_of_ones_own = None
    test_a_program_written_here_in_32_flows_debugged_and_counted = None
    test_firmware_in_cplusplus = None
    test_an_algorithm_of_ones_own = None
    test_rtl_of_ones_own = None

    def test_holds_what_an_installation_does(self):
        installed = self.folder / "installed"
        files = {f.relative_to(installed) for f in installed.rglob("*") if not f.is_dir()}
        self.assertGreater(len(files), 100)
        self.assertEqual({f.relative_to(self.prefix) for f in self.prefix.rglob("*") if not f.is_dir()}, files)
        # Files with the prefix contain the package's own prefix until the package is moved. Programs are stripped.
        for file in sorted(files):
            ours, theirs = ((place / file).read_bytes() for place in (installed, self.prefix))
            if not ours.startswith(b"\x7fELF"):
                self.assertEqual(ours.replace(str(installed).encode(), b"/usr"), theirs, file)

    def test_what_it_needs(self):
        package = next(self.folder.glob("*.deb"))
        fields = run("dpkg-deb", "--field", package, "Depends", folder=self.folder)
        for name in ("libc6", "libsystemc", "libyaml-cpp", "libfmt", "zlib1g", "libdeflate0",
                     "python3-yaml"):
            self.assertIn(name, fields)


def unpacked_package(cmake, build, folder):
    """Unpacks the Debian package of `make deb` to a prefix, and makes an installation beside it."""
    run("cpack", "-B", folder / "package", folder=build)
    package = next((folder / "package").glob("*.deb"))
    package = package.rename(folder / package.name)
    run("dpkg-deb", "--extract", package, folder / "root", folder=folder)
    run(cmake, "--install", build, "--prefix", folder / "installed", folder=folder)
    (folder / "first").mkdir()
    (folder / "root/usr").rename(folder / "first/opt")


def hide_and_seek(cmake, build, source, *how):
    """Installs the product, moves the installation, and restarts this script where the checkout is not visible."""
    with tempfile.TemporaryDirectory(prefix="dccvp-sdk-") as name:
        folder = pathlib.Path(name)
        if how:
            unpacked_package(cmake, build, folder)
        else:
            run(cmake, "--install", build, "--prefix", folder / "first/opt", folder=folder)
        (folder / "first").rename(folder / "moved")
        shutil.copy(__file__, folder / "sdk_test.py")
        again = ["/usr/bin/python3", "-B", folder / "sdk_test.py", cmake, build, source, *how]
        hide = ('mount -t tmpfs none "$1" && if [ -d "$2" ]; then mount -t tmpfs none "$2"; fi; '
                'shift 2; exec "$@"')
        words = ["unshare", "-rm", "sh", "-c", hide, "sh", source, build, *again]
        if subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True).returncode:
            print("no mount namespaces here: in sight of the checkout")
            words = again
        return subprocess.run([str(w) for w in words], env={**os.environ, HIDDEN: name}, cwd=folder,
                              check=False).returncode


if __name__ == "__main__":
    if HIDDEN not in os.environ:
        sys.exit(hide_and_seek(*(pathlib.Path(a) for a in sys.argv[1:4]), *sys.argv[4:]))
    unittest.main(argv=sys.argv[:1], defaultTest="Packaged" if sys.argv[4:] else "Installed")

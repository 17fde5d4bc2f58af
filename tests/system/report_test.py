#!/usr/bin/python3
"""Tests the HTML report in a real browser: it opens from a file without network access, draws its pictures, writes no
console message, and shows the figures of metrics.json.

  report_test.py BUILD/dccvp [--full]
"""

import contextlib
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import typing
import unittest
import unittest.mock

from harness import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
DCCVP = ""
FULL = "--full" in sys.argv
if FULL:
    sys.argv.remove("--full")

from dccvp.common.ending import ended  # noqa: E402
from dccvp.report import make_report, run_folder, series  # noqa: E402
from dccvp.report.summary import verdict  # noqa: E402
MOST_BYTES = 10_000_000
MOST_SECONDS = 3.0  # limit of processor time in seconds, which other programs on the machine do not affect

SMALL = """\
duration: 2ms
measure: {from: 200us}
topology: {kind: star, hosts: 6, link: {rate: 25Gbps}}
nic: {congestion_control: {policy: proportional}}
host: {driver: none}
dscp: {46: {weight: 4}}
traffic:
  - {kind: incast, senders: 1..2, receiver: 0, dscp: 46}
  - {kind: incast, senders: 3..4, receiver: 0, dscp: 10}
  - {kind: flow, from: 5, to: 0, dscp: 10, bytes: 100KB}
output: {series: {interval: 500ns}}
"""

NAMES = """\
duration: 200us
topology: {kind: custom, nodes: [{name: NAME, kind: switch}, {name: h0}, {name: h1}, {name: h2}],
  links: [{from: h0, to: NAME, rate: 25Gbps, delay: 1us}, {from: h1, to: NAME, rate: 25Gbps,
    delay: 1us}, {from: h2, to: NAME, rate: 25Gbps, delay: 1us}]}
host: {driver: none}
traffic: [{kind: incast, senders: 1..2, receiver: 0}]
output: {series: {interval: 1us}}
"""

SWEEP = """\
platform: small.yaml
grid: {switch.ecn.kmin: [5KB, 300KB], switch.ecn.kmax: [200KB, 400KB]}
metrics: {goodput: aggregate.goodput_gbps, queue: max(queues.*.mean_bytes)}
best: {goodput: max, queue: min}
heatmaps: [{metric: queue, x: switch.ecn.kmin, y: switch.ecn.kmax}]
pareto: [{x: queue, y: goodput}]
"""

# Configuration of a tree of 320 hosts with traffic between all hosts: 1920 flows, each of which is sampled.
TREE = """\
duration: 2ms
topology: {kind: fat_tree, pods: 5, racks_per_pod: 4, aggs_per_pod: 4, hosts_per_rack: 16, cores: 16,
  host_link: {rate: 100Gbps, delay: 1us}, fabric_link: {rate: 400Gbps, delay: 1us}}
switch: {ecn: {kmin: 100KB, kmax: 400KB, pmax: 0.2}}
host: {driver: none}
dscp: {46: {weight: 2}}
traffic:
  - {kind: poisson, hosts: 0..319, load: 0.4, sizes: fbhadoop, flows_per_host: 3, dscp: 46}
  - {kind: poisson, hosts: 0..319, load: 0.4, sizes: websearch, flows_per_host: 3, dscp: 10}
output: {plots: false, series: {interval: 20us}}
"""


def dccvp(*arguments, cwd):
    return subprocess.run([DCCVP, *map(str, arguments)], cwd=cwd, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)


def shown_number(text):
    """Returns (value, half a unit of the last digit) of a displayed number, or None for a dash."""
    text = text.replace("\u202f", "").strip()
    if text == "–":
        return None, 0
    match = re.fullmatch(r"-?\d+(?:\.(\d+))?", text)
    assert match, f"not a number: {text!r}"
    return float(text), 0.5000001 * 10 ** -len(match.group(1) or "")


def look_up(metrics, path):
    for step in path.split("."):
        metrics = metrics[int(step)] if isinstance(metrics, list) else metrics[step]
        if metrics is None:
            return None
    return metrics


def processor_seconds(root):
    """Processor time that a process and all its descendants have used so far."""
    ticks, children = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended meanwhile
        ticks[int(folder.name)] = sum(map(int, words[11:15]))
        children.setdefault(int(words[1]), []).append(int(folder.name))
    total, below = 0, [root]
    for process in below:
        total += ticks.get(process, 0)
        below += children.get(process, [])
    return total / os.sysconf("SC_CLK_TCK")


class Browser:
    """Headless Chromium, whose console messages the test reads."""

    def __init__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                         "--window-size=1400,1000", "--host-resolver-rules=MAP * ~NOTFOUND"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.run = self.driver.execute_script

    def open(self, file):
        """Opens a page. Returns the processor time that this took."""
        browser = self.driver.service.process.pid
        begin = processor_seconds(browser)
        self.driver.get(pathlib.Path(file).resolve().as_uri())
        assert self.run("return document.documentElement.dataset.ready") == "true", "script failed"
        # Waits for two frames, after which the browser has drawn the page.
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
        return processor_seconds(browser) - begin

    def console(self):
        # Reading pixels back causes console messages of the test itself, which the page never causes.
        return [entry["message"] for entry in self.driver.get_log("browser")
                if "Multiple readback operations" not in entry["message"]]

    def requests(self):
        urls = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.add(message["params"]["request"]["url"].split(":", 1)[0])
        return urls

    def inked(self):
        """For every chart the number of pixels that are not background, and the colours of its lines."""
        return self.run("""
          return [...document.querySelectorAll('figure.chart canvas')].map((c) => {
            const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            let inked = 0; const colours = {};
            for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200) {
              ++inked;
              const key = [d[i], d[i + 1], d[i + 2]].join(); colours[key] = (colours[key] || 0) + 1;
            }
            return [inked, colours];
          });""")


class Report(unittest.TestCase):
    temporary: tempfile.TemporaryDirectory
    folder: pathlib.Path
    browser: "Browser"

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="dccvp-report-")
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "small.yaml").write_text(SMALL)
        # The run "coarse" has few samples, for tests that make many reports of its results.
        for name, more in (("a", ()), ("b", ("-c", "dscp.46.weight=1")),
                           ("coarse", ("-c", "output.series.interval=100us"))):
            done = dccvp("run", "small.yaml", "--no-plots", "--quiet", "--out", name, *more,
                         cwd=cls.folder)
            assert done.returncode == 0, done.stderr
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.driver.quit()
        cls.temporary.cleanup()

    def make(self, *arguments):
        done = dccvp("report", *arguments, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.folder / re.fullmatch(r"Report: (.*)\n", done.stdout).group(1)

    def check_page(self, file, folders):
        seconds = self.browser.open(file)
        self.assertEqual(self.browser.console(), [])
        self.assertEqual(self.browser.requests() - {"data", "file"}, set(), "something was fetched")
        self.check_figures(folders)
        return seconds

    def check_figures(self, folders):
        """Checks every displayed number that names its source against that source."""
        metrics = [json.loads((self.folder / f / "metrics.json").read_text()) for f in folders]
        cells = self.browser.run("""
          return [...document.querySelectorAll('[data-metric]')].map((e) =>
            [+e.dataset.run, e.dataset.metric, +e.dataset.scale, e.textContent]);""")
        seen = set()
        for run, path, scale, text in cells:
            value, tolerance = shown_number(text)
            expected = look_up(metrics[run], path)
            with self.subTest(run=run, metric=path, text=text):
                if expected is None:
                    self.assertIsNone(value)
                else:
                    self.assertAlmostEqual(value, expected * scale, delta=tolerance)
            seen.add((run, path))
        for run, one in enumerate(metrics):
            for key in one["aggregate"]:
                self.assertIn((run, f"aggregate.{key}"), seen)
            for key in one["balance"]:
                self.assertIn((run, f"balance.{key}"), seen)
            for i, _ in enumerate(one["classes"]):
                for key in ("share", "expected_share", "weight", "goodput_gbps", "flows"):
                    self.assertIn((run, f"classes.{i}.{key}"), seen)

    def test_one_run(self):
        file = self.make("a")
        self.assertEqual(file, self.folder / "a/report.html")
        self.check_page(file, ["a"])
        pictures = self.browser.inked()
        self.assertEqual(len(pictures), 3)  # pictures of classes, rates and queues
        for inked, _ in pictures:
            self.assertGreater(inked, 3000)
        first = self.browser.run("""
          const c = document.createElement('canvas').getContext('2d');
          return ['--series-0', '--series-1'].map((n) => {
            c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(n);
            c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
          });""")
        for colour in first:
            self.assertGreater(pictures[0][1].get(colour, 0), 50, "the line of a class is missing")
        self.assertEqual(self.browser.run(
            "return document.querySelectorAll('svg.topology [data-node]').length"), 7)
        text = self.browser.run("return document.body.innerText")
        self.assertIn("policy", text)
        # The bars of the shares must be as long as the shares.
        metrics = json.loads((self.folder / "a/metrics.json").read_text())
        widths = self.browser.run("""
          return [...document.querySelectorAll('#summary .shares .meter')].map((m) =>
            m.querySelector('i').offsetWidth / m.offsetWidth);""")
        shares = [c["share"] for c in metrics["classes"]]
        self.assertEqual(len(widths), len(shares))
        for width, share in zip(widths, shares):
            self.assertAlmostEqual(width, share, delta=0.01)

    def test_delays(self):
        done = dccvp("run", "small.yaml", "--no-plots", "--quiet", "--out", "delays", "-c",
                     "output.delays=true", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_page(self.make("delays"), ["delays"])
        metrics = json.loads((self.folder / "delays/metrics.json").read_text())
        curves = self.browser.run("""
          return [...document.querySelectorAll('#delays svg path[fill=none]')].map((p) =>
            [p.querySelector('title').textContent, p.getBBox().width, p.getBBox().height]);""")
        self.assertEqual(len(curves), 2 * len(metrics["delays"]))
        heights = {round(height) for _, _, height in curves}
        self.assertEqual(len(heights), 1, "a distribution goes from none to all")
        for (title, width, _), one in zip(curves, (d[way] for d in metrics["delays"]
                                                   for way in ("round_trip", "one_way"))):
            count = int(re.search(r": (.*) packets", title).group(1).replace("\u202f", ""))
            self.assertEqual(count, one["packets"])
            self.assertGreater(width, 5)
        # The drawn points must be the values from which the figures were computed.
        with open(self.folder / "delays/series/delays.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for one in metrics["delays"]:
            for way in ("round_trip", "one_way"):
                mine = [r for r in rows if (int(r["dscp"]), r["way"]) == (one["dscp"], way)]
                self.assertEqual(sum(int(r["packets"]) for r in mine), one[way]["packets"])
                self.assertEqual(float(mine[-1]["share"]), 1)
                median = next(float(r["us"]) for r in mine if float(r["share"]) >= 0.5)
                # The median lies in the histogram bucket that ends at this value. The bucket is 1/32 of the value
                # wide, and the last bucket ends at the maximum.
                self.assertLessEqual(one[way]["us_p50"], median)
                self.assertGreaterEqual(one[way]["us_p50"], median * 31 / 32 - 0.001)
                self.assertGreaterEqual(float(mine[-1]["us"]), max(one[way]["us_mean"], one[way]["us_p999"]))
                marked = sum(int(r["marked"]) for r in mine) / one[way]["packets"]
                self.assertAlmostEqual(marked, one[way]["marked_share"], places=6)
        self.make("a")
        self.browser.open(self.folder / "a/report.html")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#delays').length"), 0)

    def test_hover_and_zoom_and_theme(self):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.support.wait import WebDriverWait
        self.browser.open(self.make("a"))
        driver, run = self.browser.driver, self.browser.run
        plot = driver.find_elements("css selector", "figure.chart .u-over")[0]
        run("arguments[0].scrollIntoView({block: 'center'})", plot)
        ActionChains(driver).move_to_element(plot).perform()
        tip = run("return document.getElementById('tip').innerText")
        self.assertRegex(tip, r"^1\.00 ms")
        self.assertRegex(tip, r"DSCP 46\s+\d+\.\d+ Gb/s")
        # On a busy machine the event of an earlier scrolling may arrive late. It must hide nothing.
        run("dispatchEvent(new Event('scroll'))")
        self.assertFalse(run("return document.getElementById('tip').hidden"))
        run("scrollTo(0, 0)")
        WebDriverWait(driver, PATIENCE).until(lambda _: run("return document.getElementById('tip').hidden"),
                                              "left behind by a scrolling")
        run("arguments[0].scrollIntoView({block: 'center'})", plot)
        before = self.browser.inked()[2][0]
        ActionChains(driver).move_to_element_with_offset(plot, -100, 0).click_and_hold() \
            .move_by_offset(150, 0).release().perform()
        self.assertFalse(run("return document.getElementById('all').hidden"))
        self.assertNotEqual(self.browser.inked()[2][0], before, "other charts zoom too")
        run("document.getElementById('all').click()")
        self.assertTrue(run("return document.getElementById('all').hidden"))
        light = run("return getComputedStyle(document.body).backgroundColor")
        run("document.getElementById('theme').click()")
        dark = run("return getComputedStyle(document.body).backgroundColor")
        self.assertGreater(sum(map(int, re.findall(r"\d+", light)[:3])), 700)
        self.assertLess(sum(map(int, re.findall(r"\d+", dark)[:3])), 120)
        run("document.querySelector('[data-show=goodput_gbps]').click()")
        self.assertTrue(all(inked > 3000 for inked, _ in self.browser.inked()))
        self.assertEqual(self.browser.console(), [])

    def test_several_runs(self):
        file = self.make("a", "b", "-o", "both.html")
        self.check_page(file, ["a", "b"])
        self.assertEqual(len(self.browser.inked()), 6)
        rows = self.browser.run("""
          return [...document.querySelectorAll('#configuration caption')].filter((c) =>
            c.textContent.includes('between')).flatMap((c) => [...c.parentElement.tBodies[0].rows]
            .map((r) => r.innerText.split('\\t')));""")
        self.assertEqual(rows, [["dscp.46.weight", "4", "1"]])
        places = self.browser.run("""
          return [...document.querySelectorAll('#classes .panel')].map((p) =>
            [p.getBoundingClientRect().left, p.getBoundingClientRect().top]);""")
        self.assertLess(places[0][0], places[1][0])
        self.assertEqual(places[0][1], places[1][1])

    def test_no_peak_is_lost(self):
        page = self.make("a").read_text()
        data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
        with open(self.folder / "a/series/queue.csv", newline="") as file:
            rows = [r for r in csv.DictReader(file) if r["port"] == "s0->h0"]
        chart = data["runs"][0]["charts"]["queue"]
        line = next(one for one in chart["lines"] if one["label"] == "s0->h0")
        self.assertEqual(chart["step"], 1 if len(rows) <= 4000 else chart["step"])
        self.assertEqual(max(line["y"]), float(f'{max(float(r["bytes"]) for r in rows):.5g}'))
        values = [(i * 7919) % 1000 for i in range(100_000)]
        values[54_321] = 5000
        times, (thin,), step = series.thinned(list(range(len(values))), [values], 1000)
        self.assertLessEqual(len(times), 1000)
        self.assertEqual(times, sorted(times))
        self.assertEqual((max(thin), min(thin)), (5000, 0))
        for start in range(0, len(values), step):
            part = thin[2 * start // step:2 * start // step + 2]
            stretch = values[start:start + step]
            self.assertEqual(sorted(part), [min(stretch), max(stretch)])

    def test_same_run_same_bytes(self):
        first = self.make("a").read_bytes()
        self.assertEqual(first, self.make("a").read_bytes())

    def test_bad_folders(self):
        (self.folder / "empty").mkdir(exist_ok=True)
        broken = self.folder / "broken"
        shutil.copytree(self.folder / "a", broken, dirs_exist_ok=True)
        for name, text in (("metrics.json", "{"), ("metrics.json", "[]"), ("metrics.json", "{}"),
                           ("series/queue.csv", "t_s,port,bytes\n1,s,x\n")):
            (broken / name).write_text(text)
            self.refused("broken")
            shutil.copy(self.folder / "a" / name, broken / name)
        for arguments in (("missing",), ("empty",), ("a", "missing"), (".",), (),
                          ("a", "-o", "/nowhere/r.html"), ("a", "-o", "a")):
            self.refused(*arguments)
        self.assertIn("below it", dccvp("report", ".", cwd=self.folder).stderr)

    def test_damaged_files(self):
        """Damages each file of a run in turn, as a failing disk or a faulty tool might. Except for the first damage
        of each file, the report is made in this process."""
        deep = b"[" * 200_000
        latin = "t_s,port,bytes\n1,Köln,2\n".encode("latin-1")
        cases = [(name, damage) for name in ("metrics.json", "flows.csv", "config.effective.yaml",
                                             "series/queue.csv")
                 for damage in (None, deep, latin, b"\0\0,\xff", b"t_s\n1\n")]
        cases += [("metrics.json", b'{"aggregate": ' + deep + b"}"), ("metrics.json", b"")]
        for number, (name, damage) in enumerate(cases):
            folder = f"damaged{number}"
            shutil.copytree(self.folder / "coarse", self.folder / folder)
            (self.folder / folder / name).unlink()
            if damage is None:
                (self.folder / folder / name).mkdir()
            else:
                (self.folder / folder / name).write_bytes(damage)
            with self.subTest(file=name, damage=damage and damage[:20]):
                make: typing.Any = self.make if damage is None else self.make_here
                refused: typing.Any = self.refused if damage is None else self.refused_here
                if name == "config.effective.yaml":
                    # The report contains a remark instead of the configuration, and all other content.
                    make(folder)
                else:
                    self.assertIn(name, refused(folder))

    def test_metrics_of_another_shape(self):
        """Replaces each value of metrics.json by values of other types (a nested value by one type at a time). The
        program must make a report or refuse the file. Without --full every fourth nested value is replaced."""
        kinds = (None, "x", [], [{}])
        whole = json.loads((self.folder / "coarse/metrics.json").read_text())
        shutil.copytree(self.folder / "coarse", self.folder / "shape")
        arguments = ["--dccvp", DCCVP, "-o", str(self.folder / "shape.html"), str(self.folder / "shape")]
        refused = 0
        for key in whole:
            inner = [key]
            if isinstance(whole[key], dict):
                inner += [(key, below) for below in list(whole[key])[::1 if FULL else 8]]
            for turn, place in enumerate(inner):
                for value in kinds if place == key else (kinds[turn % len(kinds)],):
                    changed = json.loads(json.dumps(whole))
                    if isinstance(place, tuple):
                        changed[place[0]][place[1]] = value
                    else:
                        changed[place] = value
                    (self.folder / "shape/metrics.json").write_text(json.dumps(changed))
                    with unittest.mock.patch.object(run_folder.Run, "ask", lambda *_: ""):
                        done = ended(lambda: make_report.main(arguments))
                    with self.subTest(place=place, value=value):
                        self.assertIn(done, (0, 2))
                    refused += done == 2
        self.assertGreater(refused, 20)

    def test_one_sample_is_no_chart(self):
        done = dccvp("run", "small.yaml", "-c", "output.series.interval=1500us", "--quiet", "--out",
                     "sampled", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_page(self.make("sampled"), ["sampled"])
        self.assertEqual(self.browser.inked(), [])
        for part in ("classes", "rates", "queues"):
            self.assertIn("a single sample. The interval of 1500us",
                          self.browser.run(f"return document.getElementById('{part}').innerText"))

    def test_a_sweep_and_its_points(self):
        (self.folder / "sweep.yaml").write_text(SWEEP)
        swept = dccvp("sweep", "sweep.yaml", "-j", "2", "--out", "swept", cwd=self.folder)
        # one point of the sweep has a kmin above its kmax and is refused
        self.assertEqual(swept.returncode, 1, swept.stderr)
        with open(self.folder / "swept/table.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        file = self.make("swept")
        self.assertEqual(file, self.folder / "swept/report.html")
        self.browser.open(file)
        self.assertEqual(self.browser.console(), [])
        self.assertEqual(self.browser.requests() - {"data", "file"}, set())
        shown = self.browser.run("""
          return [...document.querySelectorAll('#points tbody tr')].map((r) =>
            [...r.cells].map((c) => c.innerText.trim()));""")
        self.assertEqual([(r[0], r[1], r[2]) for r in shown],
                         [(r["point"], r["switch.ecn.kmin"], r["switch.ecn.kmax"]) for r in rows])
        for row, cells in zip(rows, shown):
            if row["status"] == "ok":
                value, tolerance = shown_number(cells[4])
                self.assertAlmostEqual(value, float(row["goodput"]), delta=tolerance)
            else:
                self.assertIn("kmax", cells[3])
        text = self.browser.run("return document.body.innerText")
        for part in ("3 of 4 points ok", "goodput, Gb/s", "aggregate.goodput_gbps", "max goodput"):
            self.assertIn(part, text)
        # Three points in the heat map and three in the trade-off picture are links to reports that the keyboard can
        # reach.
        links = self.browser.run("return [...document.querySelectorAll('#pictures a')].map((a) => [a.href.baseVal || "
                                 "a.getAttribute('href'), a.tabIndex, a.title || a.getAttribute('aria-label')])")
        self.assertEqual(len(links), 6)
        for address, tab, told in links:
            self.assertTrue((self.folder / "swept" / address).is_file(), address)
            self.assertEqual(tab, 0)
            self.assertRegex(told, "^point [0-9]: switch.ecn.kmin = ")
        colours = []
        for theme in ("light", "dark"):
            self.browser.run(f"document.documentElement.dataset.theme = '{theme}'")
            colours.append(self.browser.run("return [...document.querySelectorAll('.cell')].map((c) => "
                                            "[getComputedStyle(c).backgroundColor, getComputedStyle(c).color])"))
        self.assertEqual(len(colours[0]), 3)
        for light, dark in zip(*colours):
            self.assertNotEqual(light, dark)
        for width in (400, 800, 1300):
            self.browser.driver.set_window_size(width, 1000)
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0, width)
        self.browser.driver.set_window_size(1400, 1000)

        points = [f"swept/points/{row['id']}" for row in rows if row["status"] == "ok"][:2]
        self.check_page(self.make(*points, "-o", "points.html"), points)
        titles = self.browser.run("return [...document.querySelectorAll('#classes h3')].map((h) => h.innerText)")
        self.assertEqual(titles, [f"point {r['point']}: kmin={r['switch.ecn.kmin']} kmax={r['switch.ecn.kmax']}"
                                  for r in rows if r["status"] == "ok"][:2])
        self.refused("swept", "a")
        (self.folder / "swept/plan.json").write_text("{")
        self.refused("swept")
        self.make(points[0])

    def test_names_that_look_like_markup(self):
        name = "<!--<script/\u2028</script&amp;"
        (self.folder / "names.yaml").write_text(NAMES.replace("NAME", json.dumps(name)))
        done = dccvp("run", "names.yaml", "--no-plots", "--quiet", "--out", "names", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_page(self.make("names"), ["names"])
        self.assertEqual(len(self.browser.inked()), 3)
        shown = self.browser.run("return document.getElementById('links').innerText")
        self.assertIn("<!--<script/", shown)
        labels = self.browser.run(
            "return JSON.parse(document.getElementById('data').textContent).runs[0].charts.queue"
            ".lines.map((line) => line.label)")
        self.assertIn(f"{name}->h0", labels)

    def refused(self, *arguments, report=None):
        before = sorted(self.folder.rglob("*"))
        done = (report or dccvp)("report", *arguments, cwd=self.folder)
        with self.subTest(arguments=arguments):
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr, r"\Adccvp: .+\n\Z")
            self.assertEqual(sorted(self.folder.rglob("*")), before, "something was written")
        return done.stderr

    def report_here(self, _, folder, cwd):
        """Makes the report of a run's folder in this process, as `dccvp report` does in a process of its own."""
        told, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(said):
            status = ended(lambda: make_report.main(["--dccvp", DCCVP, "-o", str(cwd / folder / "report.html"),
                                                     str(cwd / folder)]))
        return subprocess.CompletedProcess((), status, said.getvalue(), told.getvalue())

    def make_here(self, folder):
        done = self.report_here("report", folder, self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def refused_here(self, folder):
        return self.refused(folder, report=self.report_here)

    def test_320_hosts(self):
        (self.folder / "tree.yaml").write_text(TREE)
        done = dccvp("run", "tree.yaml", "--quiet", "--out", "tree", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        file = self.make("tree")
        size = file.stat().st_size
        self.assertLess(size, MOST_BYTES)
        seconds = self.check_page(file, ["tree"])
        self.assertGreater(seconds, 0)
        self.assertLess(seconds, MOST_SECONDS)
        pictures = self.browser.inked()
        self.assertEqual(len(pictures), 3)
        for inked, _ in pictures:
            self.assertGreater(inked, 2000)
        self.assertEqual(self.browser.run(
            "return document.querySelectorAll('svg.topology .t-host').length"), 320)
        print(f"320 hosts: {size / 1e6:.2f} MB, drawn in {seconds:.2f} s of processor time")


class Verdict(unittest.TestCase):
    def test_shares_that_miss_their_weights_are_said_to_miss(self):
        def said(share):
            classes = [{"share": share, "expected_share": 0.25},
                       {"share": 1 - share, "expected_share": 0.75}]
            return verdict(types.SimpleNamespace(metrics={"classes": classes}))
        self.assertIn("share of its weight within 4.0", said(0.26))
        self.assertIn("miss the classes' weights: one is 177.6", said(0.694))


if __name__ == "__main__":
    DCCVP = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

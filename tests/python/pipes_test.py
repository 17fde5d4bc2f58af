"""Configurations and lists of flows can be read from files, standard input and pipes alike."""

import os
import subprocess
import threading

import package

CONFIG = "duration: 50us\ntopology: {kind: star, hosts: 3}\nhost: {driver: none}\n"
FLOWS = "2\n0 1 3 100 1e3 0\n1 2 3 100 2KB 1us # the second\n"


class Pipes(package.FolderTest):
    def run_program(self, *words, text=None):
        return subprocess.run([str(package.DCCVP), *map(str, words)], input=text, capture_output=True, encoding="utf-8",
                              cwd=self.folder, check=False)

    def pipe(self, text):
        """A named pipe that returns the text to its reader."""
        path = self.folder / "pipe"
        os.mkfifo(path)

        def fill():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

        threading.Thread(target=fill, daemon=True).start()
        return path

    def test_a_configuration(self):
        done = self.run_program("run", "-", "--quiet", "--no-plots", text=CONFIG)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "out/stdin/metrics.json").is_file())
        done = self.run_program("check", self.pipe(CONFIG))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_errors_name_the_stream(self):
        done = self.run_program("check", "-", text="duration: 5us\nseeed: 1\n")
        self.assertEqual((done.returncode, done.stderr[:24]), (2, "dccvp: stdin:2:1: unknow"))
        done = self.run_program("check", "-", text="")
        self.assertEqual((done.returncode, done.stderr[:25]), (2, "dccvp: stdin:1:1: empty: "))
        done = self.run_program("check", "-", text="#" * (5 << 20))
        self.assertIn("larger than 4 MiB", done.stderr)

    def test_flows(self):
        config = self.folder / "c.yaml"
        config.write_text(CONFIG + "traffic: [{kind: trace, file: pipe}]\n")
        self.pipe(FLOWS)
        done = self.run_program("run", config, "--quiet", "--no-plots", "--out", self.folder / "a")
        self.assertEqual(done.returncode, 0, done.stderr)
        config.write_text(CONFIG + "traffic: [{kind: trace, file: '-'}]\n")
        done = self.run_program("run", config, "--quiet", "--no-plots", "--out", self.folder / "b", text=FLOWS)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [(self.folder / name / "flows.csv").read_text() for name in "ab"]
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(rows[0].count(",true"), 2, rows[0])

    def test_a_list_that_is_read_twice_needs_a_file(self):
        config = self.folder / "c.yaml"
        config.write_text(CONFIG + "traffic: [{kind: trace, file: '-'}]\n")
        count = (1 << 18) + 1
        done = self.run_program("check", config, text=f"{count}\n" + "0 1 3 100 7 1\n" * count)
        self.assertEqual(done.returncode, 2)
        self.assertIn("more than 262144 flows need a plain file", done.stderr)


if __name__ == "__main__":
    package.main()

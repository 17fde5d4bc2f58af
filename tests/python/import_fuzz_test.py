"""Fuzzes every importer with damaged files. An import gives a network, or ends with one line that begins with the
place of the error."""

import random
import re
import shutil
import time

import import_samples as samples
import package

from dccvp.common.ending import InputError
from dccvp.importers import import_files, write

ROUNDS = 60  # number of rounds for each file; a round takes milliseconds
FILES = {
    "hpcc": ((samples.HPCC_TOPOLOGY, samples.HPCC_FLOWS, samples.HPCC_CONFIG, samples.HPCC_TRACE),
             (samples.SIMAI_TOPOLOGY,)),
    "htsim": ((samples.HTSIM_TOPOLOGY, samples.HTSIM_MATRIX),),
    "sonic": ((samples.SONIC, samples.SONIC_LOOKUP),),
    "mlx5": ((samples.MLX5,),), "irdma": ((samples.IRDMA,),), "bnxt": ((samples.BNXT,),),
    "sizes": ((samples.CDF_BYTES, samples.CDF_PACKETS, samples.CDF_HOMA),),
    "csv": ((samples.CSV,), (samples.PFABRIC,)),
    "graphml": ((samples.GRAPHML,),), "sndlib": ((samples.SNDLIB,), (samples.SNDLIB_XML,)),
    "goal": ((samples.GOAL,),), "chakra": ((samples.CHAKRA_0, samples.CHAKRA_1), (samples.CHAKRA_ET, samples.CHAKRA_1)),
    "astra": ((samples.ASTRA_NETWORK, samples.ASTRA_WORKLOAD),), "dts": ((samples.DTS,),), "repl": ((samples.REPL,),)}
EXTREMES = (b"0", b"-1", b"1e9", b"1e-9", b"99999999999999999999", b"18446744073709551616", b"0x10", b"nan", b"1.5",
            b"", b"\xff", b"\x00", "\u00b2".encode(), b"{", b"}", b"\"", b"[[[[", b"\r\n", b"#", b"999999", b"65536",
            b"true")
SETTINGS = {"csv": {"columns": "time=1,src=2,dst=3,bytes=4"}, "irdma": {"rtt": "10us"}, "astra": {"npus": "6"}}
PLACE = re.compile(r"(?P<file>[^:\n]+):(?P<line>[0-9]+):[0-9]+: [^\n]+")


def damaged(data: bytes, noise):
    """Returns a file's bytes, truncated or with some words, lines or bytes exchanged."""
    kind = noise.randrange(6)
    if kind == 0:
        return data[:noise.randrange(len(data))]
    if kind == 1:
        changed = bytearray(data)
        for _ in range(noise.randrange(1, 5)):
            changed[noise.randrange(len(changed))] = noise.randrange(256)
        return bytes(changed)
    if kind == 2:
        lines = data.split(b"\n")
        a, b = noise.randrange(len(lines)), noise.randrange(len(lines))
        lines[a], lines[b] = lines[b], lines[a]
        if noise.random() < 0.5:
            del lines[noise.randrange(len(lines))]
        return b"\n".join(lines)
    words = list(re.finditer(rb"[\w.+-]+", data))
    for _ in range(noise.randrange(1, 3)):
        word = noise.choice(words)
        other = noise.choice(EXTREMES) if kind < 5 else noise.choice(words)[0]
        data = data[:word.start()] + other + data[word.end():]
        words = list(re.finditer(rb"[\w.+-]+", data)) or words
    return data


class Fuzz(package.FolderTest):
    def attempt(self, name, texts):
        """Returns the error of an import, or None if the import gives a network."""
        paths = []
        for number, text in enumerate(texts):
            path = self.folder / f"f{number}.txt"
            path.write_bytes(text)
            paths.append(str(path))
        module = import_files.module_of(name)
        try:
            imported = module.read_files(paths, SETTINGS.get(name, {}))
            document = write.prepare(imported, paths[0])
        except InputError as error:
            message = str(error)
            match = PLACE.fullmatch(message)
            self.assertTrue(match, message)
            self.assertIn(match["file"], paths)
            self.assertLess(len(message), 1000)
            lines = max(text.count(b"\n") for text in texts) + 1
            self.assertLessEqual(int(match["line"]), lines, message)
            return error
        write.yaml_text(document, [])
        for flows in imported.flows.values():
            write.flow_text(imported, flows)
        write.page_text(imported, "t")
        return None

    def test_only_input_errors(self):
        began = time.monotonic()
        for name, sets in FILES.items():
            for texts in sets:
                whole = [text if isinstance(text, bytes) else text.encode() for text in texts]
                if name == "dts" and shutil.which("dtc") is None:
                    continue  # the importer refuses every damaged tree
                if name != "csv" or texts[0] is samples.CSV:
                    self.assertIsNone(self.attempt(name, whole), name)
                refused = 0
                noise = random.Random(f"{name} {len(whole[0])}")
                for _ in range(ROUNDS * len(whole)):
                    place = noise.randrange(len(whole))
                    changed = damaged(whole[place], noise)
                    with self.subTest(name, file=place, data=changed):
                        refused += self.attempt(name, whole[:place] + [changed] + whole[place + 1:]) is not None
                self.assertGreater(refused, 0, name)
        self.assertLess(time.monotonic() - began, 300, "no damage makes a reader slow")

    def test_the_beginning_of_any_file(self):
        texts = (b"", b"\n\n", b"\x7fELF\x02\x01", b"<", b"{}", b"[]", b"0", b"1 1 1\n", b"a b c\n", b"\xef\xbb\xbf")
        for name in FILES:
            for text in texts:
                with self.subTest(name, data=text):
                    self.attempt(name, [text])

    def test_formats_are_all_here(self):
        self.assertEqual(set(FILES), set(import_files.FORMATS))


if __name__ == "__main__":
    package.main()

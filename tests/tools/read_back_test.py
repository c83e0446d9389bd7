#!/usr/bin/env python3
"""Each partitioned program that the command line prints can be read back: all examples, under all options that shape the text.

read_back_test.py SHARDY EXAMPLES
"""
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHARDY = sys.argv[1]
EXAMPLES = pathlib.Path(sys.argv[2])

OPTIONS = [
    (),
    ("--max-gather-bytes=0",),
    ("--max-gather-bytes=64",),
    ("--max-gather-bytes=64", "--collectives=stablehlo"),
    ("--collectives=stablehlo", "--replica-groups=mesh"),
    ("--resharding=reference", "--optimize-collectives=none"),
    ("--resharding=best", "--common-axes=best", "--axis-cost=*=ring:100GB/s:1us"),
    ("--combine-bytes=0", "--dedup-functions-fully"),
    ("--generic",),
    ("--generic", "--max-gather-bytes=64", "--collectives=stablehlo"),
    ("--to=gspmd",),
    ("--to=gspmd-v3", "--max-gather-bytes=64"),
    ("--to=round-trip",),
    ("--to=round-trip-v3", "--collectives=stablehlo"),
]
MLIR_ONLY = ("--generic", "--to=gspmd", "--to=gspmd-v3", "--to=round-trip-v3", "--common-axes=best", "--combine-bytes=0")  # JSON reads the same ops
FORMATS = ("mlir", "json")


def shardy(*args):
    return subprocess.run([SHARDY, *map(str, args)], capture_output=True, text=True)


def examples():
    for folder in ("programs", "jax"):
        yield from sorted((EXAMPLES / folder).glob("*.mlir"))
    yield from sorted(EXAMPLES.glob("*.json"))


class ReadBack(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.read = set()  # texts that could be read: many options leave many programs as they are

    def check(self, program, options, emit):
        printed = self.folder / f"{program.name}.{emit}"
        made = shardy("partition", program, *options, "--emit", emit, "-o", printed)
        if made.returncode != 0:
            return 0  # other tests compare what is refused
        text = emit, hashlib.sha256(printed.read_bytes()).digest()
        if text not in self.read:
            read = shardy("convert", printed, "--emit", emit)
            self.assertEqual(read.returncode, 0, f"{program.name} {' '.join(options)} {emit}: {read.stderr[:300]}")
            self.read.add(text)
        return 1

    def test_all_examples(self):
        programs = list(examples())
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for options in OPTIONS:
                for emit in FORMATS:
                    if emit == "json" and any(option in MLIR_ONLY for option in options):
                        continue
                    with self.subTest(options=options, emit=emit):
                        made = pool.map(lambda program: self.check(program, options, emit), programs)
                        self.assertGreater(sum(made), 40, f"{options} {emit}: too few programs were partitioned")
        self.assertGreater(len(self.read), 700)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

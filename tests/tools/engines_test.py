#!/usr/bin/env python3
"""Partitioned programs for other compilers: StableHLO alone, read by MLIR's own parser, with the results of the program.

engines_test.py SHARDY EXAMPLES [MLIR_OPT]
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
MLIR_OPT = sys.argv[3] if len(sys.argv) > 3 else None
STABLEHLO = ("--collectives=stablehlo", "--chlo=lower")
OP = re.compile(r'^ *(?:%[^=]*= )?"?([a-z_]+\.[a-z_0-9]+)\b', re.MULTILINE)
CHLO = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x6xf32>) {
  %0 = chlo.erf %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %v, %i = chlo.top_k(%0, k = 2) : tensor<4x6xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %v, %i, %0 : tensor<4x2xf32>, tensor<4x2xi32>, tensor<4x6xf32>
}
"""


def shardy(*args, text=None):
    return subprocess.run([SHARDY, *map(str, args)], input=text, capture_output=True, text=True, timeout=300)


def examples():
    yield from sorted(EXAMPLES.glob("programs/*.mlir"))
    yield from sorted(EXAMPLES.glob("jax/*_sdy.mlir"))
    yield from sorted(EXAMPLES.glob("*.json"))


class Engines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = {}
        for path in examples():
            done = shardy("partition", path, *STABLEHLO, "--emit", "mlir", "--generic")
            if done.returncode == 0:
                cls.programs[path.name] = done
        assert len(cls.programs) > 50

    def test_programs_are_stablehlo_alone(self):
        for name, done in self.programs.items():
            with self.subTest(name):
                dialects = {op.split(".")[0] for op in OP.findall(done.stdout)}
                named = {"check"} if "check.expect" in done.stderr else set()
                self.assertLessEqual(dialects, {"builtin", "func", "stablehlo", "sdy"} | named)
                self.assertNotIn('"chlo.', done.stdout)
                self.assertNotIn('"spmd.', done.stdout)
                self.assertEqual(set(re.findall(r'"(sdy\.\w+)"\(', done.stdout)) - {"sdy.mesh"}, set())

    @unittest.skipUnless(MLIR_OPT, "mlir-opt-14 is not installed: scripts/install_packages.sh")
    def test_mlir_reads_them_and_we_read_what_it_prints(self):
        for name, done in self.programs.items():
            with self.subTest(name):
                command = [MLIR_OPT, "--allow-unregistered-dialect", "--mlir-print-op-generic"]
                read = subprocess.run(command, input=done.stdout, capture_output=True, text=True, timeout=120)
                self.assertEqual(read.returncode, 0, read.stderr[:400])
                ours = shardy("opt", "-", "--allow-unregistered-dialect", text=done.stdout)
                back = shardy("opt", "-", "--allow-unregistered-dialect", text=read.stdout)
                self.assertEqual(back.returncode, 0, back.stderr[:400])
                self.assertEqual(back.stdout, ours.stdout)

    def test_the_default_names_the_ops_that_remain(self):
        done = shardy("partition", "-", "--collectives=stablehlo", text=CHLO)
        self.assertEqual(done.returncode, 0)
        self.assertIn("note: the program has chlo.erf, which StableHLO does not have", done.stderr)
        self.assertIn("--chlo=lower", done.stderr)
        self.assertIn("chlo.top_k", done.stdout)
        lowered = shardy("partition", "-", *STABLEHLO, text=CHLO)
        self.assertNotIn("chlo", lowered.stdout + lowered.stderr)
        self.assertEqual(shardy("partition", "-", text=CHLO).stderr, "")

    def test_both_forms_compute_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            results = []
            for options in ((), ("--collectives=stablehlo",), STABLEHLO):
                path = pathlib.Path(folder) / "device.mlir"
                made = shardy("partition", "-", *options, "-o", path, text=CHLO)
                self.assertEqual(made.returncode, 0, made.stderr)
                run = shardy("run", path, "--seed", "5", "--output-dir", folder)
                self.assertEqual(run.returncode, 0, run.stderr)
                results.append([numpy.load(pathlib.Path(folder) / f"result{index}.npy") for index in range(3)])
            spmd, kept, lowered = results
            self.assertGreater(float(numpy.abs(spmd[2]).max()), 0.1)
            for one, other, expanded in zip(spmd, kept, lowered):
                numpy.testing.assert_array_equal(one, other)
                numpy.testing.assert_allclose(one, expanded, atol=1e-6)

    def test_options_that_do_not_fit_are_refused(self):
        done = shardy("partition", "-", "--chlo=lower", text=CHLO)
        self.assertIn("--chlo requires --collectives", done.stderr)
        self.assertNotEqual(shardy("partition", "-", *STABLEHLO[:1], "--chlo=drop", text=CHLO).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

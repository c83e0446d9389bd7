#!/usr/bin/env python3
"""autoshard: the written program has the reported cost and runs equal; wrong input is refused.

usage: autoshard_test.py SHARDY
"""
import json
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MLP = """sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<8x16xf32>, %w1: tensor<16x64xf32>, %w2: tensor<64x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot %x, %w1 : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %1 = stablehlo.tanh %0 : tensor<8x64xf32>
  %2 = stablehlo.dot %1, %w2 : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
"""


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120, check=False)


def answer(command, text, *options):
    done = shardy(command, "-", "--json", *options, text=text)
    return json.loads(done.stdout)


class Search(unittest.TestCase):
    def test_the_written_program_has_the_cost_of_the_search(self):
        for options in [], ["--memory", "6000"], ["--memory-bytes-per-second", "1e12"], ["--orders", "mesh"]:
            with self.subTest(options=options):
                found = answer("autoshard", MLP, *options)
                rate = [] if "--memory-bytes-per-second" not in options else options
                written = shardy("autoshard", "-", "--apply", *options, text=MLP)
                self.assertEqual((written.returncode, written.stderr), (0, ""))
                report = answer("report", written.stdout, *rate)
                self.assertAlmostEqual(report["modelled_seconds"], found["best"]["modelled_seconds"], delta=1e-18)
                self.assertEqual(report["peak"]["bytes"], found["best"]["peak_bytes"])
                self.assertLess(found["best"]["modelled_seconds"], found["now"]["modelled_seconds"] + 1e-8)
                checked = shardy("run", "-", "--check", text=written.stdout)
                self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_the_patch_names_each_annotation(self):
        done = shardy("autoshard", "-", text=MLP)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"now +0\.333 ns; peak memory 10,752 bytes")
        self.assertRegex(done.stdout, r"best +0\.0832 ns; peak memory ")
        self.assertIn("; proven, gap 0.00 %", done.stdout)
        self.assertRegex(done.stdout, r"@@ standard input:\d+ @@")
        self.assertEqual(done.stdout.count("   +"), len(answer("autoshard", MLP)["set"]))

    def test_annotations_hold_unless_they_are_free(self):
        whole = MLP.replace("%x: tensor<8x16xf32>", '%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}')
        self.assertNotIn("%x", [edit["value"] for edit in answer("autoshard", whole)["set"]])
        fixed = shardy("autoshard", "-", "--apply", "--fix", '%x=[{}, {"a"}]', text=MLP).stdout
        self.assertIn('%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}', fixed)
        for options in ["--free", "%x"], ["--ignore-annotations"]:
            self.assertLessEqual(answer("autoshard", whole, *options)["best"]["modelled_seconds"],
                                 answer("autoshard", whole)["best"]["modelled_seconds"])

    def test_equal_runs_print_equal_texts(self):
        path = ROOT / "examples/jax/fsdp_sdy.mlir"
        self.assertEqual(shardy("autoshard", path).stdout, shardy("autoshard", path).stdout)


class Refusals(unittest.TestCase):
    def check(self, message, status, *options, text=MLP):
        done = shardy("autoshard", "-", *options, text=text)
        self.assertIn(message, done.stderr)
        self.assertEqual((done.returncode, done.stdout), (status, ""))

    def test_wrong_input_is_refused_with_its_place(self):
        self.check("the program has no mesh with axes", 2, text=MLP[MLP.index("func"):])
        self.check("the program has 2 meshes", 2, text='sdy.mesh @other = <["b"=2]>\n' + MLP)
        self.check("no such value: %nothing", 2, "--fix", "%nothing=[{}, {}]")
        self.check("expected VALUE=SHARDING", 2, "--fix", "%x")
        self.check("-o is the file to which --apply writes", 2, "-o", "out.mlir")
        barrier = MLP.replace("%1 = stablehlo.tanh %0", "%1 = stablehlo.optimization_barrier %0")
        self.check("4:8: error: stablehlo.optimization_barrier: autoshard does not support", 2, text=barrier)

    def test_a_limit_that_nothing_meets_is_status_1(self):
        self.check("no program that was found fits in 3,000 bytes", 1, "--memory", "3000")
        self.check("the least peak memory per device is 3,072 bytes", 1, "--memory", "3000")


if __name__ == "__main__":
    SHARDY = sys.argv.pop(1)
    unittest.main()

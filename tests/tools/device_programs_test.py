#!/usr/bin/env python3
"""Output of `shardy partition` runs, with equal results in all forms: spmd ops, StableHLO with lists, and with a mesh; and
in all texts of shardings.

usage: device_programs_test.py SHARDY EXAMPLES
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import sharded_programs_test

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
FORMS = [(), ("--collectives=stablehlo",), ("--collectives=stablehlo", "--replica-groups=mesh")]
SHARDINGS = ["--shardings=mhlo", "--shardings=mhlo-v3", "--shardings=sdy-round-trip", "--shardings=sdy-round-trip-v3"]
ALL_FORMS = FORMS + [(*form, text) for form in FORMS for text in SHARDINGS]
MATRIX = """sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<6x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                %arg1: tensor<8x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
    -> (tensor<6x5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<6x8xi32>, tensor<8x5xi32>) -> tensor<6x5xi32>
  return %0 : tensor<6x5xi32>
}
"""


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=300)


def npy(path, shape, numbers):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {tuple(shape)}, }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(numbers)}i", *numbers))


def numbers_of(path):
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack(f"<{(len(data) - begin) // 4}i", data[begin:]))


class Forms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def results(self, program, *arguments, runs=0):
        """The bytes of the result files of a program that runs."""
        folder = self.path / f"run{runs}"
        done = shardy("run", "-", "--output-dir", folder, *arguments, text=program)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def check_forms(self, *program, text=None):
        expected = None
        for number, form in enumerate(ALL_FORMS):
            made = shardy("partition", *program, *form, "--emit=mlir", text=text)
            self.assertEqual(made.returncode, 0, made.stderr)
            if "--collectives=stablehlo" in form:
                self.assertNotIn('"spmd.', made.stdout)
            got = self.results(made.stdout, "--seed=7", runs=number)
            expected = expected or got
            self.assertEqual(got, expected)
        return expected

    def test_examples_give_the_same_in_all_forms(self):
        for name in "mlp", "transformer", "moe":
            results = self.check_forms(EXAMPLES / f"{name}.json")
            unsplit = shardy("run", EXAMPLES / f"{name}.json", "--seed=7", "--output-dir", self.path / name)
            self.assertEqual(unsplit.returncode, 0, unsplit.stderr)
            self.assertEqual({path.name: path.read_bytes() for path in (self.path / name).iterdir()}, results)

    def test_programs_that_check_themselves_hold_in_all_forms(self):
        for path in sorted((EXAMPLES / "programs").glob("*.mlir")):
            text = sharded_programs_test.sharded(shardy("convert", path, "--emit=json").stdout, 5)
            if text is None:
                continue
            (self.path / "sharded.json").write_text(text)
            for form in FORMS:
                made = shardy("partition", self.path / "sharded.json", *form, "--emit=mlir")
                self.assertEqual(made.returncode, 0, f"{path.name}: {made.stderr}")
                done = shardy("run", "-", text=made.stdout)
                self.assertEqual((done.returncode, done.stderr), (0, ""), path.name)

    def test_shardings_of_arguments_are_attributes_of_the_module(self):
        made = shardy("partition", "-", "--collectives=stablehlo", "--shardings=mhlo", text=MATRIX).stdout
        self.assertIn('mhlo.spmd_parameters_shardings = ["{devices=[2,2]<=[4]}", '
                      '"{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"]', made)
        self.assertIn('mhlo.spmd_output_sharding = "{devices=[1,2,2]<=[4] last_tile_dim_replicate}"', made)
        for left in "sdy.", "mhlo.sharding =":
            self.assertNotIn(left, made)
        back = shardy("convert", "-", "--import=auto", "--shardings=mhlo", text=made)
        self.assertEqual((back.returncode, back.stdout), (0, made), back.stderr)
        for text, message in (('parameters_shardings = ["{devices=[2,2]<=[4]}", ', "has 1 shardings for 2"),
                              ('output_sharding = "{devices=[1,2,2]', "of the module")):
            wrong = made.replace(text, text.replace('["{devices=[2,2]<=[4]}", ', "[").replace("devices", "deviced"))
            done = shardy("run", "-", text=wrong)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)

    def test_reads_and_writes_a_buffer_for_each_device(self):
        lhs, rhs = list(range(48)), list(range(5, 45))
        product = [[sum(lhs[8 * i + k] * rhs[5 * k + j] for k in range(8)) for j in range(5)] for i in range(6)]
        blocks = [[lhs[8 * (3 * x + i) + 4 * y + j] for i in range(3) for j in range(4)] for x in range(2)
                  for y in range(2)]
        rows = [rhs[20 * y:20 * y + 20] for _ in range(2) for y in range(2)]
        npy(self.path / "a.npy", [4, 3, 4], sum(blocks, []))
        npy(self.path / "b.npy", [4, 4, 5], sum(rows, []))
        for number, form in enumerate(ALL_FORMS):
            made = shardy("partition", "-", *form, text=MATRIX)
            self.results(made.stdout, "--buffers=local", "--input", self.path / "a.npy", "--input", self.path / "b.npy",
                         runs=number)
            got = numbers_of(self.path / f"run{number}" / "result0.npy")
            self.assertEqual(len(got), 4 * 6 * 3)
            for device in range(4):
                for i in range(6):
                    for j in range(3):
                        column = 3 * (device // 2) + j
                        if column < 5:  # the rest is padding
                            self.assertEqual(got[18 * device + 3 * i + j], product[i][column])

    def test_refuses_what_a_program_per_device_does_not_know(self):
        made = shardy("partition", "-", "--collectives=stablehlo", text=MATRIX).stdout
        for option in "--check", "--reference", "--devices=x=4":
            done = shardy("run", "-", option, text=made)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"error: {option.partition('=')[0]} needs the program before partitioning",
                          done.stderr)
        done = shardy("run", "-", "--buffers=local", text=MATRIX)
        self.assertEqual((done.returncode, done.stderr), (2, "-: error: --buffers=local is for per-device programs\n"))
        done = shardy("partition", "-", "--replica-groups=mesh", text=MATRIX)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--replica-groups requires --collectives", done.stderr)

    def test_reports_as_json(self):
        made = shardy("partition", "-", "--collectives=stablehlo", text=MATRIX).stdout
        report = json.loads(shardy("run", "-", "--json", text=made).stdout)
        self.assertEqual(report["devices"], 4)
        self.assertEqual(report["collectives"]["stablehlo.all_reduce"]["count"], 1)
        self.assertNotIn("equal", report)

    def test_groups_of_a_mesh_do_not_grow_with_it(self):
        sizes = []
        for axis in 256, 512:
            text = MATRIX.replace('"x"=2', f'"x"={axis}').replace("6x", f"{3 * axis}x").replace("x5x", f"x{2 * axis}x")
            made = shardy("partition", "-", *FORMS[2], text=text)
            self.assertEqual(made.returncode, 0, made.stderr)
            sizes.append(made.stdout.count("\n"))  # longer numbers do not count
            self.assertNotIn("dense<[", made.stdout)
            self.assertIn("axes = [#stablehlo.axis_ref", made.stdout)
        self.assertEqual(sizes[0], sizes[1])

    def test_the_result_of_dropping_shardings_runs_on_the_grid_of_the_module(self):
        made = shardy("partition", "-", "--collectives=stablehlo", text=MATRIX).stdout
        plain = shardy("opt", "-", "--sdy-drop-sharding-and-mesh", text=made)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        for word in "sdy", "spmd":
            self.assertNotIn(word, plain.stdout)
        done = shardy("run", "-", text=plain.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("@main on device 3:", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

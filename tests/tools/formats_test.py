#!/usr/bin/env python3
"""Formats are found by contents, whatever the names of the files; input that is not a program gets an error.

formats_test.py SHARDY EXAMPLES
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SHARDY = sys.argv[1]
EXAMPLES = pathlib.Path(sys.argv[2])

MLIR = """// A product.
module @m {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %16 = stablehlo.sine %x : tensor<4xf32>
    return %16 : tensor<4xf32>
  }
}
"""
JSON = json.dumps({"shardy": 1, "functions": [{"name": "main", "args": [{"name": "x", "type": "f32[4]"}], "return": ["y"], "body": [
    {"name": "y", "op": "sine", "operands": ["x"]}]}]}, indent=1)
JAX = "note: JAX prints the text of a program: jax.jit(f).lower(...).as_text()\n"
KINDS = "note: programs are MLIR text or JSON graphs\n"

# Contents of a file, and the message after its name.
NO_PROGRAMS = {
    "empty": (b"", "is empty\n" + KINDS + JAX),
    "blank": (b" \r\n\t\n", "contains only white space\n" + KINDS + JAX),
    "mark": (b"\xef\xbb\xbf", "is empty\n" + KINDS + JAX),
    "hlo": (b"HloModule jit_f, entry_computation_layout={(f32[4]{0})->f32[4]{0}}\n\nENTRY main {\n}\n",
            'is HLO text, not StableHLO\nnote: hlo-translate --hlo-to-mlir FILE converts it to StableHLO\n'
            'note: JAX prints StableHLO with lowered.as_text(), not with as_text("hlo") or compiled.as_text()\n'),
    "commented_hlo": (b"// dumped\nHloModule m\n",
                      'is HLO text, not StableHLO\nnote: hlo-translate --hlo-to-mlir FILE converts it to StableHLO\n'
                      'note: JAX prints StableHLO with lowered.as_text(), not with as_text("hlo") or compiled.as_text()\n'),
    "bytecode": (b"ML\xefR\x0dMLIR18.0.0\0\x1f\x05",
                 "is bytecode of MLIR, not text\nnote: stablehlo-opt FILE prints it as text, or sdy_opt if it has sdy ops\n" + JAX),
    "artifact": (b"ML\xefR\x03StableHLO_v1.8.0\0\x01",
                 "is a portable artifact of StableHLO (bytecode), not text\n"
                 "note: stablehlo-translate --deserialize FILE prints it as text\n" + JAX),
    "gzip": (gzip.compress(MLIR.encode()), "is compressed by gzip\nnote: decompress it with gunzip\n"),
    "zstd": (b"(\xb5/\xfd\x04X", "is compressed by zstd\nnote: decompress it with unzstd\n"),
    "zip": (b"PK\x03\x04\x14", "is a zip archive, not a program\n"
                               "note: arrays of NumPy (.npz) are inputs: shardy run PROGRAM --input FILE.npz\n"),
    "npy": (b"\x93NUMPY\x01\0", "is an array of NumPy, not a program\nnote: arrays are inputs: shardy run PROGRAM --input FILE.npy\n"),
    "elf": (b"\x7fELF\x02\x01\x01", "is compiled code, not a program of tensors\n"),
    "utf16": (MLIR.encode("utf-16"), "is text in UTF-16\nnote: programs are UTF-8: iconv -f UTF-16 -t UTF-8 FILE\n"),
    "binary": (bytes(range(256)), "is not text: it contains bytes of binary files\n" + KINDS + JAX),
    "jaxpr": (b"{ lambda ; a:f32[4]. let b:f32[4] = sin a in (b,) }\n", "is a jaxpr, not StableHLO\n" + JAX),
    "python": (b"from jax import \x1b[31mnumpy\n", "is neither MLIR text nor JSON: it begins with `from jax import \\1B[31mnumpy`\n" + KINDS + JAX),
}


def shardy(*arguments, data=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=data, capture_output=True, timeout=300, check=False)


class Formats(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_content_decides(self):
        for text in MLIR, JSON:
            expected = shardy("convert", "-", "--emit=mlir", data=text.encode()).stdout
            self.assertIn(b"stablehlo.sine %x", expected)
            for spelled in text, "\ufeff" + text, text.replace("\n", "\r\n"), "\ufeff\r\n" + text.replace("\n", "\r\n"):
                for name in "p", "p.txt", "p.stablehlo", "p.json", "p.mlir", "p.hlo", "-":
                    with self.subTest(name, begins=text[:3]):
                        path = name if name == "-" else self.folder / name
                        if name != "-":
                            path.write_bytes(spelled.encode())
                        done = shardy("convert", path, "--emit=mlir", data=spelled.encode() if name == "-" else None)
                        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected, b""))

    def test_what_is_written_is_as_what_was_read(self):
        for text, begin in (MLIR, b"module"), (JSON, b"{"):
            path = self.folder / "p.txt"
            path.write_text(text)
            self.assertTrue(shardy("convert", path).stdout.startswith(begin))

    def test_places_after_a_byte_order_mark_are_right(self):
        text = "\ufefffunc.func @f() {\r\n  %0 = stablehlo.sinus %1\r\n  return\r\n}\r\n"
        self.assertEqual(shardy("convert", "-", data=text.encode()).stderr.decode(),
                         "-:2:8: error: custom op 'stablehlo.sinus' is unknown\n  %0 = stablehlo.sinus %1\n       ^\n"
                         "note: did you mean stablehlo.sine?\n")

    def test_all_commands_read_so(self):
        path = self.folder / "p.txt"
        path.write_bytes(b"\xef\xbb\xbf" + JSON.encode())
        for command in ["run"], ["run", "--split-input-file"], ["propagate"], ["partition"], ["explain"], ["check", "--cases=1"], ["opt"]:
            with self.subTest(command):
                done = shardy(*command, path)
                self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_input_that_is_not_a_program_is_an_error(self):
        for name, (data, error_text) in NO_PROGRAMS.items():
            for command in "convert", "run", "explain", "opt":
                for suffix in ("", ".mlir") if name not in ("python",) else ("",):
                    path = self.folder / (name + suffix)
                    path.write_bytes(data)
                    with self.subTest(name + suffix, command=command):
                        done = shardy(command, path)
                        self.assertEqual((done.returncode, done.stdout), (2, b""))
                        self.assertEqual(done.stderr.decode(), f"error: {path} {error_text}")
            done = shardy("convert", "-", data=data)
            self.assertEqual((done.returncode, done.stderr.decode()), (2, f"error: standard input {error_text}"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

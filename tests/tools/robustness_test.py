#!/usr/bin/env python3
"""The command line against wrong, huge and hostile input, and against places that take no output.

usage: robustness_test.py SHARDY EXAMPLES
"""
import io
import json
import os
import pathlib
import resource
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
MIB = 1 << 20
SUM = """func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
SHARDED = """sdy.mesh @mesh = <["x"=2, "y"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""


def shardy(*arguments, text=None, memory=None, seconds=60, **options):
    """Runs the command line, with `memory` bytes of address space if given."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory and CAN_LIMIT:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([SHARDY, *map(str, arguments)], input=None if text is None else text.encode(),
                          stderr=subprocess.PIPE, timeout=seconds * PATIENCE, preexec_fn=limit, **options)


# Sanitizers take terabytes of addresses for themselves.
CAN_LIMIT, PATIENCE = True, 1
CAN_LIMIT = shardy("--version", memory=200 * MIB).returncode == 0
# And many times as long for everything.
PATIENCE = 1 if CAN_LIMIT else 8


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def refused(self, done, message, status=2):
        self.assertEqual(done.returncode, status, done.stderr[-1000:])
        self.assertIn(message, done.stderr.decode())
        self.assertLess(len(done.stderr), 2000)


def npy(shape, data, descr="<f4"):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


class Values(Case):
    """Files of --input."""

    def run_with(self, path, **options):
        return shardy("run", self.file("sum.mlir", SUM), "--input", path, **options)

    def test_json_obeys_the_depth_limit_of_programs(self):
        for depth in 600, 100_000:
            self.refused(self.run_with(self.file("x.json", "[" * depth)),
                         "x.json:1:513): lists and objects are nested more than 512 levels deep")
        self.refused(self.run_with(self.file("x.json", "[" * 100 + "]" * 100)),
                     "x.json): expected a list of 2 elements, found 1")

    def test_errors_of_json_are_short_and_name_the_place(self):
        deep = "[" * 500 + "]" * 500
        for text, message in [
            (f"[1, {deep}]", "x.json:/1): an element of type f32 is a number, \"nan\", \"inf\", \"-inf\" or bits \"0x..\", found a list"),
            (f'[1, "{"a" * MIB}"]', 'found the string "aaa'),
            (f'{{"type": {deep}, "values": [1, 2]}}', "x.json:/type): the file holds a list, not tensor<2xf32>"),
            ('{"values": [1, 2, 3]}', "x.json:/values): expected a list of 2 elements, found 3"),
            ("{}", "`values` is missing"),
            ('[1, 2', "x.json:1:6): not valid JSON"),
            ('{"values": [1, 2], "values": [1, 2]}', 'duplicate key "values"'),
            ("", "not valid JSON: the text is empty"),
        ]:
            with self.subTest(message):
                self.refused(self.run_with(self.file("x.json", text)), "error: input 0 (" + str(self.folder) + "/")
                self.refused(self.run_with(self.file("x.json", text)), message)

    def test_integers_out_of_range_are_named(self):
        program = self.file("i.mlir", "func.func @main(%a: tensor<i8>) -> tensor<i8> {\n  return %a : tensor<i8>\n}\n")
        for value, message in [("128", "the number 128 is out of range of i8"), ("-129", "the number -129 is out of range of i8"),
                               ("18446744073709551615", "18446744073709551615 is out of range of i8"), ("1.5", "an element of type i8 is an integer, found the number 1.5")]:
            self.refused(shardy("run", program, "--input", self.file("x.json", value)), message)
        self.assertEqual(shardy("run", program, "--input", self.file("x.json", "-128")).stdout, b"tensor<i8> {-128}\n")

    def test_a_small_archive_that_promises_much_takes_little(self):
        bomb = io.BytesIO()
        with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("x.npy", "w", force_zip64=True) as entry:
                entry.write(npy("(2,)", b""))
                for _ in range(300):
                    entry.write(bytes(MIB))
        path = self.file("x.npz", bomb.getvalue())
        self.assertLess(path.stat().st_size, MIB)
        done = self.run_with(path, memory=400 * MIB)
        if b"without libzip" in done.stderr:
            self.skipTest("built without libzip")
        self.refused(done, "x.npz): the .npy file holds more bytes of elements, tensor<2xf32> needs 8")

    def test_of_a_long_file_no_more_is_read_than_the_argument_needs(self):
        endless = self.folder / "x.npy"
        endless.symlink_to("/dev/zero")
        self.refused(self.run_with(endless, memory=400 * MIB), "x.npy): not a .npy file")
        self.refused(self.run_with(self.file("y.npy", npy("(2,)", bytes(64 * MIB)))), "holds more bytes of elements")
        self.refused(self.run_with(self.file("y.npy", npy("(5, 3)", bytes(60)))),
                     "the .npy file holds tensor<5x3xf32>, not tensor<2xf32>")
        self.refused(self.run_with(self.file("y.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff")), "header of the .npy file is longer than 65536 bytes")
        self.refused(self.run_with(self.file("y.npy", npy("(2,)", b"", "\x1b[31m"))), "elements '\\1B[31m' of .npy files")


class Programs(Case):
    def test_what_a_file_begins_with_is_looked_at_before_it_is_read(self):
        begin = time.monotonic()
        self.refused(shardy("run", "/dev/zero", memory=400 * MIB), "error: /dev/zero is not text: it contains bytes of binary files")
        self.refused(shardy("opt", "/dev/zero", memory=400 * MIB), "error: /dev/zero is not text: it contains bytes of binary files")
        self.assertLess(time.monotonic() - begin, 5)

    def test_what_has_no_end_is_refused(self):
        endless = self.folder / "x.mlir"
        endless.symlink_to("/dev/zero")
        self.refused(shardy("convert", endless), "x.mlir is not text: it contains bytes of binary files")
        with subprocess.Popen(["yes", "// endless"], stdout=subprocess.PIPE) as source:
            self.refused(shardy("convert", "-", stdin=source.stdout),
                         "cannot read -: more than 1073741824 bytes, the most that a pipe or a device may hold")
            source.kill()

    def test_a_program_that_is_too_large_is_not_read(self):
        path = self.file("x.mlir", "")
        os.truncate(path, 5 << 30)  # takes no room
        self.refused(shardy("convert", path, memory=400 * MIB), "x.mlir: more than 4294967295 bytes, the most that a file may hold")

    def test_arguments_that_no_run_may_hold_are_not_made_up(self):
        text = SHARDED.replace("8xf32", "1000000000000xf32")
        self.refused(shardy("run", "-", text=text), "error: E_MEMORY_LIMIT: more than 17179869184 bytes are live")

    @unittest.skipUnless(CAN_LIMIT, "the program takes terabytes of addresses")
    def test_lack_of_memory_is_an_error(self):
        text = SUM.replace("2xf32", "1000000000xf32")  # 4 GB
        self.refused(shardy("run", "-", text=text, memory=400 * MIB), "error: out of memory", 1)


class Calls(Case):
    """Each function calls the next one twice."""

    ANNOTATION = ' {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}'

    def diamond(self, depth, constant=False):
        """Returns the text: `depth` functions above the last one."""
        value = "tensor<8xf32>"
        argument, kind = ("", "") if constant else ("%a", value)
        lines = ['sdy.mesh @mesh = <["x"=2]>',
                 f"func.func @main(%a: {value}{self.ANNOTATION}) -> {value} {{",
                 f"  %0 = call @f{depth}({argument}) : ({kind}) -> {value}",
                 f"  %1 = stablehlo.add %0, %a : {value}", f"  return %1 : {value}", "}"]
        for level in range(depth, -1, -1):
            lines.append(f"func.func private @f{level}({'' if constant else '%a: ' + value}) -> {value} {{")
            if level == 0:
                lines.append(f"  %2 = stablehlo.{'constant dense<1.0>' if constant else 'negate %a'} : {value}")
            else:
                lines += [f"  %{i} = call @f{level - 1}({argument}) : ({kind}) -> {value}" for i in range(2)]
                lines.append(f"  %2 = stablehlo.add %0, %1 : {value}")
            lines += [f"  return %2 : {value}", "}"]
        return "\n".join(lines) + "\n"

    def test_a_small_diamond_is_copied(self):
        done = shardy("opt", "--sdy-flatten-call-graph", text=self.diamond(5))
        self.assertEqual(done.stdout.count(b"func.func"), 1 + 63)
        self.assertEqual(shardy("run", "-", "--check", text=self.diamond(5)).returncode, 0)

    def test_copies_of_functions_have_a_budget(self):
        for depth, copies, ops in (20, 2**21 - 22, 8 * 2**20 - 5 - (5 * 20 + 3)), (40, 2**41 - 42, 8 * 2**40 - 5 - 203):
            for command in ["opt", "--sdy-flatten-call-graph"], ["opt", "--sdy-import-func-calls"], ["propagate"], ["partition"], ["run"], ["explain"]:
                with self.subTest(command, depth=depth):
                    done = shardy(*command, *["-"] * (command[0] != "opt"), text=self.diamond(depth), memory=400 * MIB, seconds=20)
                    self.refused(done, "-:2:1: error: copies of functions for each of their calls: "
                                 f"{copies} with {ops} ops, more than 1048576\n", done.returncode or 2)
                    self.assertIn(b"call them fewer times", done.stderr)

    def test_so_have_copies_of_constants_that_calls_make(self):
        done = shardy("opt", "--sdy-constant-or-scalar-splitter", text=self.diamond(40, constant=True))
        self.refused(done, "ops, more than 1048576\n", 1)

    def test_sums_of_copies_do_not_overflow(self):
        done = shardy("opt", "--sdy-flatten-call-graph", text=self.diamond(100))
        self.refused(done, "more than 9223372036854775806 with more than 9223372036854775806 ops", 1)

    def test_functions_that_all_calls_share_are_not_copied(self):
        done = shardy("opt", "--sdy-propagation-pipeline=dedup-functions-fully=true", text=self.diamond(40))
        self.assertEqual(done.returncode, 0, done.stderr)
        for command in ["propagate"], ["partition"], ["explain", "--all"]:
            done = shardy(*command, "-", "--dedup-functions-fully", text=self.diamond(40))
            self.assertEqual(done.returncode, 0, done.stderr)
        done = shardy("run", "-", "--check", "--dedup-functions-fully", text=self.diamond(6))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"equal to the unsharded run", done.stdout)


class Traces(Case):
    LOOP = """func.func @main() -> tensor<i32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<COUNT> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %c0) : tensor<i32> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
"""

    def loop(self, count):
        return self.LOOP.replace("COUNT", str(count))

    def test_a_trace_has_a_budget(self):
        path = self.file("t.json", "old")
        done = shardy("run", "-", "--trace", path, "--max-trace-bytes", 1000, text=self.loop(1000))
        self.refused(done, "error: E_TRACE_LIMIT: the events of the run take more than 1000 bytes", 1)
        self.assertIn(b"--max-trace-bytes raises it", done.stderr)
        self.assertEqual((done.stdout, path.read_text()), (b"", "old"))
        done = shardy("run", self.file("s.mlir", SHARDED), "--trace", path, "--max-trace-bytes", 100)
        self.refused(done, "E_TRACE_LIMIT", 1)
        self.assertEqual(shardy("run", "-", "--max-trace-bytes", 0, text=self.loop(10)).returncode, 0)

    def test_the_budget_ends_the_run(self):
        done = shardy("run", "-", "--trace", self.folder / "t.json", "--max-trace-bytes", MIB,
                      text=self.loop(2**31 - 1), memory=1000 * MIB, seconds=30)
        self.refused(done, "E_TRACE_LIMIT", 1)

    def test_a_long_trace_takes_little_more_than_its_events(self):
        path = self.folder / "t.json"
        done = shardy("run", "-", "--threads", 1, "--trace", path, text=self.loop(200_000), memory=300 * MIB)
        self.assertEqual(done.returncode, 0, done.stderr)
        events = json.loads(path.read_text())["traceEvents"]
        self.assertEqual(sum(event["name"] == "stablehlo.add" for event in events), 200_000)

    def test_a_trace_is_of_one_run(self):
        done = shardy("run", "-", "--split-input-file", "--trace", self.folder / "t.json", text=self.loop(1) + "// -----\n" + self.loop(2))
        self.refused(done, "error: --trace is for one run, the file holds 2 programs")

    def test_a_run_without_ops_has_a_trace(self):
        path = self.folder / "t.json"
        shardy("run", "-", "--trace", path, text="func.func @main() {\n  return\n}\n")
        self.assertIsInstance(json.loads(path.read_text())["traceEvents"], list)


class Output(Case):
    COMMANDS = ["convert"], ["propagate"], ["partition"], ["opt", "--sdy-close-shardings"]

    def test_a_full_disk_costs_no_old_file(self):
        for command in self.COMMANDS:
            path = self.file("out.mlir", "old")
            def limit():  # as a full disk: writes fail
                resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
            done = subprocess.run([SHARDY, *command, self.file("s.mlir", SHARDED), "-o", path], capture_output=True,
                                  preexec_fn=limit, restore_signals=False)
            if done.returncode < 0:
                self.skipTest("the signal of a file that is too large is not ignored")
            self.refused(done, "error: cannot write ")
            self.assertEqual(path.read_text(), "old")
            self.assertEqual(sorted(each.name for each in self.folder.iterdir()), ["out.mlir", "s.mlir"])

    def test_a_file_is_replaced_and_keeps_its_mode(self):
        path = self.file("out.mlir", "old")
        path.chmod(0o640)
        number = path.stat().st_ino
        self.assertEqual(shardy("convert", "-", "-o", path, text=SUM).returncode, 0)
        self.assertIn("stablehlo.add", path.read_text())
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
        self.assertNotEqual(path.stat().st_ino, number)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["out.mlir"])

    def test_a_new_file_has_the_mode_of_the_umask(self):
        done = shardy("convert", "-", "-o", self.folder / "out.mlir", text=SUM, umask=0o027)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(stat.S_IMODE((self.folder / "out.mlir").stat().st_mode), 0o640)

    def test_links_stay_links(self):
        real = self.file("real.mlir", "old")
        (self.folder / "sub").mkdir()
        for name, target in ("link.mlir", "real.mlir"), ("sub/link.mlir", "../link.mlir"), ("new.mlir", "sub/made.mlir"):
            link = self.folder / name
            link.symlink_to(target)
            self.assertEqual(shardy("convert", "-", "-o", link, text=SUM).returncode, 0)
            self.assertTrue(link.is_symlink())
            self.assertIn("stablehlo.add", link.read_text())
        self.assertFalse(real.is_symlink())

    def test_devices_and_pipes_are_written_to(self):
        want = shardy("convert", "-", text=SUM).stdout
        self.assertEqual(shardy("convert", "-", "--emit", "mlir", "-o", "/dev/stdout", text=SUM).stdout, want)
        with open(self.folder / "log", "ab") as log:
            log.write(b"before\n")
            log.flush()
            shardy("convert", "-", "--emit", "mlir", "-o", "/dev/stdout", text=SUM, stdout=log)
        self.assertEqual((self.folder / "log").read_bytes(), b"before\n" + want)
        self.assertEqual(shardy("convert", "-", "--emit", "mlir", "-o", "/dev/stderr", text=SUM).stderr, want)
        self.assertEqual(shardy("convert", "-", "-o", "/dev/null", text=SUM).returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE)
        self.assertEqual(shardy("convert", "-", "--emit", "mlir", "-o", fifo, text=SUM).returncode, 0)
        self.assertEqual(reader.communicate(timeout=30)[0], want)

    def test_standard_output_that_is_full_is_an_error(self):
        program = self.file("s.mlir", SHARDED)
        plain = self.file("p.mlir", SUM)
        for command in (["run", program], ["run", plain], ["run", plain, "--json"], ["run", program, "--check", "--json"],
                        ["explain", program, "--all"], ["convert", program], ["partition", program], ["propagate", program],
                        ["opt", program], ["opt", "--help"], ["opt", "--list-passes"], ["--help"], ["--version"],
                        ["convert", program, "-o", "/dev/full"]):
            with self.subTest(command), open("/dev/full", "wb") as full:
                done = shardy(*command, stdout=full)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr.decode(), r"error: cannot write (standard output|/dev/full): (No space left on device|the output is incomplete)\n")
                self.assertEqual(done.stderr.count(b"error: "), 1)
        for command in ["convert", program, "-o", "/dev/full"], ["run", program, "--trace", "/dev/full"]:
            self.refused(shardy(*command), "error: cannot write /dev/full: No space left on device\n")

    def test_bad_paths_are_errors_before_the_run(self):
        loop = Traces.LOOP.replace("COUNT", "2147483647")
        for option, message in [
            (["--trace", "/nowhere/t.json"], "cannot write /nowhere/t.json: No such file or directory"),
            (["--trace", self.folder], f"cannot write {self.folder}: Is a directory"),
            (["--output-dir", self.file("file", "")], f"cannot make {self.folder}/file: "),
            (["--output-dir", self.folder / "file" / "sub"], f"cannot make {self.folder}/file/sub: "),
            (["--output-dir", ""], "--output-dir: "), (["--trace", ""], "--trace: "),
        ]:
            with self.subTest(message):
                self.refused(shardy("run", "-", *option, text=loop, seconds=20), message)
        for option in ["-o", "/nowhere/x.mlir"], ["-o", self.folder], ["-o", ""], ["--dump-dir", self.folder / "file"], ["--dump-dir", ""]:
            with self.subTest(option):
                self.assertEqual(shardy("opt", *option, text="no program").returncode, 2)
        self.assertEqual((self.folder / "file").read_text(), "")

    def test_dump_folders_are_made(self):
        done = shardy("opt", "--sdy-close-shardings", "--dump-dir", self.folder / "a" / "b", text=SHARDED)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([each.name for each in (self.folder / "a" / "b").iterdir()], ["01.sdy-close-shardings.mlir"])

    def test_names_of_functions_do_not_lead_out_of_the_folder(self):
        text = "".join(f'func.func @"{name}"() -> tensor<i32> {{\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n'
                       "  return %0 : tensor<i32>\n}\n" for name in ("../up", "a b", "plain"))
        done = shardy("run", "-", "--output-dir", self.folder / "out", text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([each.name for each in self.folder.iterdir()], ["out"])
        self.assertEqual(sorted(each.name for each in (self.folder / "out").iterdir()),
                         ["%2E.%2Fup_result0.npy", "a%20b_result0.npy", "plain_result0.npy"])


class Terminal(Case):
    """Text of a program never acts on the terminal."""

    NAMES = "\\1B[31mred", "\\C2\\9B31m", "\\FFbyte", "new\\0Aline", "\\E2\\80\\AEturned"

    def clean(self, output):
        text = output.decode()  # UTF-8
        bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2028"]
        self.assertEqual(bad, [], text[:500])
        return text

    def program(self, name):
        return (f'sdy.mesh @mesh = <["x"=2]>\nfunc.func @main(%arg0: tensor<8x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> tensor<8x8xf32> {{\n'
                f'  %0 = call @"{name}"(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n'
                f'  %1 = stablehlo.custom_call @"{name}"(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32> loc("{name}":1:1)\n'
                "  return %1 : tensor<8x8xf32>\n}\n"
                f'func.func private @"{name}"(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {{\n'
                "  %0 = stablehlo.dot %a, %a : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
                "  return %0 : tensor<8x8xf32>\n}\n")

    def test_names_are_spelled_in_all_that_people_read(self):
        for name in self.NAMES:
            for command in (["explain", "-", "--all"], ["explain", "-", "--strict"], ["run", "-"], ["run", "-", "--check"],
                            ["partition", "-"], ["propagate", "-"], ["explain", "-", "--function", "@\x1b[31m"],
                            ["opt", "-sdy-propagation-pipeline", "--mlir-timing", "--mlir-print-ir-after-all"]):
                with self.subTest(name, command=command):
                    done = shardy(*command, text=self.program(name))
                    self.clean(done.stdout)
                    self.clean(done.stderr)

    def test_source_lines_are_spelled_and_the_caret_fits(self):
        done = shardy("convert", "-", text="func.func @f() {\n\t// \x1b[31m \tx\x07\n\treturn %\x1b\n}\n")
        self.assertIn("\treturn %\\1B\n\t        ^\n", self.clean(done.stderr))

    def test_names_of_files_and_options_are_spelled(self):
        for command in ["run", "\x1b.json"], ["run", "\x1b.exe"], ["run", "x.json", "--\x1b[1m"], ["opt", "--\x1b[1m"], ["run", "x.json", "--grid", "\x1b"]:
            done = shardy(*command)
            self.assertEqual(done.returncode, 2)
            self.assertIn("\\1B", self.clean(done.stderr))

    def test_errors_of_json_programs_are_spelled(self):
        program = json.loads((EXAMPLES / "mlp.json").read_text())
        program["functions"][0]["body"][0]["op"] = "\x1b[31m\u009b"
        self.assertIn("\\u001b[31m\\C2\\9B", self.clean(shardy("convert", "-", text=json.dumps(program)).stderr))

    def test_printed_names_and_results_are_spelled(self):
        text = "".join(f'func.func @"{name}"() -> tensor<i32> {{\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n'
                       "  interpreter.print %0 : tensor<i32>\n  return %0 : tensor<i32>\n}\n" for name in ("\\1B[31m", "b"))
        self.assertIn('@"\\1B[31m":\n', self.clean(shardy("run", "-", text=text).stdout))


class JsonReports(Case):
    def reports(self, name):
        text = Terminal().program(name)
        checks = (f'func.func @"{name}"() -> tensor<i32> {{\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n'
                  f'  check.expect_eq_const %0, dense<2> : tensor<i32> loc("{name}")\n  return %0 : tensor<i32>\n}}\n'
                  "func.func @other() {\n  return\n}\n")
        return shardy("explain", "-", "--all", "--json", text=text), shardy("run", "-", "--json", text=text.replace(f'call_custom @"{name}"', "")), \
            shardy("run", "-", "--json", text=checks)

    def test_names_that_are_no_text_are_spelled_as_in_programs(self):
        explain, _, run = self.reports("\\FFbyte")
        for done in explain, run:
            self.assertNotIn(b"exception", done.stderr)
            self.assertTrue(done.stdout.isascii())
            self.assertIn(b"\\udbff\\udfffbyte", done.stdout)
            self.assertIsInstance(json.loads(done.stdout), dict)
        # The same string as in the program as JSON.
        converted = shardy("convert", "-", "--emit", "json", text=Terminal().program("\\FFbyte")).stdout.decode()
        self.assertIn("\U0010ffffbyte", {function["name"] for function in json.loads(converted)["functions"]})
        self.assertIn("\U0010ffffbyte", {value["function"] for value in json.loads(explain.stdout)["values"]})

    def test_control_characters_are_escaped(self):
        explain, _, run = self.reports("\\1B\\C2\\9B")
        for done in explain, run:
            self.assertIn(b"\\u001b\\u009b", done.stdout)
            self.assertTrue(done.stdout.isascii())


class Options(Case):
    def test_numbers_are_read_whole_and_in_range(self):
        program = self.file("s.mlir", SHARDED)
        bad = {
            "--tolerance": ["nan", "inf", "-inf", "-1", "-0.0", "1e999", "x", "", " 1", "1 ", "1e-3x", "0x1p3"],
            "--seed": ["-1", "18446744073709551616", "1.5", "", "x", "0x10", "+1"],
            "--threads": ["-1", "2147483648", "many", ""],
            "--max-steps": ["-1", "9223372036854775808", "1e3", "", "-9223372036854775809"],
            "--max-iterations": ["-1", "99999999999999999999", "08x"],
            "--max-bytes": ["-1", "99999999999999999999", "1k"],
            "--max-trace-bytes": ["-1", "99999999999999999999", ""],
            "--grid": ["x", "2", "2x", "x2", "-1x1", "0x1", "1x1x1", " 1x1", "1x 1", "+1x1", "99999999999999999999x1", ""],
            "--devices": ["", "x", "x=", "=2", "x=0", "x=-1", "x=2,", ",x=2", "x=2,,y=1", "x=2,x=3", "x=2,x=2", "x=1.5",
                          "x=99999999999999999999", "x=2=3", "x= 2", "nowhere=2", "x=9223372036854775807,y=2"],
        }
        for option, values in bad.items():
            for value in values:
                with self.subTest(option, value=value):
                    self.refused(shardy("run", program, f"{option}={value}"), option)
        for value in "-1", "99999999999999999999", "x", "":
            self.refused(shardy("opt", f"--bisect-limit={value}", text=SUM), "--bisect-limit")

    def test_numbers_at_the_ends_are_taken(self):
        program = self.file("s.mlir", SHARDED)
        for option in ("--tolerance=0", "--tolerance=1e-300", "--seed=18446744073709551615", "--threads=0", "--threads=2147483647",
                       "--max-steps=9223372036854775807", "--max-bytes=9223372036854775807", "--devices=x=4,y=2", "--devices=x=1"):
            with self.subTest(option):
                self.assertEqual(shardy("run", program, "--check", option).returncode, 0)

    def test_digits_are_decimal(self):
        loop = Traces.LOOP.replace("COUNT", "9")
        self.assertEqual(shardy("run", "-", "--max-iterations", "010", text=loop).returncode, 0)

    def test_an_option_is_given_once(self):
        program = self.file("s.mlir", SHARDED)
        for option in "--tolerance=1", "--seed=1", "--devices=x=2", "--max-steps=100", "--grid=1x1", "--trace=/dev/null":
            self.assertEqual(shardy("run", program, option, option).returncode, 2, option)

    def test_a_mesh_that_no_run_can_have_is_refused(self):
        program = self.file("s.mlir", SHARDED)
        done = shardy("run", program, "--devices", "x=4000000000000000000", memory=2000 * MIB)
        self.assertIn(done.returncode, (1, 2))
        self.assertRegex(done.stderr, rb"error: ")
        self.assertNotIn(b"out of memory", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

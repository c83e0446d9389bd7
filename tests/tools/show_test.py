#!/usr/bin/env python3
"""`shardy show`: its pictures, the shardings of values at each step, and its exit status.

show_test.py SHARDY EXAMPLES [--approve]
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import unittest

SHARDY, EXAMPLES = sys.argv[1], pathlib.Path(sys.argv[2])
ROOT = EXAMPLES.parent
FOLDER = pathlib.Path(__file__).resolve().parent / "show"

# Each golden file holds commands with what they print; documents show them.
GOLDEN = {
    "matrix": [["--mesh", '<["x"=2, "y"=3]>', "--shape", "24x24", "--sharding", '[{"x"}, {"y"}]']],
    "replicas": [["--mesh", '<["x"=4, "y"=2]>', "--shape", "10x8", "--sharding", '[{"x"}, {}], unreduced={"y"}'],
                 ["--mesh", '<["x"=4, "y"=2]>', "--shape", "10x8", "--sharding", '[{"x":(1)2}, {"y"}]']],
    "slices": [["--mesh", '<["x"=2, "y"=2, "z"=2]>', "--shape", "4x6x8", "--sharding", '[{"x"}, {"z"}, {"y"}]']],
    "cut": [["--mesh", '<["x"=64, "y"=4096]>', "--shape", "640x8192", "--sharding", '[{"x"}, {"y"}]', "--limit", "3"],
            ["--mesh", '<["x"=4611686018427387904]>', "--shape", "640", "--sharding", "[{}]"],
            ["--mesh", '<["x"=4]>', "--sharding", "[]"],
            ["--mesh", '<["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>', "--shape", "4", "--sharding", '[{"y"}]']],
    "steps": [["tests/tools/show/steps.mlir", "--value", "%0", "--step", step] for step in ("start", "0", "1", "3")],
}


def shardy(*arguments, text=None):
    return subprocess.run([SHARDY, *map(str, arguments)], input=text, capture_output=True, text=True, cwd=ROOT)


def quoted(word):
    return f"'{word}'" if re.search(r'[<>" \[\]]', word) else word


def golden(calls):
    out = ""
    for call in calls:
        done = shardy("show", *call)
        out += f"$ shardy show {' '.join(map(quoted, call))}\n{done.stdout}{done.stderr}"
    return out


class Show(unittest.TestCase):
    def test_pictures(self):
        for name, calls in GOLDEN.items():
            path = FOLDER / f"{name}.out"
            if "--approve" in sys.argv:
                path.write_text(golden(calls))
            with self.subTest(name):
                self.assertEqual(path.read_text(), golden(calls))

    def test_steps_go_from_the_annotation_to_the_end(self):
        for program in EXAMPLES / "jax/fsdp_sdy.mlir", FOLDER / "steps.mlir":
            for value in json.loads(shardy("explain", program, "--all", "--json").stdout)["values"]:
                if not value["name"].startswith("%") or value["after"] is None:
                    continue
                refused = shardy("show", program, "--value", value["name"], "--step", "999999")
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                steps = int(re.match(r"\S+: error: --step 999999: propagation has (\d+) steps?\nnote: ", refused.stderr).group(1))
                last = str(steps - 1) if steps else "start"
                answers = [json.loads(shardy("show", program, "--value", value["name"], "--json", *step).stdout)["values"][0]
                        for step in ([], ["--step", "start"], ["--step", last])]
                self.assertEqual(shardy("show", program, "--value", value["name"], "--step", str(steps)).returncode, 2)
                self.assertLess(max(answers[0]["steps"], default=-1), steps)
                with self.subTest(program.name, value=value["name"]):
                    self.assertEqual(answers[0]["sharding"], value["after"])
                    self.assertEqual(answers[2]["sharding"], value["after"])
                    if value["before"]:
                        self.assertEqual(answers[1]["sharding"], re.sub(r"\}p\d+", "}", value["before"]))
                    elif program.name == "steps.mlir":
                        self.assertIn("without a sharding", answers[1]["title"])

    def test_colours_are_for_terminals(self):
        call = ["show", *GOLDEN["matrix"][0]]
        self.assertNotIn("\033", shardy(*call).stdout)
        for setting, is_coloured in ({}, True), ({"NO_COLOR": "1"}, False):
            environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
            environment.update({"TERM": "xterm"}, **setting)
            main, terminal = pty.openpty()
            subprocess.run([SHARDY, *call], stdout=terminal, env=environment, check=True)
            os.close(terminal)
            self.assertEqual(b"\033[" in os.read(main, 65536), is_coloured)
            os.close(main)

    def test_json_has_all_devices(self):
        answers = json.loads(shardy("show", *GOLDEN["slices"][0], "--json").stdout)["values"][0]
        devices = [holder["device"] for shard in answers["shards"] for holder in shard["holders"]]
        self.assertEqual(sorted(devices), list(range(8)))
        self.assertEqual((answers["num_shards"], answers["local_shape"], answers["cut"]), ([2, 2, 2], [2, 3, 4], False))
        huge = json.loads(shardy("show", *GOLDEN["cut"][1], "--json").stdout)["values"][0]
        self.assertEqual((len(huge["shards"][0]["holders"]), huge["cut"]), (65536, True))

    def test_wrong_arguments_are_errors(self):
        mesh = ["--mesh", '<["x"=2]>']
        for call, message in [
            ([], "expected a FILE and --value"),
            ([EXAMPLES / "jax/fsdp_sdy.mlir"], "expected --value"),
            ([EXAMPLES / "jax/fsdp_sdy.mlir", "--value", "%nowhere"], "no such value: %nowhere"),
            ([EXAMPLES / "jax/fsdp_sdy.mlir", "--value", "%2", *mesh], "--mesh, --shape and --sharding are for"),
            ([*mesh, "--shape", "8", "--sharding", '[{"y"}]'], "--sharding: "),
            ([*mesh, "--shape", "8x", "--sharding", '[{"x"}]'], "--shape: "),
            ([*mesh, "--shape", "8x?", "--sharding", '[{"x"}, {}]'], "--shape: expected a static shape"),
            ([*mesh, "--shape", "8x8", "--sharding", '[{"x"}]'], "a sharding of 1 dims for a tensor of 2 dims"),
            (["--mesh", "3", "--shape", "8", "--sharding", "[{}]"],
             "--mesh: expected '<', found '3'\nnote: for example: --mesh '<[\"x\"=2, \"y\"=3]>'\n"),
            ([*mesh, "--shape", "-4", "--sharding", "[{}]"], "\nnote: for example: --shape 24x24xf32\n"),
            (["--step", "soon"], "expected start or a step"),
            (["--limit", "65"], "expected an integer from 1 to 64"),
        ]:
            done = shardy("show", *call)
            with self.subTest(message):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""`shardy report` and `shardy diff`: their output, their JSON against a run, and their exit status.

usage: report_test.py SHARDY EXAMPLES [--approve]
"""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent / "report"


# Two products of one line of Python.
LAYERS = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("embed"("model.py":31:8))
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("embed"("model.py":31:8))
  return %1 : tensor<8x8xf32>
}
"""


def run(*args, **kwargs):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, check=False, **kwargs)


def expect(wanted, got, what):
    if wanted != got:
        sys.exit(f"{what}: expected\n{wanted}\ngot\n{got}")


def expect_file(path, got, approve):
    if approve:
        path.write_text(got)
    expect(path.read_text(), got, path.name)


def expect_as_run(shardy, program):
    """The traffic of each kind and the peak are those that a run counts."""
    answer = json.loads(run(shardy, "report", program, "--json").stdout)
    ran = json.loads(run(shardy, "run", program, "--json").stdout)
    traffic = {kind: (all["count"], all["bytes_sent_per_device"]) for kind, all in ran["collectives"].items()}
    expect(traffic, {each["name"]: (each["count"], each["bytes"]) for each in answer["by_kind"]}, program)
    expect(ran["peak_bytes_per_device"], answer["peak"]["bytes"], program)
    expect(answer["bytes"], sum(each["times"] * each["bytes"] for each in answer["collectives"]), program)


def main():
    shardy, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    approve = "--approve" in sys.argv
    fsdp, other = examples / "jax/fsdp_sdy.mlir", HERE / "replicated.mlir"

    answer = run(shardy, "report", fsdp)
    expect(0, answer.returncode, answer.stderr)
    expect_file(HERE / "fsdp.out", f"$ shardy report examples/jax/fsdp_sdy.mlir\n{answer.stdout}", approve)
    plain = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n"
    answer = run(shardy, "report", "-", input=plain)
    expect((0, "-: note: the program has no mesh: one device has all of it\n"
               "note: shardy autoshard FILE --mesh '<[\"x\"=8]>' chooses annotations for 8 devices\n"),
           (answer.returncode, answer.stderr), "a program without a mesh")
    line = ["examples/jax/fsdp_sdy.mlir", "--memory", "--line", "5:10", "--top", "3", "--axis-cost", "fsdp=ring:10GB/s:1us"]
    answer = run(shardy, "report", *line, cwd=examples.parent)
    expect_file(HERE / "fsdp_line.out", f"$ shardy report {' '.join(line)}\n{answer.stdout}", approve)
    stack = run(shardy, "report", HERE / "layers.mlir", "--memory", "--top", "4")
    expect_file(HERE / "layers.out", f"$ shardy report tests/tools/report/layers.mlir --memory --top 4\n{stack.stdout}", approve)
    why = ["examples/jax/fsdp_sdy.mlir", "--why", "--line", "11:10"]
    answer = run(shardy, "report", *why, cwd=examples.parent)
    expect_file(HERE / "fsdp_why.out", f"$ shardy report {' '.join(why)}\n{answer.stdout}", approve)
    rows = json.loads(run(shardy, "report", fsdp, "--why", "--top", "2", "--json").stdout)["collectives"]
    answer = [row["because"] for row in rows if "because" in row]
    expect(2, len(answer), "as many as rows")
    steps = answer[1]["tensors"][1]["axes"][0]["steps"]
    expect([("annotation", "%arg1"), ("step", "%arg1")], [(step["kind"], step["value"]) for step in steps], answer)
    expect(0, sum("because" in row for row in json.loads(run(shardy, "report", fsdp, "--json").stdout)["collectives"]), "not asked")

    expect("", run(shardy, "report", fsdp, "--op", "stablehlo.add").stdout.partition("collective\n")[2], "no such op")

    answer = run(shardy, "report", "-", "--line", "model.py:31", input=LAYERS)
    rows = [line for line in answer.stdout.splitlines() if " of tensor<" in line]
    expect(2, len(rows), answer.stdout + answer.stderr)
    for row in rows:
        expect(True, row.endswith("for stablehlo.dot_general at model.py:31 (embed)"), row)
    expect(0, run(shardy, "report", "-", "--line", "model.py:32", input=LAYERS).stdout.count(" of tensor<"), "no such line")

    answer = run(shardy, "diff", fsdp, other)
    expect(0, answer.returncode, answer.stderr)
    command = "$ shardy diff examples/jax/fsdp_sdy.mlir tests/tools/report/replicated.mlir\n"
    expect_file(HERE / "diff.out", command + answer.stdout, approve)
    expect(1, run(shardy, "diff", fsdp, other, "--tolerance", "5%").returncode, "worse")
    expect(0, run(shardy, "diff", other, fsdp, "--tolerance", "1000%").returncode, "not so much worse")
    same = run(shardy, "diff", fsdp, fsdp, "--tolerance", "0", "--json")
    expect(0, same.returncode, "the same")
    expect(([], [], False), tuple(json.loads(same.stdout)[key] for key in ("collectives", "shardings", "worse")), "same")

    # One program with two sets of annotations is two programs.
    with_settings = ["--after", "%arg0=[{}, {}]"]
    answer = run(shardy, "diff", fsdp, *with_settings)
    expect(0, answer.returncode, answer.stderr)
    command = "$ shardy diff examples/jax/fsdp_sdy.mlir --after '%arg0=[{}, {}]'\n"
    expect_file(HERE / "settings.out", command + answer.stdout, approve)
    sharded = 'sdy.sharding = #sdy.sharding<@mesh, [{"fsdp"}, {}]>'
    text = fsdp.read_text()
    at = text.index(sharded, text.index("%arg0:"))
    changed = text[:at] + sharded.replace('{"fsdp"}', "{}") + text[at + len(sharded):]
    expect(answer.stdout, run(shardy, "diff", fsdp, "-", input=changed).stdout, "the same by hand")
    swapped = json.loads(run(shardy, "diff", fsdp, "--before", with_settings[1], "--json").stdout)
    expect(swapped["after"], json.loads(run(shardy, "diff", fsdp, *with_settings, "--json").stdout)["before"], "swapped")
    both = json.loads(run(shardy, "diff", fsdp, "--before", with_settings[1], *with_settings, "--json").stdout)
    expect(both["before"], both["after"], "the same annotations")
    from_pipe = run(shardy, "diff", "-", *with_settings, input=text)
    expect(answer.stdout, from_pipe.stdout, "of standard input")
    expect(1, run(shardy, "diff", fsdp, *with_settings, "--tolerance", "30%").returncode, "holds 34.9 % more")
    expect(0, run(shardy, "diff", fsdp, *with_settings, "--tolerance", "35%").returncode, "holds 34.9 % more")
    for wrong in [], ["--after", "%arg0"], ["--after", "%nowhere=none"], ["--before", '%arg0=[{"nix"}, {}]']:
        expect(2, run(shardy, "diff", fsdp, *wrong).returncode, wrong)

    for program in [*sorted(examples.glob("*.json")), fsdp, examples / "jax/transformer_sdy.mlir",
                    examples / "jax/convnet_sdy.mlir", examples / "jax/moe_sdy.mlir"]:
        expect_as_run(shardy, program)

    refused = run(shardy, "diff", fsdp, other, "--tolerance", "five")
    expect(2, refused.returncode, refused.stderr)
    missing = run(shardy, "diff", fsdp, examples / "no.mlir", "--json")
    expect(2, missing.returncode, missing.stdout)
    broken = run(shardy, "report", HERE / "diff.out")
    expect(2, broken.returncode, broken.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Bytes that a device sends in whole models: a table with the bytes before the rewrites of collectives were added.

    benchmarks/collectives/whole_models.py build/ci/src/tools/shardy
    benchmarks/collectives/whole_models.py SHARDY --check docs/partitioning.md     fails if the document has another table
    benchmarks/collectives/whole_models.py SHARDY --folder FOLDER                  writes the programs

The bytes before are those of commit 7c4f7d6c. Exits with 1 where a program sends more than then.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
import llama_step  # noqa: E402
import model_programs  # noqa: E402

MESH = '<["data"=2, "model"=4]>'
LLAMA = "2 layers of LLaMA 8B, a training step"
# Model, strategy, and the bytes of commit 7c4f7d6c.
BEFORE = {
    (LLAMA, "data"): 1_526_784_000,
    (LLAMA, "fsdp"): 1_526_784_000,
    (LLAMA, "megatron"): 13_103_038_464,
    (LLAMA, "fsdp-megatron"): 13_103_038_464,
    (LLAMA, "sequence"): 3_137_396_736,
    ("experts", "data"): 7_340_032,
    ("experts", "megatron"): 2_621_440,
    ("u-net", "rows"): 204_800,
    ("u-net", "fsdp"): 66_528,
    ("u-net", "megatron"): 1_769_472,
    ("scan", "fsdp"): 1_953_280,
    ("scan", "megatron"): 3_072,
    ("heat equation", "tiles"): 1_178_200,
}

# 50 explicit steps on a plate with cold borders.
HEAT = """sdy.mesh @mesh = MESH
func.func @main(%x: TYPE {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) -> TYPE {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %u = %x) : tensor<i32>, TYPE
  cond {
    %steps = stablehlo.constant dense<50> : tensor<i32>
    %c = stablehlo.compare LT, %i, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    %cold = stablehlo.constant dense<0.0> : tensor<f32>
    %quarter = stablehlo.constant dense<0.25> : TYPE
    %p = stablehlo.pad %u, %cold, low = [1, 1], high = [1, 1], interior = [0, 0] : (TYPE, tensor<f32>) -> tensor<1026x1026xf32>
    %n = stablehlo.slice %p [0:1024, 1:1025] : (tensor<1026x1026xf32>) -> TYPE
    %s = stablehlo.slice %p [2:1026, 1:1025] : (tensor<1026x1026xf32>) -> TYPE
    %w = stablehlo.slice %p [1:1025, 0:1024] : (tensor<1026x1026xf32>) -> TYPE
    %e = stablehlo.slice %p [1:1025, 2:1026] : (tensor<1026x1026xf32>) -> TYPE
    %a = stablehlo.add %n, %s : TYPE
    %b = stablehlo.add %w, %e : TYPE
    %d = stablehlo.add %a, %b : TYPE
    %v = stablehlo.multiply %d, %quarter : TYPE
    stablehlo.return %j, %v : tensor<i32>, TYPE
  }
  return %r#1 : TYPE
}
"""


def program(model, strategy):
    if model == LLAMA:
        return llama_step.llama(2, mesh=MESH, recipe=strategy)
    if model == "heat equation":
        return HEAT.replace("MESH", MESH).replace("TYPE", "tensor<1024x1024xf32>")
    if strategy == "rows":
        text = model_programs.annotated(model, "none", MESH)
        return re.sub(r"(%x: tensor<[^>]*>)", r'\1 {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data", "model"}, {}, {}]>}', text, count=1)
    return model_programs.annotated(model, strategy, MESH)


def bytes_sent(shardy, path):
    done = subprocess.run([shardy, "report", path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{path}\n" + done.stdout + done.stderr)
    return int(re.search(r"bytes sent per device +([\d,]+)", done.stdout)[1].replace(",", ""))


def table(shardy, folder):
    lines = ["| program | strategy | bytes before | bytes |", "| --- | --- | ---: | ---: |"]
    worse = []
    for (model, strategy), before in BEFORE.items():
        path = folder / f"{model.split(',')[0]}-{strategy}.mlir".replace(" ", "_")
        path.write_text(program(model, strategy))
        now = bytes_sent(shardy, path)
        worse += [f"{model}, {strategy}"] if now > before else []
        lines.append(f"| {model} | {strategy} | {before:,} | {now:,} |")
    return "\n".join(lines), worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardy", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path, help="the document that holds the table")
    parser.add_argument("--folder", type=pathlib.Path, help="the folder of the programs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        text, worse = table(arguments.shardy, arguments.folder or pathlib.Path(made))
    if arguments.check is None:
        print(text)
    elif text not in arguments.check.read_text():
        sys.exit(f"{arguments.check} has another table than\n\n{text}")
    if worse:
        sys.exit("more than before: " + ", ".join(worse))


if __name__ == "__main__":
    main()

"""Programs that the tests share."""
import pathlib
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

MLP = """module {
  sdy.mesh @m = <["data"=4, "model"=2]>
  func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"data"}, {}]>},
                  %w: tensor<6x10xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"model"}]>}) -> tensor<8x10xf32> {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x10xf32>) -> tensor<8x10xf32>
    %z = stablehlo.tanh %y : tensor<8x10xf32>
    return %z : tensor<8x10xf32>
  }
}
"""


@pytest.fixture
def examples():
    return ROOT / "examples"


@pytest.fixture
def mlp():
    return MLP


@pytest.fixture
def identity():
    """A program that returns its argument, of any type; `ops` of `%x` come before."""
    def text(*types, ops="", out=None):
        args = ", ".join(f"%x{index}: tensor<{kind}>" for index, kind in enumerate(types))
        results = out or types
        values = ", ".join(f"%r{index}" if ops else f"%x{index}" for index in range(len(results)))
        kinds = ", ".join(f"tensor<{kind}>" for kind in results)
        return f"func.func @main({args}) -> ({kinds}) {{\n{ops}\nreturn {values} : {kinds}\n}}\n"
    return text


@pytest.fixture
def expect_interrupt():
    """Sends SIGINT to another process `seconds` after it has begun to `work`: Python code, on the `program` that is made first."""
    def expect(program, work, seconds):
        code = f"import shardy\nprogram = {program}\nprint('ready', flush=True)\ntry:\n  {work}\n" \
               "except KeyboardInterrupt:\n  print('interrupted', flush=True)\n"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout.readline() == "ready\n"
            time.sleep(seconds)
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline() == "interrupted\n"
            assert child.wait(20) == 0
    return expect


@pytest.fixture
def shardy_tool():
    """The command line that belongs to the module."""
    import os
    return os.environ["SHARDY_TOOL"]

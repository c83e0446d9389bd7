"""Errors are exceptions with a place, in any thread; other threads continue meanwhile."""
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import shardy

ENDLESS = """func.func @main() -> tensor<i32> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.while(%a = %0) : tensor<i32>
    cond { %c = stablehlo.compare GE, %a, %0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { stablehlo.return %a : tensor<i32> }
  return %1 : tensor<i32>
}
"""


def test_errors_have_places():
    text = "func.func @f() {\n  %0 = stablehlo.sinus %1\n  return\n}\n"
    with pytest.raises(shardy.Error) as caught:
        shardy.parse(text, "model.mlir")
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.message, error.location) == ("custom op 'stablehlo.sinus' is unknown", "2:8")
    assert error.notes == ["did you mean stablehlo.sine?"]
    assert str(error) == ("model.mlir:2:8: error: custom op 'stablehlo.sinus' is unknown\n  %0 = stablehlo.sinus %1\n       ^\n"
                          "note: did you mean stablehlo.sine?")
    assert [each.severity for each in error.diagnostics] == ["error"]


def test_errors_in_json_have_pointers():
    with pytest.raises(shardy.Error) as caught:
        shardy.parse('{"shardy": 1, "functions": [{"name": "main", "return": ["x"]}]}')
    assert caught.value.location == "1:57" and caught.value.notes[-1] == "at /functions/0/return/0"


def test_all_errors_are_there():
    text = '{"shardy": 1, "functions": [{"name": "main", "body": [{"op": "sinus"}, {"op": "tanh", "operands": ["x"]}], "return": []}]}'
    with pytest.raises(shardy.Error) as caught:
        shardy.parse(text)
    assert len(caught.value.diagnostics) == 2
    assert str(caught.value).startswith("<text>:1:62: error: ")


@pytest.mark.parametrize("text", ["", " ", "HloModule m", "\0\1\2", "ML\xefR", "{", "module {", "func.func @f(", "{}", "[]", b"\xff\xfe", "é"])
def test_what_is_no_program_is_refused(text):
    with pytest.raises(shardy.Error):
        shardy.parse(text)


def test_wrong_words_are_refused(mlp):
    for call in [lambda: shardy.parse(mlp, form="xla"), lambda: shardy.parse(mlp).report(axis_cost="x=fast"),
                 lambda: shardy.parse("func.func @f() { return } func.func @g() { return }").run(), lambda: shardy.parse("func.func private @main()").check(),
                 lambda: shardy.parse("module {}").arguments, lambda: shardy.parse(mlp).run(threads=-1),
                 lambda: shardy.parse(mlp).check(tolerance=float("nan")), lambda: shardy.parse(mlp).check(tolerance=-1)]:
        with pytest.raises(shardy.Error):
            call()
    for call in [lambda: shardy.parse(None), lambda: shardy.parse(mlp).run(7), lambda: shardy.parse(mlp).report("x"), lambda: shardy.Program()]:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(FileNotFoundError):
        shardy.load("no such file")


def test_stages_raise_errors_with_the_cause(mlp):
    uneven = mlp.replace('[{}, {"model"}]', '[{}, {"data", "model"}]')
    assert shardy.parse(uneven).check()
    with pytest.raises(shardy.Error, match="unknown axis"):
        shardy.parse(mlp.replace('{"data"}', '{"date"}'))


def test_failed_checks_are_errors():
    text = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  check.expect_eq_const %x, dense<1.0> : tensor<2xf32>
  return %x : tensor<2xf32>
}"""
    assert shardy.parse(text).run([np.ones(2, np.float32)])
    with pytest.raises(shardy.Error):
        shardy.parse(text).run([np.zeros(2, np.float32)])


def test_threads_get_their_own_errors_and_results(mlp):
    program = shardy.parse(mlp)

    def work(number):
        x = np.full((8, 6), number, np.float32)
        w = np.ones((6, 10), np.float32)
        if number % 3 == 0:
            with pytest.raises(shardy.Error, match=rf"\({number + 1}, 6\)"):
                program.run([np.zeros((number + 1, 6), np.float32) if number != 7 else x[:5], w])
            return None
        if number % 3 == 1:
            with pytest.raises(shardy.Error, match=f"sinus{number}"):
                shardy.parse(f"func.func @f() {{\n %0 = stablehlo.sinus{number} %1\n}}")
            return None
        return program.run([x, w])[0][0, 0]

    with ThreadPoolExecutor(8) as pool:
        for number, got in zip(range(8, 48), pool.map(work, range(8, 48)), strict=True):
            if number % 3 == 2:
                assert got == np.tanh(np.float32(6 * number))


def test_others_go_on_while_a_program_runs(examples):
    """The lock of the interpreter is free: a thread counts while another one propagates and checks."""
    program = shardy.load(examples / "transformer.json")
    counts, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for work in program.check, program.report, program.propagate:
            before, begin = counts[0], time.perf_counter()
            for _ in range(5):
                work()
            if time.perf_counter() - begin > 0.05:
                assert counts[0] - before >= 5
    finally:
        stop.set()
        thread.join()


def chain(layers):
    """A program of so many products under annotations that need reshards."""
    x, w = "tensor<64x64xf32>", "tensor<64x64xf32>"
    shardings = ['[{?}, {"y", ?}]', '[{"y", ?}, {"x", ?}]', "[{?}, {?}]"]
    args = "".join(f", %w{i}: {w} {{sdy.sharding = #sdy.sharding<@mesh, {shardings[i % 3]}>}}" for i in range(layers))
    ops = "".join(f"%x{i + 1} = stablehlo.dot_general %x{i}, %w{i}, contracting_dims = [1] x [0] : ({x}, {w}) -> {x}\n" for i in range(layers))
    return (f'sdy.mesh @mesh = <["x"=4, "y"=2]>\nfunc.func @main(%x0: {x} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{?}}]>}}{args}) -> {x} {{\n'
            f"{ops}return %x{layers} : {x}\n}}\n")


@pytest.mark.parametrize("work", [lambda program: program.partition(), lambda program: program.report()])
def test_a_signal_ends_a_compilation(work):
    program = shardy.parse(chain(4000))
    begin = time.perf_counter()
    work(program)
    whole = time.perf_counter() - begin

    def stop(*_):
        raise TimeoutError

    former = signal.signal(signal.SIGALRM, stop)
    try:
        begin = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, whole / 10)
        with pytest.raises(TimeoutError):
            work(program)
        assert time.perf_counter() - begin < whole * 0.7
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


def test_a_signal_ends_a_run(expect_interrupt):
    expect_interrupt(f"shardy.parse({ENDLESS!r})", "program.run([])", 0.3)

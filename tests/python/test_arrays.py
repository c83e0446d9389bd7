"""Arrays of NumPy in and out: layouts, numbers, shapes, copies."""
import gc
import sys

import numpy as np
import pytest

import shardy

TYPES = {"i1": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16", "ui32": "uint32",
         "ui64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "complex<f32>": "complex64", "complex<f64>": "complex128",
         "i4": "int8", "ui4": "uint8", "i2": "int8", "ui2": "uint8"}


def echo(program, *arrays):
    """Results of a program that copies its arguments."""
    return program.run(list(arrays))


def copier(kind, shape):
    """A program that reverses twice: no result is an input."""
    tensor = "tensor<" + "".join(f"{size}x" for size in shape) + kind + ">"
    dims = ", ".join(map(str, range(len(shape))))
    reverse = f"stablehlo.reverse {{}}, dims = [{dims}] : {tensor}"
    return shardy.parse(f"func.func @main(%x: {tensor}) -> {tensor} {{\n  %a = {reverse.format('%x')}\n  %b = {reverse.format('%a')}\n"
                        f"  return %b : {tensor}\n}}\n")


@pytest.mark.parametrize("kind", TYPES)
def test_each_type_has_its_numbers(kind):
    dtype = np.dtype(TYPES[kind])
    low, high = (-2, 2) if kind == "i2" else (0, 4) if kind == "ui2" else (0, 2) if kind == "i1" else (0, 8)
    array = np.random.default_rng(1).integers(low, high, (3, 4)).astype(dtype)
    program = copier(kind, (3, 4))
    assert program.arguments[0].dtype == dtype.name
    got, = echo(program, array)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, array)


@pytest.mark.parametrize("kind", ["bf16", "f8E4M3FN", "f8E5M2"])
def test_types_that_numpy_lacks_are_float32(kind):
    array = np.array([[0.5, -1.5, 3.0], [np.inf if kind != "f8E4M3FN" else 2.0, 0.0, -0.0]], np.float32)
    program = copier(kind, (2, 3))
    assert program.arguments[0].dtype == "float32"
    got, = echo(program, array)
    assert got.dtype == np.float32 and not got.flags.writeable
    np.testing.assert_array_equal(got, array)
    with pytest.raises(shardy.Error, match="float64"):
        echo(program, array.astype(np.float64))


@pytest.mark.parametrize("layout", ["fortran", "strided", "backwards", "byteswapped", "unaligned", "read-only", "broadcast"])
def test_any_layout_gives_the_same(layout):
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    given = {
        "fortran": np.asfortranarray(array),
        "strided": np.repeat(array, 2, axis=1)[:, ::2],
        "backwards": array[::-1].copy()[::-1],
        "byteswapped": array.astype(">f4"),
        "unaligned": np.frombuffer(b"\0" + array.tobytes(), np.uint8)[1:].view(np.float32).reshape(4, 6),
        "read-only": np.frombuffer(array.tobytes(), np.float32).reshape(4, 6),
        "broadcast": np.broadcast_to(array[:1], (4, 6)),
    }[layout]
    got, = echo(copier("f32", (4, 6)), given)
    np.testing.assert_array_equal(got, np.asarray(given))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 1)])
def test_scalars_and_empty_arrays(shape):
    array = np.full(shape, 2, np.float32)
    tensor = "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"
    program = shardy.parse(f"func.func @main(%x: {tensor}) -> {tensor} {{\n  %a = stablehlo.add %x, %x : {tensor}\n  return %a : {tensor}\n}}\n")
    got, = program.run([array])
    assert got.shape == shape
    np.testing.assert_array_equal(got, array + array)


def test_lists_and_scalars_become_arrays(identity):
    program = shardy.parse(identity("2xf32", "i32"))
    vector, number = program.run([[1, 2.5], 7])
    assert vector.tolist() == [1, 2.5] and number == 7 and number.dtype == np.int32


@pytest.mark.parametrize("array, error_text", [
    (np.zeros((6, 4), np.float32), "f32[4,6], the array has the shape (6, 4)"), (np.zeros(24, np.float32), "the shape (24,)"),
    (np.float32(0), "the shape ()"), (np.zeros((4, 6)), "takes arrays of float32, not of float64"),
    (np.zeros((4, 6), np.int32), "not of int32"), (np.zeros((4, 6), object), "not of object"), (np.zeros((4, 6), "S4"), "not of bytes"),
    (np.zeros((4, 6), [("a", "f4")]), "not of void"), (np.zeros((4, 6), np.complex64), "not of complex64"),
])
def test_other_arrays_are_refused(array, error_text):
    with pytest.raises(shardy.Error) as caught:
        copier("f32", (4, 6)).run([array])
    assert error_text in str(caught.value) and "argument 0 (x)" in str(caught.value)


@pytest.mark.parametrize("kind, dtype, value", [("i4", np.int8, 8), ("ui4", np.uint8, 16), ("i2", np.int8, -3), ("i1", bool, 2)])
def test_numbers_out_of_range_are_refused(kind, dtype, value):
    array = np.full((2, 2), value, np.uint8).view(np.int8).astype(np.int8).view(dtype)
    with pytest.raises(shardy.Error, match="out of the range"):
        copier(kind, (2, 2)).run([array])


@pytest.mark.parametrize("inputs, error_text", [([], "2 arguments, got 0"), ([0, 0, 0], "got 3"), ({"x": 0}, "no input for the argument w"),
                                          ({"x": 0, "w": 0, "v": 0}, "no argument v")])
def test_inputs_that_do_not_fit_are_refused(inputs, error_text, mlp):
    with pytest.raises(shardy.Error) as caught:
        shardy.parse(mlp).run(inputs)
    assert error_text in str(caught.value)
    with pytest.raises(shardy.Error):
        shardy.parse(mlp).check(inputs)


def test_inputs_are_not_copied(identity):
    """The run holds the array itself, and gives it back."""
    array = np.ones(1 << 16, np.float32)
    before = sys.getrefcount(array)
    program = shardy.parse(identity("65536xf32", ops="%r0 = stablehlo.add %x0, %x0 : tensor<65536xf32>"))
    for _ in range(3):
        got, = program.run([array])
    gc.collect()
    assert sys.getrefcount(array) == before
    assert got[0] == 2 and array[0] == 1


def test_results_are_views_that_nobody_writes(identity):
    program = shardy.parse(identity("8xf32", ops="%r0 = stablehlo.add %x0, %x0 : tensor<8xf32>"))
    got, = program.run([np.arange(8, dtype=np.float32)])
    assert got.base is not None
    with pytest.raises(ValueError):
        got[0] = 1
    with pytest.raises(ValueError):
        got.flags.writeable = True
    del program
    gc.collect()
    assert got.tolist() == list(range(0, 16, 2))


def test_what_is_returned_as_it_came_is_a_copy(identity):
    array = np.arange(8, dtype=np.float32)
    got, = shardy.parse(identity("8xf32")).run([array])
    array[:] = -1
    assert got.tolist() == list(range(8))

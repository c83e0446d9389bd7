"""Meshes and shardings as values."""
import pytest

import shardy


def test_meshes_compare_and_print():
    mesh = shardy.Mesh({"x": 2, "y": 4})
    assert mesh == shardy.Mesh([["x", 2], ["y", 4]]) == shardy.Mesh('<["x"=2, "y"=4]>') == shardy.Mesh(mesh)
    assert mesh != shardy.Mesh({"y": 4, "x": 2}) and mesh != "mesh"
    assert hash(mesh) == hash(shardy.Mesh(str(mesh)))
    assert (mesh.axes, mesh.num_devices, mesh.device_ids) == ({"x": 2, "y": 4}, 8, [])
    turned = shardy.Mesh({"x": 2}, [1, 0])
    assert turned.device_ids == [1, 0] and repr(turned) == "Mesh({'x': 2}, device_ids=[1, 0])"
    assert shardy.Mesh({"x": 2}, [0, 1]).device_ids == []


@pytest.mark.parametrize("dims", [["x", None], [["x", "y"], None], ["y:(1)2", "?"], [None, ["x", "?"]], ["?", "?"], [],
                                  {"dims": ["x", None], "replicated": ["y"]}, {"dims": [None], "unreduced": ["x", "y:(2)2"]},
                                  [{"axes": ["x"], "open": True, "priority": 2}, None]])
def test_shardings_come_out_as_they_went_in(dims):
    mesh = shardy.Mesh({"x": 2, "y": 4})
    sharding = shardy.Sharding(mesh, dims)
    words = dims if isinstance(dims, list) else dims["dims"]
    assert sharding.dims == words
    assert sharding == shardy.Sharding(mesh, str(sharding)) == shardy.Sharding(mesh, dims) == eval(repr(sharding), vars(shardy))
    assert hash(sharding) == hash(shardy.Sharding(mesh, dims))
    assert sharding.replicated == (dims.get("replicated", []) if isinstance(dims, dict) else [])
    assert sharding.unreduced == (dims.get("unreduced", []) if isinstance(dims, dict) else [])
    assert sharding.mesh == mesh and sharding.mesh_name == "mesh" and sharding.rank == len(words)


def test_local_shapes_are_rounded_up():
    sharding = shardy.Sharding(shardy.Mesh({"x": 2, "y": 4}), [["x", "y"], None])
    assert sharding.local_shape((20, 7)) == [3, 7]
    assert sharding.local_shape([0, 7]) == [0, 7]
    assert sharding.local_shape((20, 7, 3)) == [3, 7, 3]
    assert shardy.Sharding(sharding.mesh, []).local_shape((20, 7)) == [20, 7]
    for shape in (20,), (), (-1, 7):
        with pytest.raises(shardy.Error):
            sharding.local_shape(shape)


@pytest.mark.parametrize("axes, message", [
    ({"x": 0}, "x"), ({"x": "two"}, 'the size of a mesh axis is an integer'), (["x"], "[name, size]"), ({"x": 2.5}, "size"), (7, "mesh"), ("<[", "expected"),
    ({"x": 1 << 62, "y": 1 << 62}, ""), ([["x", 2], ["x", 2]], "x"), ({"x": True}, ""),
])
def test_meshes_that_are_none_are_refused(axes, message):
    with pytest.raises(shardy.Error) as caught:
        shardy.Mesh(axes)
    assert message in str(caught.value)


@pytest.mark.parametrize("dims, location, message", [
    (["z"], "", '"z"'), ([["x", "x"]], "", '"x"'), (["x", "x"], "", '"x"'), ([7], "/0", "a dim is"), ({"dim": []}, "/dim", "no key"),
    ("[{", "", "expected"), ({"dims": [], "mesh": "other"}, "", "unknown mesh"), ([["?", "x"]], "/0/1", "last"), (7, "", "a sharding is"),
])
def test_shardings_that_are_none_are_refused(dims, location, message):
    with pytest.raises(shardy.Error) as caught:
        shardy.Sharding(shardy.Mesh({"x": 2, "y": 4}), dims)
    assert message in str(caught.value) and caught.value.location == location


def test_shardings_that_json_cannot_express_are_refused():
    with pytest.raises(TypeError):
        shardy.Sharding(shardy.Mesh({"x": 2}), [object()])
    with pytest.raises(TypeError):
        shardy.Sharding("mesh", ["x"])

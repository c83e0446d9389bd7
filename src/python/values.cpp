// Meshes and shardings as Python values in the form of JSON programs.
#include <functional>

#include "python/bindings.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "text/json_attribute.hpp"
#include "text/json_document.hpp"
#include "text/json_writer.hpp"

namespace shardy::python {

namespace py = pybind11;

namespace {

constexpr text::JsonDocument::JsonLimits kLimits = {.max_depth = 512, .max_errors = 1};

text::JsonDocument document_of(py::handle value) {
  auto document = text::JsonDocument::parse(to_json(value), kLimits);
  if (!document) throw Refused(document.error().front());
  return *std::move(document);
}

// ---- Meshes ------------------------------------------------------------------------------------

Mesh make_mesh(py::handle axes, const std::vector<int64_t>& device_ids) {
  if (py::isinstance<Mesh>(axes)) return axes.cast<Mesh>();
  const text::JsonDocument document = document_of(axes);
  const Mesh mesh = value_or_throw(text::read_mesh(document.root()));
  if (device_ids.empty()) return mesh;
  return value_or_throw(Mesh::make({mesh.axes().begin(), mesh.axes().end()}, device_ids));
}

py::dict axes_of(const Mesh& mesh) {
  py::dict axes;
  for (const MeshAxis& axis : mesh.axes()) axes[py::str(axis.name)] = axis.size;
  return axes;
}

std::string repr_mesh(const Mesh& mesh) {
  std::string text = "Mesh(" + std::string(py::repr(axes_of(mesh)));
  if (!mesh.device_ids().empty()) {
    text += ", device_ids=" + std::string(py::repr(py::cast(std::vector(mesh.device_ids().begin(),
                                                                        mesh.device_ids().end()))));
  }
  return text + ")";
}

std::vector<int64_t> ids_of(const Mesh& mesh) {
  return {mesh.device_ids().begin(), mesh.device_ids().end()};
}

void bind_mesh(py::module_& module) {
  py::class_<Mesh>(module, "Mesh", "Devices along named axes, major to minor.")
      .def(py::init(&make_mesh),
           "Takes axes as a dict, as a list of names and sizes, as text, or another mesh.",
           py::arg("axes"), py::arg("device_ids") = std::vector<int64_t>())
      .def_property_readonly("axes", &axes_of, "Sizes by name, major to minor.")
      .def_property_readonly("device_ids", &ids_of, "A permutation of devices; empty: in order.")
      .def_property_readonly("num_devices", &Mesh::num_devices, "The product of the sizes.")
      .def(py::pickle([](const Mesh& mesh) { return py::make_tuple(axes_of(mesh), ids_of(mesh)); },
                      [](const py::tuple& state) {
                        return make_mesh(state[0], state[1].cast<std::vector<int64_t>>());
                      }))
      .def("__repr__", &repr_mesh)
      .def("__str__", [](const Mesh& mesh) { return to_string(mesh); })
      .def("__hash__", [](const Mesh& mesh) { return std::hash<std::string>()(to_string(mesh)); })
      .def("__eq__", [](const Mesh& mesh, py::handle other) {
        return py::isinstance<Mesh>(other) && mesh == other.cast<const Mesh&>();
      });
}

// ---- Shardings ---------------------------------------------------------------------------------

/// Makes a sharding from a list of dims, from an object with dims and other members, or from text.
/// These are the forms that JSON programs accept.
TensorSharding make_sharding(const Mesh& mesh, py::handle value, const std::string& mesh_name) {
  const text::NamedMeshes meshes = {{mesh_name, mesh}};
  const text::JsonDocument document = document_of(value);
  const UnresolvedSharding unresolved =
      value_or_throw(text::read_sharding(document.root(), meshes));
  const auto lookup = [&](const std::string& name) {
    return name == mesh_name ? std::optional(mesh) : std::nullopt;
  };
  return value_or_throw(resolve(unresolved, value_or_throw(mesh_of(unresolved, lookup))));
}

text::NamedMeshes meshes_of(const TensorSharding& sharding) {
  return {{sharding.mesh_name().value_or(""), sharding.mesh()}};
}

/// Returns the sharding in the form that a JSON program with only this mesh would contain.
py::object words_of(const TensorSharding& sharding) {
  text::JsonWriter writer(100);
  const text::NamedMeshes meshes = meshes_of(sharding);
  text::write_sharding(writer, spell(sharding), sharding.mesh_name() ? &meshes.front() : nullptr);
  return from_json(writer.take());
}

std::vector<py::object> dims_of(const TensorSharding& sharding) {
  py::object words = words_of(sharding);
  if (py::isinstance<py::str>(words)) return {};
  if (py::isinstance<py::dict>(words)) words = words["dims"];
  return words.cast<std::vector<py::object>>();
}

/// Returns an entry of a PartitionSpec: `None`, `"x"` or `("x", "y")`. An open dim gives an entry
/// such as `("x", "?")`.
py::object spec_entry(const Mesh& mesh, const DimSharding& dim) {
  std::vector<std::string> names = axis_names(mesh, dim.axes);
  if (!dim.is_closed) names.emplace_back("?");
  if (names.empty()) return py::none();
  if (names.size() == 1) return py::str(names.front());
  return py::tuple(py::cast(names));
}

py::tuple spec_of(const TensorSharding& sharding) {
  py::list entries;
  for (const DimSharding& dim : sharding.dims()) entries.append(spec_entry(sharding.mesh(), dim));
  return py::tuple(entries);
}

std::vector<int64_t> local_shape(const TensorSharding& sharding,
                                 const std::vector<int64_t>& global) {
  if (!sharding.is_single_device() && global.size() < sharding.rank()) {
    throw Refused({.message = "the sharding has " + std::to_string(sharding.rank()) +
                              " dims, the shape " + std::to_string(global.size())});
  }
  for (const int64_t size : global) {
    if (size < 0) throw Refused({.message = "a dim of " + std::to_string(size) + " elements"});
  }
  return extended_to(sharding, global.size()).local_shape(global);
}

/// Throws: Refused, if another version wrote the state.
TensorSharding sharding_of_state(const py::tuple& state) {
  const auto name = state[2].cast<std::optional<std::string>>();
  return make_sharding(state[1].cast<Mesh>(), state[0], name.value_or("mesh"));
}

void bind_sharding_members(py::class_<TensorSharding>& type) {
  type.def_property_readonly("mesh", &TensorSharding::mesh, "The mesh of all axes.")
      .def_property_readonly("mesh_name", &TensorSharding::mesh_name,
                             "The name of the mesh; None if it is inlined.")
      .def_property_readonly("rank", &TensorSharding::rank, "Number of dims.")
      .def_property_readonly("dims", &dims_of, "The dims in the form of JSON.")
      .def_property_readonly("spec", &spec_of,
                             "The dims as the entries of a PartitionSpec: `('dp', None)`.")
      .def_property_readonly(
          "replicated",
          [](const TensorSharding& sharding) {
            return axis_names(sharding.mesh(), sharding.replicated_axes());
          },
          "Axes along which propagation keeps the tensor replicated.")
      .def_property_readonly(
          "unreduced",
          [](const TensorSharding& sharding) {
            return axis_names(sharding.mesh(), sharding.unreduced_axes());
          },
          "Axes along which devices hold partial values.")
      .def("local_shape", &local_shape, "Returns the shape of a shard, with padding.",
           py::arg("shape"));
}

void bind_sharding(py::module_& module) {
  py::class_<TensorSharding> type(module, "Sharding", "The axes along which each dim is sharded.");
  bind_sharding_members(type);
  type.def(py::init(&make_sharding),
           "Takes dims as a list, a tuple or a PartitionSpec, an object of JSON, or text.",
           py::arg("mesh"), py::arg("dims"), py::arg("mesh_name") = "mesh")
      .def(py::pickle(
          [](const TensorSharding& sharding) {
            return py::make_tuple(to_string(sharding), sharding.mesh(), sharding.mesh_name());
          },
          &sharding_of_state))
      .def("__repr__",
           [](const TensorSharding& sharding) {
             return "Sharding(" + repr_mesh(sharding.mesh()) + ", " +
                    std::string(py::repr(words_of(sharding))) + ")";
           })
      .def("__str__", [](const TensorSharding& sharding) { return to_string(sharding); })
      .def("__hash__",
           [](const TensorSharding& sharding) {
             return std::hash<std::string>()(to_string(sharding));
           })
      .def("__eq__", [](const TensorSharding& sharding, py::handle other) {
        return py::isinstance<TensorSharding>(other) &&
               sharding == other.cast<const TensorSharding&>();
      });
}

}  // namespace

py::object from_json(const std::string& text) {
  return py::module_::import("json").attr("loads")(text);
}

/// Converts sharding objects of JAX, which json cannot write, to lists and text. Throws:
/// py::type_error.
py::object plain_value(const py::object& value) {
  if (py::hasattr(value, "spec")) return value.attr("spec");
  const std::string type = py::str(py::type::of(value).attr("__name__"));
  if (type == "PartitionSpec") return py::list(value);
  if (type.starts_with("Unconstrained")) return py::str("?");
  throw py::type_error("a sharding has no values of type " + type);
}

std::string to_json(py::handle value) {
  return py::str(py::module_::import("json").attr("dumps")(
      value, py::arg("default") = py::cpp_function(&plain_value)));
}

TensorSharding extended_to(const TensorSharding& sharding, std::size_t rank) {
  if (sharding.is_single_device() || sharding.rank() >= rank) return sharding;
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  dims.resize(rank, DimSharding{.axes = {}, .is_closed = true});
  return value_or_throw(TensorSharding::make(sharding.mesh(), sharding.mesh_name(), std::move(dims),
                                             sharding.replicated_axes(), sharding.unreduced_axes(),
                                             sharding.reduction_op()));
}

std::string sharding_text(py::handle words, const ir::Module& module,
                          std::optional<std::size_t> rank) {
  text::NamedMeshes meshes;
  for (const ir::OpId op : module.meshes()) {
    const std::string name(module.symbol_name(op));
    if (const auto mesh = module.find_mesh(name)) meshes.emplace_back(name, *mesh);
  }
  const text::JsonDocument document = document_of(words);
  return to_string(value_or_throw(text::read_sharding(document.root(), meshes, rank)));
}

std::string short_type(const ir::Type& type) { return text::type_text(type); }

void bind_values(py::module_& module) {
  bind_mesh(module);
  bind_sharding(module);
}

}  // namespace shardy::python

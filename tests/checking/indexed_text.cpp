#include "checking/indexed_text.hpp"

namespace shardy_test {

std::string list_text(const Dims& list) {
  std::string text = "[";
  for (std::size_t index = 0; index < list.size(); ++index) {
    text += (index > 0 ? ", " : "") + std::to_string(list[index]);
  }
  return text + "]";
}

std::string type_text(const Dims& dims, const std::string& element) {
  std::string text = "tensor<";
  for (const int64_t dim : dims) text += std::to_string(dim) + "x";
  return text + element + ">";
}

namespace {

struct MeshChoice {
  std::string text;
  std::vector<std::string> axes;
  int64_t num_devices;
};

const std::vector<MeshChoice>& meshes() {
  static const std::vector<MeshChoice> all = {
      {R"(["a"=2])", {"a"}, 2},
      {R"(["a"=3])", {"a"}, 3},
      {R"(["a"=4])", {"a"}, 4},
      {R"(["a"=2, "b"=2])", {"a", "b"}, 4},
  };
  return all;
}

/// Each axis shards one dim or none. Two axes of one dim may have either order.
std::string sharding_text(Choices& choices, const MeshChoice& mesh, std::size_t rank) {
  std::vector<std::string> dims(rank);
  for (const std::string& axis : mesh.axes) {
    const int64_t at = choices.pick(static_cast<int64_t>(rank) + 1);
    if (at == 0) continue;
    std::string& dim = dims[static_cast<std::size_t>(at - 1)];
    const std::string quoted = "\"" + axis + "\"";
    if (dim.empty()) {
      dim = quoted;
    } else {
      dim = choices.coin() ? dim + ", " + quoted : quoted + ", " + dim;
    }
  }
  std::string text = "#sdy.sharding<@mesh, [";
  for (std::size_t dim = 0; dim < rank; ++dim) text += (dim > 0 ? ", {" : "{") + dims[dim] + "}";
  return text + "]>";
}

std::string whole_text(std::size_t rank) {
  std::string text;
  for (std::size_t dim = 0; dim < rank; ++dim) text += dim > 0 ? ", {}" : "{}";
  return "#sdy.sharding<@mesh, [" + text + "]>";
}

/// Returns the sharding of one of several values. `first` is the sharding of the first value.
std::string sharding_text(Choices& choices, const MeshChoice& mesh, const Value& value,
                          const std::string& first) {
  const std::size_t rank = value.dims.size();
  if (value.choice == ShardingChoice::Any) return sharding_text(choices, mesh, rank);
  return value.choice == ShardingChoice::Follows && choices.coin() ? first : whole_text(rank);
}

}  // namespace

IndexedProgram function(Choices& choices, const std::vector<Value>& args,
                        const std::vector<Value>& results, const std::string& body) {
  const MeshChoice& mesh = choices.of(meshes());
  IndexedProgram program;
  program.num_devices = mesh.num_devices;
  std::string head;
  std::string first;
  for (std::size_t index = 0; index < args.size(); ++index) {
    const Value& arg = args[index];
    head += (index > 0 ? ", %" : "%") + std::to_string(index) + ": " + arg.type();
    const std::string sharding = sharding_text(choices, mesh, arg, first);
    if (index == 0) first = sharding;
    head += " {sdy.sharding = " + sharding + "}";
    program.bounds.push_back(arg.bound);
  }
  std::string tail;
  std::string types;
  std::string names;
  for (std::size_t index = 0; index < results.size(); ++index) {
    const std::string comma = index > 0 ? ", " : "";
    const std::string sharding = sharding_text(choices, mesh, results[index], first);
    if (index == 0) first = sharding;
    tail += comma + results[index].type() + " {sdy.sharding = " + sharding + "}";
    types += comma + results[index].type();
    names += comma + (results.size() > 1 ? "%r#" + std::to_string(index) : std::string("%r"));
  }
  program.text = "sdy.mesh @mesh = <" + mesh.text + ">\nfunc.func @main(" + head + ") -> (" + tail +
                 ") {\n" + body + "  return " + names + " : " + types + "\n}\n";
  return program;
}

const std::string& one_of(const std::vector<std::string>& elements, int64_t number) {
  return elements[static_cast<std::size_t>(number) % elements.size()];
}

const std::string& any_element(int64_t number) {
  static const std::vector<std::string> all = {
      "f32",          "f64",       "i1",     "ui8",      "i64",      "bf16", "complex<f32>",
      "complex<f64>", "f8E8M0FNU", "f8E5M2", "f6E2M3FN", "f4E2M1FN", "i4",   "ui64"};
  return one_of(all, number);
}

const std::string& index_element(int64_t number) {
  static const std::vector<std::string> all = {"i32", "i8", "ui8", "i64", "ui64"};
  return one_of(all, number);
}

}  // namespace shardy_test

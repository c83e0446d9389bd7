// Slices and updates at constant positions, and values made of constants, must equal the unsharded
// run under any sharding. Only elements that change their device may be sent. Spec: partitioning
// 8.6, 8.7, 8.16, 8.17, 8.25.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checking/choices.hpp"
#include "checking/indexed_text.hpp"
#include "checking/program_check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using shardy_test::check_program;
using shardy_test::Choices;
using shardy_test::Dims;
using shardy_test::IndexedProgram;
using shardy_test::list_text;
using shardy_test::traffic_of;
using shardy_test::type_text;

namespace constant_moves_test {
namespace {

struct MeshText {
  std::string text;
  std::vector<std::string> axes;  // axes that may shard dims, at most one of each first letter
};

const std::vector<MeshText>& meshes() {
  static const std::vector<MeshText> all = {
      {R"(["a"=1])", {"\"a\""}},
      {R"(["a"=2])", {"\"a\""}},
      {R"(["a"=3])", {"\"a\""}},
      {R"(["a"=4])", {"\"a\"", "\"a\":(1)2", "\"a\":(2)2"}},
      {R"(["a"=6])", {"\"a\"", "\"a\":(1)3", "\"a\":(3)2"}},
      {R"(["a"=8])", {"\"a\"", "\"a\":(2)4", "\"a\":(1)2"}},
      {R"(["a"=2, "b"=3])", {"\"a\"", "\"b\""}},
      {R"(["a"=4, "b"=2])", {"\"a\"", "\"a\":(2)2", "\"b\""}},
  };
  return all;
}

/// Each dim is sharded along one axis or none. No two dims share a first letter.
std::string any_sharding(Choices& choices, const MeshText& mesh, std::size_t rank) {
  std::string text;
  std::string taken;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    std::string axis = choices.pick(3) == 0 ? std::string() : choices.of(mesh.axes);
    if (!axis.empty() && taken.find(axis[1]) != std::string::npos) axis.clear();
    if (!axis.empty()) taken += axis[1];
    text += (dim > 0 ? ", {" : "{") + axis + "}";
  }
  return "#sdy.sharding<@mesh, [" + text + "]>";
}

struct Operand {
  std::string name;
  Dims dims;
  std::string element = "f32";
};

/// A function with sharded operands around a body that defines %r. All operands often have the same
/// sharding.
IndexedProgram program_of(Choices& choices, const std::vector<Operand>& args,
                          const std::vector<Operand>& results, const std::string& body) {
  const MeshText& mesh = choices.of(meshes());
  const std::size_t rank = (args.empty() ? results : args).front().dims.size();
  const std::string common = any_sharding(choices, mesh, rank);
  const auto sharded = [&](const Operand& value) {
    const bool is_common = value.dims.size() == rank && choices.pick(3) > 0;
    return type_text(value.dims, value.element) + " {sdy.sharding = " +
           (is_common ? common : any_sharding(choices, mesh, value.dims.size())) + "}";
  };
  std::string head;
  for (const Operand& arg : args)
    head += (head.empty() ? "" : ", ") + arg.name + ": " + sharded(arg);
  std::string tail;
  std::string names;
  std::string types;
  for (const Operand& result : results) {
    tail += (tail.empty() ? "" : ", ") + sharded(result);
    names += (names.empty() ? "" : ", ") + result.name;
    types += (types.empty() ? "" : ", ") + type_text(result.dims, result.element);
  }
  IndexedProgram program;
  program.bounds.assign(args.size(), 0);
  program.text = "sdy.mesh @mesh = <" + mesh.text + ">\nfunc.func @main(" + head + ") -> (" + tail +
                 ") {\n" + body + "  return " + names + " : " + types + "\n}\n";
  return program;
}

std::string constant(const std::string& name, const std::string& value, const std::string& type) {
  return "  " + name + " = stablehlo.constant dense<" + value + "> : " + type + "\n";
}

struct Window {
  Dims whole;
  Dims part;
  Dims starts;
  bool is_inside = true;
};

/// A window of a vector or a matrix. Its start may lie outside the tensor.
Window any_window(Choices& choices) {
  Window window;
  for (int64_t rank = choices.pick(2) + 1; rank > 0; --rank) {
    const int64_t size = choices.pick(19) + 1;
    const int64_t part =
        choices.coin() ? size - choices.pick(std::min<int64_t>(size, 3)) : choices.pick(size) + 1;
    const int64_t start =
        choices.pick(6) > 0 ? choices.pick(size - part + 1) : choices.pick(size + 6) - 3;
    window.whole.push_back(size);
    window.part.push_back(part);
    window.starts.push_back(start);
    window.is_inside = window.is_inside && start >= 0 && start <= size - part;
  }
  return window;
}

std::string starts_text(const Window& window) {
  std::string text;
  for (std::size_t dim = 0; dim < window.starts.size(); ++dim) {
    text += constant("%s" + std::to_string(dim), std::to_string(window.starts[dim]), "tensor<i32>");
  }
  return text;
}

std::string start_operands(const Window& window) {
  return window.starts.size() == 1 ? "%s0" : "%s0, %s1";
}
std::string start_types(const Window& window) {
  return window.starts.size() == 1 ? "tensor<i32>" : "tensor<i32>, tensor<i32>";
}

IndexedProgram sliced(Choices& choices) {
  const Window at = any_window(choices);
  const std::string body = starts_text(at) + "  %r = stablehlo.dynamic_slice %x, " +
                           start_operands(at) + ", sizes = " + list_text(at.part) + " : (" +
                           type_text(at.whole, "f32") + ", " + start_types(at) + ") -> " +
                           type_text(at.part, "f32") + "\n";
  return program_of(choices, {{"%x", at.whole}}, {{"%r", at.part}}, body);
}

/// Makes an update, and in some cases the same update at a second position.
IndexedProgram updated(Choices& choices) {
  const Window at = any_window(choices);
  const auto update = [&](const std::string& result, const std::string& starts) {
    return "  " + result + " = stablehlo.dynamic_update_slice %x, %u, " + starts + " : (" +
           type_text(at.whole, "f32") + ", " + type_text(at.part, "f32") + ", " + start_types(at) +
           ") -> " + type_text(at.whole, "f32") + "\n";
  };
  const std::string zeros = at.starts.size() == 1 ? "%z" : "%z, %z";
  std::vector<Operand> results = {{"%r", at.whole}};
  std::string body = starts_text(at) + update("%r", start_operands(at));
  if (choices.pick(3) == 0) {
    body += constant("%z", "0", "tensor<i32>") + update("%t", zeros);
    results.push_back({"%t", at.whole});
  }
  return program_of(choices, {{"%x", at.whole}, {"%u", at.part}}, results, body);
}

std::string joined_list(const Dims& list) {
  std::string text;
  for (const int64_t each : list) text += (text.empty() ? "" : ", ") + std::to_string(each);
  return text;
}

/// One index vector for all dims. The index vector may leave out the first dim if the window has
/// one row.
struct IndexedWindow {
  Window at;
  bool drops = false;
  Dims window;  // window of the slice or the update

  explicit IndexedWindow(Choices& choices) : at(any_window(choices)) {
    drops = choices.coin();
    if (drops) at.part[0] = 1;
    window = at.part;
    if (drops) window.erase(window.begin());
  }

  std::string window_dims() const {
    Dims dims;
    for (int64_t dim = 0; dim < std::ssize(window); ++dim) dims.push_back(dim);
    return "[" + joined_list(dims) + "]";
  }
  std::string all_dims() const { return at.whole.size() == 1 ? "[0]" : "[0, 1]"; }
  std::string index() const {
    return constant("%i", "[" + joined_list(at.starts) + "]", index_type());
  }
  std::string index_type() const { return "tensor<" + std::to_string(at.starts.size()) + "xi32>"; }
  std::string dropped() const { return drops ? "[0]" : "[]"; }
};

IndexedProgram gathered(Choices& choices) {
  const IndexedWindow of(choices);
  const std::string result = type_text(of.window, "f32");
  const std::string body =
      of.index() + "  %r = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = " +
      "#stablehlo.gather<offset_dims = " + of.window_dims() +
      ", collapsed_slice_dims = " + of.dropped() + ", start_index_map = " + of.all_dims() +
      ", index_vector_dim = 0>, " + "slice_sizes = array<i64: " + joined_list(of.at.part) +
      ">}> : (" + type_text(of.at.whole, "f32") + ", " + of.index_type() + ") -> " + result + "\n";
  return program_of(choices, {{"%x", of.at.whole}}, {{"%r", of.window}}, body);
}

IndexedProgram scattered(Choices& choices) {
  const IndexedWindow of(choices);
  const std::string whole = type_text(of.at.whole, "f32");
  const std::string body =
      of.index() + "  %r = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = " +
      "#stablehlo.scatter<update_window_dims = " + of.window_dims() +
      ", inserted_window_dims = " + of.dropped() +
      ", scatter_dims_to_operand_dims = " + of.all_dims() +
      ", index_vector_dim = 0>}> ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n" +
      "    stablehlo.return %q : tensor<f32>\n  }) : (" + whole + ", " + of.index_type() + ", " +
      type_text(of.window, "f32") + ") -> " + whole + "\n";
  return program_of(choices, {{"%x", of.at.whole}, {"%u", of.window}}, {{"%r", of.at.whole}}, body);
}

/// Consecutive numbers that are reshaped, concatenated, sliced, reversed or bitcast, and returned
/// twice.
IndexedProgram counted(Choices& choices) {
  const int64_t rows = choices.pick(7) + 1;
  const int64_t columns = choices.pick(4) + 1;
  const Dims line = {rows * columns};
  const Dims matrix = {rows, columns};
  std::string body = "  %0 = stablehlo.iota dim = 0 : " + type_text(line, "i64") + "\n" +
                     constant("%k", "4294967297", type_text(line, "i64")) +
                     "  %1 = stablehlo.multiply %0, %k : " + type_text(line, "i64") + "\n";
  const std::string from = type_text(line, "i64");
  Operand result{"%r", {2 * line[0]}, "i64"};
  switch (choices.pick(5)) {
    case 0:
      result.dims = matrix;
      body += "  %r = stablehlo.reshape %1 : (" + from + ") -> " + type_text(matrix, "i64") + "\n";
      break;
    case 1:
      body += "  %r = stablehlo.concatenate %1, %0, dim = 0 : (" + from + ", " + from + ") -> " +
              type_text(result.dims, "i64") + "\n";
      break;
    case 2:
      result = {"%r", {line[0], 2}, "ui32"};
      body += "  %r = stablehlo.bitcast_convert %1 : (" + from + ") -> " +
              type_text(result.dims, "ui32") + "\n";
      break;
    case 3:
      result.dims = line;
      body += "  %r = stablehlo.reverse %1, dims = [0] : " + from + "\n";
      break;
    default:
      result.dims = {line[0] - line[0] / 2};
      body += "  %r = stablehlo.slice %1 [" + std::to_string(line[0] / 2) + ":" +
              std::to_string(line[0]) + "] : (" + from + ") -> " + type_text(result.dims, "i64") +
              "\n";
  }
  return program_of(choices, {}, {result, result}, body);
}

void check_random(IndexedProgram (*make)(Choices&), uint64_t count) {
  for (uint64_t seed = 0; seed < count; ++seed) {
    Choices choices(seed);
    check_program(make(choices), seed);
  }
}

}  // namespace

TEST_CASE("windows at constant offsets give the same bits under any sharding",
          "[indexed][constant]") {
  check_random(&sliced, 400);
  check_random(&updated, 600);
  check_random(&gathered, 300);
  check_random(&scattered, 300);
}

TEST_CASE("values made of constants are equal under any sharding and are never sent",
          "[indexed][constant][traffic]") {
  check_random(&counted, 200);
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Choices choices(seed);
    const IndexedProgram program = counted(choices);
    INFO(program.text);
    CHECK(traffic_of(program.text, 1e9).empty());
  }
}

// Spec: partitioning 8.25.
TEST_CASE("broadcasts of one iota along both dims are computed in each sharding",
          "[indexed][constant][traffic]") {
  const auto traffic = [](const std::string& sharding) {
    return traffic_of(R"(sdy.mesh @mesh = <["x"=4]>
func.func @main() -> (tensor<600x601xi32> {sdy.sharding = #sdy.sharding<@mesh, )" +
                          sharding + R"(>}) {
  %k = stablehlo.iota dim = 0 : tensor<601xi32>
  %o = stablehlo.iota dim = 0 : tensor<600xi32>
  %i = stablehlo.broadcast_in_dim %o, dims = [0] : (tensor<600xi32>) -> tensor<600x601xi32>
  %j = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<601xi32>) -> tensor<600x601xi32>
  %q = stablehlo.iota dim = 0 : tensor<1x601xi32>
  %r = stablehlo.broadcast_in_dim %q, dims = [0, 1] : (tensor<1x601xi32>) -> tensor<600x601xi32>
  %s = stablehlo.add %j, %r : tensor<600x601xi32>
  %m = stablehlo.multiply %i, %s {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<600x601xi32>
  return %m : tensor<600x601xi32>
})",
                      1e9);
  };
  CHECK(traffic(R"([{}, {"x"}])").empty());
  CHECK(traffic(R"([{}, {}])").empty());
  CHECK(traffic(R"([{"x"}, {}])").empty());
}

TEST_CASE("a large mask of iota is computed in each sharding and is never sent",
          "[indexed][constant][traffic]") {
  const auto traffic = [](const std::string& sharding, const std::string& threshold) {
    return traffic_of(R"(sdy.mesh @mesh = <["x"=4]>
func.func @main() -> (tensor<600x601xi32> {sdy.sharding = #sdy.sharding<@mesh, )" +
                          sharding + R"(>}) {
  %c = stablehlo.constant dense<3> : tensor<i32>
  %b = )" + threshold + R"( tensor<600x601xi32>
  %i = stablehlo.iota dim = 0 : tensor<600x601xi32>
  %j = stablehlo.iota dim = 1 : tensor<600x601xi32>
  %s = stablehlo.add %j, %b : tensor<600x601xi32>
  %1 = stablehlo.multiply %s, %s : tensor<600x601xi32>
  %2 = stablehlo.multiply %1, %1 : tensor<600x601xi32>
  %3 = stablehlo.multiply %2, %2 : tensor<600x601xi32>
  %4 = stablehlo.multiply %3, %3 : tensor<600x601xi32>
  %5 = stablehlo.multiply %4, %4 : tensor<600x601xi32>
  %6 = stablehlo.multiply %5, %5 : tensor<600x601xi32>
  %p = stablehlo.compare GE, %i, %s : (tensor<600x601xi32>, tensor<600x601xi32>) -> tensor<600x601xi1>
  %m = stablehlo.select %p, %i, %6 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<600x601xi1>, tensor<600x601xi32>
  return %m : tensor<600x601xi32>
})",
                      1e9);
  };
  for (const char* threshold : {"stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) ->",
                                "stablehlo.constant dense<3> :"}) {
    INFO(threshold);
    CHECK(traffic(R"([{}, {"x"}])", threshold).empty());
    CHECK(traffic("[{}, {}]", threshold).empty());
  }
}

// ---- Traffic ------------------------------------------------------------------------------------

namespace {

int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Returns how many elements a shard needs of [begin, end) on the left and on the right of its own
/// tile.
struct Need {
  int64_t left = 0;
  int64_t right = 0;
};

/// Returns the greatest needs over all shards. Shards have tiles of `have` elements and need
/// `length` elements of [0, size), from `step * shard + first` on.
Need most_needed(int64_t shards, int64_t size, int64_t step, int64_t first, int64_t length) {
  const int64_t have = ceil_of(size, shards);
  Need most;
  for (int64_t shard = 0; shard < shards; ++shard) {
    const int64_t begin = std::max<int64_t>(step * shard + first, 0);
    const int64_t end = std::min(step * shard + first + length, size);
    if (begin >= end) continue;
    most.left = std::max(most.left, std::min(end, shard * have) - begin);
    most.right = std::max(most.right, end - std::max(begin, (shard + 1) * have));
  }
  return most;
}

std::string vector_of(int64_t size) {
  return "tensor<" + std::to_string(size) +
         "xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}";
}

std::string head(int64_t shards) {
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(shards) + "]>\nfunc.func @main(%x: ";
}

std::string update_at(int64_t shards, int64_t size, int64_t window, int64_t start) {
  const std::string type = type_text({size}, "f32");
  return head(shards) + vector_of(size) + ", %u: " + vector_of(window) + ") -> (" +
         vector_of(size) + ") {\n" + constant("%s", std::to_string(start), "tensor<i32>") +
         "  %r = stablehlo.dynamic_update_slice %x, %u, %s : (" + type + ", " +
         type_text({window}, "f32") + ", tensor<i32>) -> " + type + "\n  return %r : " + type +
         "\n}\n";
}

std::string slice_at(int64_t shards, int64_t size, int64_t window, int64_t start) {
  const std::string part = type_text({window}, "f32");
  return head(shards) + vector_of(size) + ") -> (" + vector_of(window) + ") {\n" +
         constant("%s", std::to_string(start), "tensor<i32>") +
         "  %r = stablehlo.dynamic_slice %x, %s, sizes = [" + std::to_string(window) + "] : (" +
         type_text({size}, "f32") + ", tensor<i32>) -> " + part + "\n  return %r : " + part +
         "\n}\n";
}

/// Returns the bytes that the busiest device sends.
int64_t sent(const std::string& text) {
  INFO(text);
  const auto module = shardy::text::parse_mlir(text);
  REQUIRE(module.has_value());
  const auto compiled = shardy::checking::compile(*module);
  REQUIRE(compiled.has_value());
  return shardy::partitioning::program_cost(compiled->program).bytes_sent;
}

}  // namespace

// Spec: partitioning 8.6, 8.7.
TEST_CASE("a window at a constant offset sends only the elements that change their shard",
          "[indexed][constant][traffic]") {
  for (const int64_t shards : {2, 3, 4, 6, 8}) {
    for (const int64_t size : {8 * shards, 8 * shards - 1, 8 * shards + 3}) {
      for (const int64_t removed : {1, 2, 4}) {
        CAPTURE(shards, size, removed);
        const int64_t window = size - removed;
        const int64_t start = removed / 2;
        const Need update =
            most_needed(shards, window, ceil_of(size, shards), -start, ceil_of(size, shards));
        CHECK(sent(update_at(shards, size, window, start)) <= 4 * (update.left + update.right));
        const Need slice =
            most_needed(shards, size, ceil_of(window, shards), start, ceil_of(window, shards));
        CHECK(sent(slice_at(shards, size, window, start)) <= 4 * (slice.left + slice.right));
      }
    }
  }
}

TEST_CASE("a window at a constant offset sends the expected bytes",
          "[indexed][constant][traffic]") {
  // Shards need one element, either from the left or from the right. Both are sent at once.
  CHECK(sent(update_at(4, 64, 60, 2)) == 4);
  CHECK(sent(update_at(4, 64, 60, 900)) == 12);  // begins at 4: three from the left
  CHECK(sent(slice_at(2, 8, 6, 7)) == 4);        // begins at 2: one from the right
  // A short slice lies in one shard. Its elements are summed, because these are fewer than the
  // elements that would move.
  CHECK(sent(slice_at(8, 64, 8, 0)) == 28);
}

}  // namespace constant_moves_test

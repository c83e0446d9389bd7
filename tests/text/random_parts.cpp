#include "text/random_parts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <shardy/algebra/detail/text_form.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/ir/detail/number.hpp>
#include <shardy/ir/type_text.hpp>
#include <utility>

namespace shardy::text::testing {

using ir::Attribute;
using ir::ElementType;
using ir::Type;

// ---- Texts and numbers -------------------------------------------------------------------------

std::string random_text(Random& random) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "b7",
                                                   "x",
                                                   " ",
                                                   "\"",
                                                   "\\",
                                                   "/",
                                                   "~",
                                                   "@",
                                                   "<",
                                                   "#",
                                                   "%",
                                                   "[",
                                                   "{",
                                                   "?",
                                                   ":(1)2",
                                                   "\n",
                                                   std::string(1, '\0'),
                                                   "\xC3\xA9",
                                                   "\xFF",
                                                   "//",
                                                   "\x7F",
                                                   ".",
                                                   "-0.0",
                                                   "\xF4\x8F\xBF\xBF",
                                                   "\xE2\x82",
                                                   "p1"};
  std::string text;
  for (std::size_t count = random.below(5); count > 0; --count) text += random.pick(kPieces);
  return text;
}

int64_t random_integer(Random& random) {
  constexpr std::array<int64_t, 6> kLimits = {0,
                                              -1,
                                              1,
                                              std::numeric_limits<int64_t>::max(),
                                              std::numeric_limits<int64_t>::min(),
                                              int64_t{1} << 53};
  if (random.chance(30)) return random.pick(kLimits);
  return static_cast<int64_t>(random.bits()) >> random.below(64);
}

namespace {

/// An integer that the element type holds, as its bits.
int64_t integer_of(Random& random, ElementType type) {
  const std::vector<std::byte> bytes = ir::encode_int(random_integer(random), type);
  return ir::is_boolean(type) ? static_cast<int64_t>(random.below(2)) : ir::decode_int(bytes, type);
}

double random_double(Random& random) {
  constexpr std::array<double, 8> kValues = {0.0,
                                             -0.0,
                                             0.1,
                                             1.0,
                                             std::numeric_limits<double>::infinity(),
                                             -std::numeric_limits<double>::infinity(),
                                             std::numeric_limits<double>::quiet_NaN(),
                                             std::numeric_limits<double>::denorm_min()};
  return random.chance(40) ? random.pick(kValues) : std::bit_cast<double>(random.bits());
}

}  // namespace

// ---- Types -------------------------------------------------------------------------------------

ElementType random_element(Random& random) {
  return static_cast<ElementType>(random.below(ir::kElementTypes.size()));
}

Type random_tensor(Random& random, bool is_static) {
  constexpr std::array<int64_t, 6> kSizes = {0, 1, 2, 3, 5, 8};
  std::vector<int64_t> dims(random.below(4));
  for (int64_t& dim : dims) {
    dim = !is_static && random.chance(20) ? ir::kDynamicDim : random.pick(kSizes);
  }
  return Type::tensor(std::move(dims), random_element(random));
}

Type random_type(Random& random, int depth) {
  static const std::vector<std::string> kOpaque = {"!foreign.handle",
                                                   "!quant.uniform<i8:f32, 1.000000e-01>",
                                                   "memref<4x?xf32>",
                                                   "tensor<*xf32>",
                                                   "!f.t<\"a \\\" > b\", [1, 2]>",
                                                   "vector<4xi7>",
                                                   "tensor<2xsi9>",
                                                   "none"};
  const auto types = [&] {
    return random.several(3, [&] { return random_type(random, depth - 1); });
  };
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return {};
    case 1:
      return Type(ir::OpaqueType{random.pick(kOpaque)});
    case 2:
      return Type(ir::ScalarType{random_element(random)});
    case 3:
      return *Type::make_tensor({2, 3}, random_element(random), "#foreign.layout<[0, 1], \"row\">");
    case 5:
      return Type(ir::TupleType{types()});
    case 6:
      return Type(ir::FunctionType(types(), types()));
    default:
      return random_tensor(random, false);
  }
}

ir::Literal random_literal(Random& random, const Type& type) {
  const ElementType element = type.element();
  const std::size_t part = ir::is_complex(element) ? ir::size_bytes(element) / 2 : 0;
  const auto random_element_bytes = [&] {
    std::vector<std::byte> bytes(ir::size_bytes(element));
    if (!ir::is_float(element) && part == 0) {
      return ir::encode_int(integer_of(random, element), element);
    }
    if (random.chance(30)) return ir::encode(random_double(random), element);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits());
    const int unused = static_cast<int>(bytes.size()) * 8 - ir::info(element).bits;
    bytes.back() = bytes.back() & static_cast<std::byte>(0xFF >> unused);
    return bytes;
  };
  if (random.chance(30)) return *ir::Literal::make_splat(type, random_element_bytes());
  std::vector<std::byte> bytes;
  for (int64_t index = 0; index < type.num_elements(); ++index) {
    const std::vector<std::byte> one = random_element_bytes();
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return *ir::Literal::make(type, std::move(bytes));
}

// ---- Meshes and shardings ----------------------------------------------------------------------

Mesh random_mesh(Random& random) {
  if (random.chance(10)) return *Mesh::maximal(random.between(0, 100));
  constexpr std::array<int64_t, 6> kSizes = {1, 2, 2, 4, 6, 8};
  std::vector<MeshAxis> axes(random.below(4));
  for (std::size_t index = 0; index < axes.size(); ++index) {
    axes[index] = {std::to_string(index) + random_text(random), random.pick(kSizes)};
    if (random.chance(60)) axes[index].name = "xyz"[index];
    if (random.chance(5)) axes[index].name = index == 0 ? "?" : "a:(1)2";
    if (index == 2 && axes[1].name == axes[2].name) axes[2].name = "last";
  }
  Mesh mesh = *Mesh::make(axes);
  if (random.chance(70)) return mesh;
  std::vector<int64_t> ids(static_cast<std::size_t>(mesh.num_devices()));
  std::iota(ids.begin(), ids.end(), 0);
  random.shuffle(ids);
  return *Mesh::make(axes, mesh.axes().empty() ? std::vector<int64_t>() : ids);
}

namespace {

/// Whole axes and, in two pieces, split ones.
std::vector<UnresolvedAxisRef> random_axes(Random& random, const Mesh& mesh) {
  std::vector<UnresolvedAxisRef> axes;
  for (const MeshAxis& axis : mesh.axes()) {
    if (axis.size % 2 != 0 || axis.size == 2 || random.chance(50)) {
      axes.push_back({axis.name, std::nullopt});
      continue;
    }
    axes.push_back({axis.name, SubAxis{1, 2}});
    if (random.chance(60)) axes.push_back({axis.name, SubAxis{2, axis.size / 2}});
  }
  return axes;
}

/// Two pieces of one axis are not in one list: they would have to be merged.
bool has_axis(const UnresolvedAxisList& list, const std::string& name) {
  return std::ranges::any_of(list,
                             [&](const UnresolvedAxisRef& axis) { return axis.name == name; });
}

}  // namespace

UnresolvedSharding random_sharding(Random& random, const RandomMesh& mesh, std::size_t rank) {
  UnresolvedSharding sharding;
  sharding.mesh = random.chance(20) ? MeshOrRef(mesh.mesh) : MeshOrRef(mesh.name);
  if (mesh.mesh.is_maximal()) return sharding;
  sharding.dims.resize(rank);
  for (UnresolvedAxisRef& axis : random_axes(random, mesh.mesh)) {
    const std::size_t place = random.below(rank + 3);
    UnresolvedAxisList* const list = place < rank        ? &sharding.dims[place].axes
                                     : place == rank     ? &sharding.replicated
                                     : place == rank + 1 ? &sharding.unreduced
                                                         : nullptr;
    if (list && !has_axis(*list, axis.name)) list->push_back(std::move(axis));
  }
  for (UnresolvedDim& dim : sharding.dims) {
    dim.is_closed = random.chance(50);
    const bool may_wait = !dim.axes.empty() || !dim.is_closed;
    if (may_wait && random.chance(30)) dim.priority = random.between(0, 9);
  }
  if (!sharding.unreduced.empty()) {
    constexpr std::array kOps = {ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min};
    sharding.reduction_op = random.pick(kOps);
  }
  return sharding;
}

// ---- Attributes --------------------------------------------------------------------------------

namespace {

/// Any value that can be written, valid or not: its op is of no dialect.
UnresolvedSharding loose_sharding(Random& random, const RandomMesh& mesh) {
  UnresolvedSharding sharding = random_sharding(random, mesh, random.below(4));
  if (random.writable()) return sharding;
  if (random.chance(20)) sharding.mesh = random_text(random);
  if (random.chance(20)) sharding.reduction_op = ReductionOp::Max;
  for (UnresolvedDim& dim : sharding.dims) {
    if (random.chance(20)) dim.priority = random_integer(random);
    if (random.chance(20)) {
      dim.axes.push_back(
          {random_text(random), SubAxis{random_integer(random), random_integer(random)}});
    }
  }
  return sharding;
}

std::vector<UnresolvedAxisRef> loose_axes(Random& random) {
  return random.several(3, [&] {
    UnresolvedAxisRef axis{random.chance(20) ? "?" : random_text(random), std::nullopt};
    const auto number = [&] {
      return random.writable() ? random.between(1, 9) : random_integer(random);
    };
    if (random.chance(40)) axis.sub = SubAxis{number(), number()};
    return axis;
  });
}

std::vector<int64_t> integers(Random& random) {
  return random.several(3, [&] { return random_integer(random); });
}

/// An integer type of attributes.
ElementType integer_type(Random& random) {
  while (true) {
    const ElementType type = random_element(random);
    if (!ir::is_float(type) && !ir::is_complex(type)) return type;
  }
}

ElementType float_type(Random& random) {
  while (true) {
    const ElementType type = random_element(random);
    if (ir::is_float(type)) return type;
  }
}

Attribute random_permute(Random& random, const std::vector<RandomMesh>& meshes) {
  using Kind = ir::PermuteMap::Kind;
  ir::PermuteMap map{.kind = static_cast<Kind>(random.below(7)), .numbers = {}};
  if (random.chance(20)) map.numbers = integers(random);
  if (map.kind == Kind::Shift || map.kind == Kind::Rotate) map.numbers = {random_integer(random)};
  if (map.kind == Kind::Affine) map.numbers = {1, 2, random_integer(random), 0, 5, -1};
  if (map.kind == Kind::Pairs) map.numbers = {0, random_integer(random), 1, 0};
  if (map.kind != Kind::Relabel && map.kind != Kind::Remesh) return map;
  map.mesh = random.chance(50) || meshes.empty() ? random_mesh(random) : random.pick(meshes).mesh;
  if (map.kind == Kind::Remesh) return map;
  const auto rank = static_cast<int32_t>(map.mesh.axes().size());
  for (int32_t axis = 0; axis < rank; ++axis) {
    map.source_order.push_back(map.mesh.full_axis(axis));
    map.receiver_order.insert(map.receiver_order.begin(), map.mesh.full_axis(axis));
  }
  return map;
}

Attribute random_rule(Random& random) {
  static const std::vector<std::string> kRules = {
      "<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>",
      "<([i, jk])->([ij, k]) {i=2, j=4, k=3}, custom>", "<([])->([])>",
      "<([i, j])->([i]) {i=2, j=4} need_replication={j} blocked_propagation={i}>"};
  const auto rule = parse_value<OpShardingRule>(random.pick(kRules));
  return rule ? Attribute(*rule) : Attribute("no rule: " + rule.error().message);
}

Attribute random_dims(Random& random) {
  const auto list = [&] { return integers(random); };
  switch (random.below(5)) {
    case 0:
      return ir::DotDims{list(), list(), list(), list()};
    case 1:
      return ir::GatherDims{list(), list(), list(), list(), list(), random_integer(random)};
    case 2:
      return ir::ScatterDims{list(), list(), list(), list(), list(), random_integer(random)};
    case 3:
      return ir::RaggedDotDims{list(), list(), list(), list(), list(), list()};
    default:
      return ir::ConvolutionDims{0, random_integer(random), list(), 1, 2, list(), 3, 4, list()};
  }
}

const std::vector<ir::EnumAttr>& enumerators() {
  static const std::vector<ir::EnumAttr> kEnumerators = {
      {"stablehlo.comparison_direction", "LT"}, {"stablehlo.precision", "HIGHEST"},
      {"stablehlo.comparison_type", "FLOAT"},   {"stablehlo.transpose", "ADJOINT"},
      {"stablehlo.rng_algorithm", "PHILOX"},    {"stablehlo.rng_distribution", "NORMAL"},
      {"stablehlo.fft_type", "IRFFT"},          {"chlo.comparison_direction", "NE"},
      {"chlo.comparison_type", "SIGNED"},       {"chlo.precision", "HIGH"}};
  return kEnumerators;
}

/// As they are printed: white space is one blank.
const std::vector<std::string>& opaque_texts() {
  static const std::vector<std::string> kTexts = {
      "#foreign.a<[1, 2], \"x > y\">",
      "#foreign<name a b>",
      "#foreign.b",
      "#foreign<\"text\">",
      "affine_map<(d0, d1) -> (d0)>",
      "affine_set<(d0) : (d0 - 1 >= 0)>",
      "dense_resource<key> : tensor<2xf32>",
      "loc(\"a\":1:2)",
      "@a::@\"b c\"",
      "array<f32: 1.000000e+00, -2.500000e+00>",
      "sparse<[[0, 0]], [1]> : tensor<2x2xi32>",
      "#stablehlo.channel_handle<handle = 1, type = 2>"};
  return kTexts;
}

Attribute random_scalar(Random& random) {
  switch (random.below(8)) {
    case 0:
      return {};
    case 1:
      return random.chance(50);
    case 2: {
      const ElementType type = integer_type(random);
      const int64_t value = integer_of(random, type);
      if (random.writable() && ir::is_boolean(type)) return value != 0;
      return ir::IntegerAttr{value, type};
    }
    case 3: {
      const ElementType type = float_type(random);
      const double value = random_double(random);
      if (!random.writable()) return ir::FloatAttr{value, type};
      return ir::FloatAttr{ir::decode_double(ir::encode(value, type), type), type};
    }
    case 4:
      return random_text(random);
    case 5:
      return ir::SymbolAttr{random_text(random)};
    case 6:
      if (random.writable()) return random.pick(enumerators());
      return ir::EnumAttr{random_text(random), random.chance(50) ? "LT" : random_text(random)};
    default:
      if (random.writable()) return ir::OpaqueAttr{random.pick(opaque_texts())};
      return ir::OpaqueAttr{"#foreign<" + random_text(random)};
  }
}

Attribute random_array(Random& random) {
  ir::DenseArrayAttr array{integer_type(random), {}};
  array.values = random.several(4, [&] { return integer_of(random, array.element); });
  return array;
}

/// An attribute of the sdy dialect; `mesh` is one of the module.
Attribute random_sdy(Random& random, const RandomMesh& mesh) {
  switch (random.below(6)) {
    case 0:
      return mesh.mesh;
    case 1:
      return loose_sharding(random, mesh);
    case 2:
      return ir::UnresolvedShardingList{
          random.several(3, [&] { return loose_sharding(random, mesh); })};
    case 3:
      return ir::UnresolvedAxesAttr{loose_axes(random)};
    case 4:
      return ir::UnresolvedAxesListsAttr{random.several(3, [&] { return loose_axes(random); })};
    default:
      return ir::UnresolvedAllToAllAttr{random.several(2, [&] {
        ir::UnresolvedAllToAllParam param{loose_axes(random), random_integer(random), 1};
        if (random.writable()) param.axes.push_back({"last", std::nullopt});
        return param;
      })};
  }
}

}  // namespace

Attribute random_attribute(Random& random, const std::vector<RandomMesh>& meshes, int depth) {
  switch (random.below(depth > 0 ? 11 : 9)) {
    case 0:
      return random_array(random);
    case 1:
      return ir::TypeAttr{random_type(random)};
    case 2:
      return random_literal(random, random_tensor(random, true));
    case 3:
      return random_dims(random);
    case 4:
      return random_permute(random, meshes);
    case 5:
      return random_rule(random);
    case 6:
      return ir::ManualAxesAttr{random.several(2, [&] { return random_text(random); })};
    case 7:
      return meshes.empty() ? random_scalar(random) : random_sdy(random, random.pick(meshes));
    case 9:
      return ir::ArrayAttr{
          random.several(3, [&] { return random_attribute(random, meshes, depth - 1); })};
    case 10:
      return random_attributes(random, meshes, depth - 1);
    default:
      return random_scalar(random);
  }
}

ir::AttributeMap random_attributes(Random& random, const std::vector<RandomMesh>& meshes,
                                   int depth) {
  static const std::vector<std::string> kNames = {"value", "dimension", "callee", "mesh",
                                                  "axes",  "sharding",  "kind",   "type"};
  ir::AttributeMap attributes;
  for (std::size_t count = random.below(4); count > 0; --count) {
    attributes.set(random.chance(50) ? random.pick(kNames) : random_text(random),
                   random_attribute(random, meshes, depth));
  }
  return attributes;
}

}  // namespace shardy::text::testing

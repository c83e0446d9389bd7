// Ops that the emitter appends: folded index arithmetic, local data, collectives, bit patterns.
#include "partitioning/emitter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partitioning/reference/halo_exchange.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::partitioning;
using ir::ElementType;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace emitter_test {
namespace {

using Names = std::vector<std::string>;

// The axes of the mesh <["x"=2, "y"=3, "z"=6]>. "one" has one device.
const AxisList kX = {{0, 1, 2}};
const AxisList kY = {{1, 1, 3}};
const AxisList kMinorZ = {{2, 2, 3}};  // "z":(2)3
const AxisList kOne = {{3, 1, 1}};

/// A block whose arguments are an i64 scalar and matrices of 7x5 and 6x4.
class Body {
 public:
  Body() : emit(module_) {
    const std::vector<Type> types = {Type::tensor({}, ElementType::I64),
                                     Type::tensor({7, 5}, ElementType::F32),
                                     Type::tensor({6, 4}, ElementType::F32)};
    block_ = module_.new_block(module_.new_region(), types);
    emit.set_block(block_);
  }

  ScalarIndex index() const { return {std::nullopt, module_.args(block_)[0]}; }
  ValueId odd() const { return module_.args(block_)[1]; }
  ValueId even() const { return module_.args(block_)[2]; }
  const ir::Module& module() const { return module_; }
  std::string type(ValueId value) const { return to_string(module_.type(value)); }
  ir::OpId op(ValueId value) const { return module_.defining_op(value); }
  template <class T>
  T attribute(ValueId value, std::string_view name) const {
    const T* found = module_.attribute<T>(op(value), name);
    REQUIRE(found != nullptr);
    return *found;
  }
  /// Returns the names of the ops of the block, in order.
  Names ops() const {
    Names names;
    for (const ir::OpId each : module_.ops(block_)) names.emplace_back(module_.name(each));
    return names;
  }

 private:
  ir::Module module_;
  ir::BlockId block_;

 public:
  Emitter emit;
};

DeviceOrder order() { return {parse_mesh(R"(<["x"=2, "y"=3, "z"=6, "one"=1]>)").value(), "mesh"}; }

bool is_constant(const ScalarIndex& index, int64_t number) { return index.constant == number; }

std::vector<int64_t> devices_of(const Mesh& mesh) {
  std::vector<int64_t> ids;
  for (int64_t at = 0; at < mesh.num_devices(); ++at) ids.push_back(mesh.device_at(at));
  return ids;
}

}  // namespace

// ---- Index arithmetic ---------------------------------------------------------------------------

TEST_CASE("arithmetic on constant indices appends no op", "[partitioning][emitter]") {
  Body body;
  Emitter& emit = body.emit;
  const auto of = ScalarIndex::of;
  CHECK(is_constant(emit.add(of(7), of(-10)), -3));
  CHECK(is_constant(emit.subtract(of(2), of(5)), -3));
  CHECK(is_constant(emit.multiply(of(-3), 4), -12));
  CHECK(is_constant(emit.floor_div(of(-7), 3), -3));  // -7 = -3 * 3 + 2
  CHECK(is_constant(emit.floor_mod(of(-7), 3), 2));
  CHECK(is_constant(emit.clamp(of(9), -1, 4), 4));
  CHECK(is_constant(emit.clamp(of(-9), -1, 4), -1));
  CHECK(body.ops().empty());
}

TEST_CASE("adding 0 and multiplying by 1 return the same index", "[partitioning][emitter]") {
  Body body;
  Emitter& emit = body.emit;
  const ScalarIndex i = body.index();
  CHECK(emit.add(i, ScalarIndex::of(0)).value == i.value);
  CHECK(emit.add(ScalarIndex::of(0), i).value == i.value);
  CHECK(emit.subtract(i, ScalarIndex::of(0)).value == i.value);
  CHECK(emit.multiply(i, 1).value == i.value);
  CHECK(emit.floor_div(i, 1).value == i.value);
  CHECK(is_constant(emit.multiply(i, 0), 0));
  CHECK(is_constant(emit.floor_mod(i, 1), 0));
  CHECK(is_constant(emit.clamp(i, 4, 4), 4));
  CHECK(body.ops().empty());
}

TEST_CASE("other index arithmetic emits a constant and an op", "[partitioning][emitter]") {
  Body body;
  const ScalarIndex sum = body.emit.subtract(body.index(), ScalarIndex::of(5));
  CHECK_FALSE(sum.constant);
  CHECK(body.ops() == Names{"stablehlo.constant", "stablehlo.add"});  // i + -5
  const ValueId five = body.module().operand(body.op(sum.value), 1);
  const Type scalar = Type::tensor({}, ElementType::I64);
  CHECK(body.attribute<ir::Literal>(five, ir::attr::kValue) == ir::int_splat_literal(scalar, -5));
  CHECK(body.module().operand(body.op(sum.value), 0) == body.index().value);
  body.emit.floor_mod(body.emit.floor_div(body.index(), 3), 6);
  CHECK(body.ops() == Names{"stablehlo.constant", "stablehlo.add", "stablehlo.constant",
                            "spmd.floordiv", "stablehlo.constant", "spmd.floormod"});
}

TEST_CASE("the rank along axes of size 1 is 0", "[partitioning][emitter]") {
  Body body;
  CHECK(is_constant(body.emit.coord(order(), {}), 0));
  CHECK(is_constant(body.emit.coord(order(), kOne), 0));
  CHECK(body.ops().empty());
}

TEST_CASE("the rank along several axes uses merged axes of size above 1",
          "[partitioning][emitter]") {
  Body body;
  // "one" is dropped, and "z":(1)2 and "z":(2)3 become the axis "z" of 6 devices.
  const AxisList axes = {{0, 1, 2}, {3, 1, 1}, {2, 1, 2}, {2, 2, 3}};
  const ScalarIndex rank = body.emit.coord(order(), axes);
  CHECK(body.ops() == Names{"spmd.coord"});
  const auto named = body.attribute<ir::AxesAttr>(rank.value, ir::attr::kAxes);
  CHECK(named.axes == AxisList{{0, 1, 2}, {2, 1, 6}});
  CHECK(body.attribute<ir::SymbolAttr>(rank.value, ir::attr::kMesh).name == "mesh");
}

// ---- Local data ---------------------------------------------------------------------------------

TEST_CASE("data movement without effect returns its operand", "[partitioning][emitter]") {
  Body body;
  Emitter& emit = body.emit;
  const ValueId value = body.odd();
  CHECK(emit.reshape(value, {7, 5}) == value);
  CHECK(emit.broadcast(value, std::vector<int64_t>{7, 5}, std::vector<int64_t>{0, 1}) == value);
  CHECK(emit.slice(value, 0, 0, 7) == value);
  CHECK(emit.dynamic_slice(value, 0, body.index(), 7) == value);
  CHECK(emit.pad(value, 1, {0, 0, 0}) == value);
  CHECK(emit.concatenate({value}, 0) == value);
  CHECK(emit.reverse(value, {}) == value);
  CHECK(body.ops().empty());
}

TEST_CASE("the types of moved data follow from their sizes", "[partitioning][emitter]") {
  Body body;
  Emitter& emit = body.emit;
  const ValueId value = body.odd();                                      // 7x5
  CHECK(body.type(emit.slice(value, 0, 1, 6, 2)) == "tensor<3x5xf32>");  // rows 1, 3, 5
  CHECK(body.type(emit.slice(value, 1, 1, 5, 3)) == "tensor<7x2xf32>");  // columns 1, 4
  CHECK(body.type(emit.dynamic_slice(value, 1, body.index(), 3)) == "tensor<7x3xf32>");
  CHECK(body.type(emit.pad(value, 0, {1, 2, 2})) == "tensor<22x5xf32>");  // 1 + 7 + 6 * 2 + 2
  CHECK(body.type(emit.pad(value, 1, {0, -2, 0})) == "tensor<7x3xf32>");
  CHECK(body.type(emit.transpose(value, {1, 0})) == "tensor<5x7xf32>");
  CHECK(body.type(emit.concatenate({value, emit.slice(value, 0, 0, 2)}, 0)) == "tensor<9x5xf32>");
  CHECK(body.type(emit.broadcast(value, std::vector<int64_t>{3, 7, 5},
                                 std::vector<int64_t>{1, 2})) == "tensor<3x7x5xf32>");
  CHECK(body.type(emit.iota(6)) == "tensor<6xi64>");
}

TEST_CASE("a slice from a constant index is static", "[partitioning][emitter]") {
  Body body;
  const ValueId slice = body.emit.dynamic_slice(body.odd(), 0, ScalarIndex::of(2), 4);
  CHECK(body.ops() == Names{"stablehlo.slice"});
  const auto starts = body.attribute<ir::DenseArrayAttr>(slice, ir::attr::kStartIndices);
  const auto limits = body.attribute<ir::DenseArrayAttr>(slice, ir::attr::kLimitIndices);
  CHECK(starts.values == std::vector<int64_t>{2, 0});
  CHECK(limits.values == std::vector<int64_t>{6, 5});
}

TEST_CASE("a reduction removes its dims", "[partitioning][emitter]") {
  Body body;
  const ValueId zero =
      body.emit.splat({}, ir::splat_literal(Type::tensor({}, ElementType::F32), 0));
  const std::vector<std::size_t> both = {0, 1};
  CHECK(body.type(body.emit.reduce(body.odd(), 0, OpKind::Add, zero)) == "tensor<5xf32>");
  CHECK(body.type(body.emit.reduce(body.odd(), 1, OpKind::Add, zero)) == "tensor<7xf32>");
  CHECK(body.type(body.emit.reduce(body.odd(), both, OpKind::Add, zero)) == "tensor<f32>");
}

// ---- Collectives --------------------------------------------------------------------------------

TEST_CASE("groups of one device communicate nothing", "[partitioning][emitter]") {
  Body body;
  Emitter& emit = body.emit;
  const ValueId value = body.even();
  CHECK(emit.all_gather(value, order(), kOne, 0) == value);
  CHECK(emit.all_reduce(value, order(), kOne, OpKind::Add) == value);
  CHECK(emit.reduce_scatter(value, order(), kOne, 0, OpKind::Add) == value);
  CHECK(emit.all_to_all(value, order(), kOne, 0, 1) == value);
  CHECK(emit.collective(value, order(), kOne, {.kind = OpKind::SpmdBroadcastFrom}) == value);
  CHECK(body.ops().empty());
}

TEST_CASE("all_gather and reduce_scatter scale a dim by the size of the group",
          "[partitioning][emitter]") {
  Body body;
  Emitter& emit = body.emit;
  const ValueId value = body.even();  // 6x4
  CHECK(body.type(emit.all_gather(value, order(), kY, 1)) == "tensor<6x12xf32>");
  CHECK(body.type(emit.all_gather(value, order(), kMinorZ, 0)) == "tensor<18x4xf32>");
  CHECK(body.type(emit.reduce_scatter(value, order(), kY, 0, OpKind::Add)) == "tensor<2x4xf32>");
  CHECK(body.type(emit.all_to_all(value, order(), kX, 1, 0)) == "tensor<12x2xf32>");
  CHECK(body.type(emit.all_reduce(value, order(), kX, OpKind::Add)) == "tensor<6x4xf32>");
  CHECK(body.ops() == Names{"spmd.all_gather", "spmd.all_gather", "spmd.reduce_scatter",
                            "spmd.all_to_all", "spmd.all_reduce"});
}

TEST_CASE("an all_reduce with or combines the bits of floats", "[partitioning][emitter]") {
  Body body;
  const ValueId sum = body.emit.all_reduce(body.even(), order(), kY, OpKind::Or);
  CHECK(body.ops() ==
        Names{"stablehlo.bitcast_convert", "spmd.all_reduce", "stablehlo.bitcast_convert"});
  CHECK(body.type(sum) == "tensor<6x4xf32>");
  CHECK(body.type(body.module().operand(body.op(sum), 0)) == "tensor<6x4xui32>");
}

TEST_CASE("bits of complex numbers have a leading dim for the real and imaginary part",
          "[partitioning][emitter]") {
  Body body;
  const Type pairs = Type::tensor({3, 5}, ElementType::Complex64);
  const ValueId value = body.emit.undefined(pairs);
  const ValueId bits = to_bits(body.emit, value);
  CHECK(body.type(bits) == "tensor<2x3x5xui32>");
  CHECK(body.type(from_bits(body.emit, bits, ElementType::Complex64)) == to_string(pairs));
}

TEST_CASE("the element type decides how values are combined exactly", "[partitioning][emitter]") {
  CHECK(exact_combiner(ElementType::F32) == OpKind::Or);
  CHECK(exact_combiner(ElementType::I1) == OpKind::Or);
  CHECK(exact_combiner(ElementType::Complex64) == OpKind::Or);
  CHECK(exact_combiner(ElementType::Index) == OpKind::Add);
  CHECK(integer_of_width(ElementType::BF16) == ElementType::UI16);
  CHECK(integer_of_width(ElementType::F64) == ElementType::UI64);
  CHECK_FALSE(integer_of_width(ElementType::Complex128));  // 128 bits
  CHECK(has_hidden_bits(ElementType::F32));
  CHECK_FALSE(has_hidden_bits(ElementType::I32));
  const Type scalar = Type::tensor({}, ElementType::F32);
  CHECK(neutral_to(OpKind::Or, ElementType::F32) == ir::splat_literal(scalar, 0));
}

// ---- Devices in reverse -------------------------------------------------------------------------

TEST_CASE("a mirrored mesh reverses devices along the given axes and sub-axes",
          "[partitioning][halo_exchange]") {
  const Mesh mesh = parse_mesh(R"(<["x"=2, "y"=3]>)").value();  // device 3x + y
  CHECK(devices_of(mirrored(mesh, {{0, 1, 2}})) == std::vector<int64_t>{3, 4, 5, 0, 1, 2});
  CHECK(devices_of(mirrored(mesh, {{1, 1, 3}})) == std::vector<int64_t>{2, 1, 0, 5, 4, 3});
  CHECK(devices_of(mirrored(mesh, {{0, 1, 2}, {1, 1, 3}})) ==
        std::vector<int64_t>{5, 4, 3, 2, 1, 0});
  const Mesh line = parse_mesh(R"(<["z"=6]>)").value();  // halves of three devices
  CHECK(devices_of(mirrored(line, {{0, 1, 2}})) == std::vector<int64_t>{3, 4, 5, 0, 1, 2});
  CHECK(devices_of(mirrored(line, {{0, 2, 3}})) == std::vector<int64_t>{2, 1, 0, 5, 4, 3});
  const Mesh other = parse_mesh(R"(<["x"=2, "y"=3], device_ids=[1, 0, 2, 3, 4, 5]>)").value();
  CHECK(devices_of(mirrored(other, {{0, 1, 2}})) == std::vector<int64_t>{3, 4, 5, 1, 0, 2});
}

}  // namespace emitter_test

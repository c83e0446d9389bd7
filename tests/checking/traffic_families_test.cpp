// Bytes of model layers with their gradients, on many meshes and in several element types: at most
// 1.1 times a formula, which is the number of bytes of the best known exchange.
#include "checking/traffic_families.hpp"

#include <cstdint>

using namespace shardy_test;

namespace traffic_families_test {
namespace {

// ---- Mixture of experts -------------------------------------------------------------------------

// GShard's dispatch and combine as products with masks, and their gradients. Groups of tokens and
// experts are sharded over "x", features within experts over "y".
const char* const kExperts = R"(
func.func @main(%m: tensor<Gx6xEx4xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}, {}]>},
    %x: tensor<Gx6x8xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
    %u: tensor<Ex8xHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {Y}]>},
    %v: tensor<ExHx8xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {Y}, {}]>},
    %d: tensor<Gx6x8xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
    -> (tensor<Gx6x8xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
        tensor<Ex8xHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {Y}]>},
        tensor<ExHx8xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {Y}, {}]>},
        tensor<Gx6x8xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
  %0 = stablehlo.dot_general %m, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<Gx6xEx4xELEMENT>, tensor<Gx6x8xELEMENT>) -> tensor<GxEx4x8xELEMENT>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2, 3] : (tensor<GxEx4x8xELEMENT>) -> tensor<ExGx4x8xELEMENT>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {}, {}, {}]> : tensor<ExGx4x8xELEMENT>
  %3 = stablehlo.dot_general %2, %u, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<ExGx4x8xELEMENT>, tensor<Ex8xHxELEMENT>) -> tensor<ExGx4xHxELEMENT>
  %4 = stablehlo.dot_general %3, %v, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<ExGx4xHxELEMENT>, tensor<ExHx8xELEMENT>) -> tensor<ExGx4x8xELEMENT>
  %5 = sdy.sharding_constraint %4 <@mesh, [{"x"}, {}, {}, {}]> : tensor<ExGx4x8xELEMENT>
  %6 = stablehlo.dot_general %m, %5, batching_dims = [0] x [1], contracting_dims = [2, 3] x [0, 2] : (tensor<Gx6xEx4xELEMENT>, tensor<ExGx4x8xELEMENT>) -> tensor<Gx6x8xELEMENT>
  %7 = stablehlo.dot_general %m, %d, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<Gx6xEx4xELEMENT>, tensor<Gx6x8xELEMENT>) -> tensor<GxEx4x8xELEMENT>
  %8 = stablehlo.transpose %7, dims = [1, 0, 2, 3] : (tensor<GxEx4x8xELEMENT>) -> tensor<ExGx4x8xELEMENT>
  %9 = sdy.sharding_constraint %8 <@mesh, [{"x"}, {}, {}, {}]> : tensor<ExGx4x8xELEMENT>
  %10 = stablehlo.dot_general %9, %v, batching_dims = [0] x [0], contracting_dims = [3] x [2] : (tensor<ExGx4x8xELEMENT>, tensor<ExHx8xELEMENT>) -> tensor<ExGx4xHxELEMENT>
  %11 = stablehlo.dot_general %3, %9, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2] : (tensor<ExGx4xHxELEMENT>, tensor<ExGx4x8xELEMENT>) -> tensor<ExHx8xELEMENT>
  %12 = stablehlo.dot_general %10, %u, batching_dims = [0] x [0], contracting_dims = [3] x [2] : (tensor<ExGx4xHxELEMENT>, tensor<Ex8xHxELEMENT>) -> tensor<ExGx4x8xELEMENT>
  %13 = stablehlo.dot_general %2, %10, batching_dims = [0] x [0], contracting_dims = [1, 2] x [1, 2] : (tensor<ExGx4x8xELEMENT>, tensor<ExGx4xHxELEMENT>) -> tensor<Ex8xHxELEMENT>
  %14 = sdy.sharding_constraint %12 <@mesh, [{"x"}, {}, {}, {}]> : tensor<ExGx4x8xELEMENT>
  %15 = stablehlo.dot_general %m, %14, batching_dims = [0] x [1], contracting_dims = [2, 3] x [0, 2] : (tensor<Gx6xEx4xELEMENT>, tensor<ExGx4x8xELEMENT>) -> tensor<Gx6x8xELEMENT>
  return %6, %13, %11, %15 : tensor<Gx6x8xELEMENT>, tensor<Ex8xHxELEMENT>, tensor<ExHx8xELEMENT>, tensor<Gx6x8xELEMENT>
})";

TEST_CASE("experts take two all-to-alls forward and two backward", "[families][traffic]") {
  check_family(
      "experts",
      [](const Setting& at) {
        return filled(at, kExperts,
                      {{"G", at.sharded_size(at.x, 2)}, {"E", 2 * at.x}, {"H", 4 * at.y}});
      },
      [](const Setting& at) {
        // The tokens of a device for all experts, and the sums of the experts' second products.
        const int64_t held = 2 * at.x * 2 * 4 * 8 * at.bytes;
        return 4 * held * (at.x - 1) / at.x + 4 * held * (at.y - 1) / at.y;
      });
}

// ---- Sharded weights ----------------------------------------------------------------------------

// Gradients of sharded weights, accumulated over 4 steps.
const char* const kAccumulation = R"(
func.func @main(%x: tensor<4xROWSxDEPTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}, {}]>},
    %t: tensor<4xROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}, {}]>},
    %w: tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>})
    -> (tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %z = stablehlo.subtract %w, %w : tensor<DEPTHx6xELEMENT>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %l:2 = stablehlo.while(%i = %c, %s = %z) : tensor<i32>, tensor<DEPTHx6xELEMENT>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %k = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %k : tensor<i1>
  } do {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.dynamic_slice %x, %i, %0, %0, sizes = [1, ROWS, DEPTH] : (tensor<4xROWSxDEPTHxELEMENT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xROWSxDEPTHxELEMENT>
    %b = stablehlo.reshape %a : (tensor<1xROWSxDEPTHxELEMENT>) -> tensor<ROWSxDEPTHxELEMENT>
    %d = stablehlo.dynamic_slice %t, %i, %0, %0, sizes = [1, ROWS, 6] : (tensor<4xROWSx6xELEMENT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xROWSx6xELEMENT>
    %e = stablehlo.reshape %d : (tensor<1xROWSx6xELEMENT>) -> tensor<ROWSx6xELEMENT>
    %f = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<ROWSxDEPTHxELEMENT>, tensor<DEPTHx6xELEMENT>) -> tensor<ROWSx6xELEMENT>
    %g = stablehlo.subtract %f, %e : tensor<ROWSx6xELEMENT>
    %h = stablehlo.dot_general %b, %g, contracting_dims = [0] x [0] : (tensor<ROWSxDEPTHxELEMENT>, tensor<ROWSx6xELEMENT>) -> tensor<DEPTHx6xELEMENT>
    %p = stablehlo.add %s, %h : tensor<DEPTHx6xELEMENT>
    %q = stablehlo.add %i, %1 : tensor<i32>
    stablehlo.return %q, %p : tensor<i32>, tensor<DEPTHx6xELEMENT>
  }
  %r = stablehlo.subtract %w, %l#1 : tensor<DEPTHx6xELEMENT>
  return %r : tensor<DEPTHx6xELEMENT>
})";

TEST_CASE("accumulated gradients of sharded weights gather and scatter once",
          "[families][traffic]") {
  check_family(
      "accumulation",
      [](const Setting& at) {
        return filled(at, kAccumulation,
                      {{"ROWS", 3 * at.devices()}, {"DEPTH", at.sharded_size(at.devices(), 4)}});
      },
      [](const Setting& at) { return 2 * 4 * 6 * at.bytes * (at.devices() - 1); });
}

// Weights as i8, scaled by column.
const char* const kScaledWeights = R"(
func.func @main(%x: tensor<ROWSxDEPTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>},
    %q: tensor<DEPTHx6xi8> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}, %s: tensor<6xELEMENT>)
    -> (tensor<ROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %c = stablehlo.convert %q : (tensor<DEPTHx6xi8>) -> tensor<DEPTHx6xELEMENT>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<6xELEMENT>) -> tensor<DEPTHx6xELEMENT>
  %w = stablehlo.multiply %c, %b : tensor<DEPTHx6xELEMENT>
  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<ROWSxDEPTHxELEMENT>, tensor<DEPTHx6xELEMENT>) -> tensor<ROWSx6xELEMENT>
  return %r : tensor<ROWSx6xELEMENT>
})";

TEST_CASE("scaled weights are gathered as i8", "[families][traffic]") {
  check_family(
      "scaled-weights",
      [](const Setting& at) {
        return filled(at, kScaledWeights,
                      {{"ROWS", 2 * at.devices()}, {"DEPTH", at.sharded_size(at.devices(), 4)}});
      },
      [](const Setting& at) { return 4 * 6 * (at.devices() - 1); });
}

// The gradient of a sharded table from sharded lookups.
const char* const kTable = R"(
func.func @main(%t: tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>},
    %i: tensor<ROWSx1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>},
    %u: tensor<ROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>})
    -> (tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %z = stablehlo.subtract %t, %t : tensor<DEPTHx6xELEMENT>
  %g = "stablehlo.scatter"(%z, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<ELEMENT>, %b: tensor<ELEMENT>):
    %c = stablehlo.add %a, %b : tensor<ELEMENT>
    stablehlo.return %c : tensor<ELEMENT>
  }) : (tensor<DEPTHx6xELEMENT>, tensor<ROWSx1xi32>, tensor<ROWSx6xELEMENT>) -> tensor<DEPTHx6xELEMENT>
  %r = stablehlo.subtract %t, %g : tensor<DEPTHx6xELEMENT>
  return %r : tensor<DEPTHx6xELEMENT>
})";

TEST_CASE("the gradient of a sharded table is added locally and scattered", "[families][traffic]") {
  check_family(
      "table",
      [](const Setting& at) {
        return filled(at, kTable,
                      {{"ROWS", 3 * at.devices()}, {"DEPTH", at.sharded_size(at.devices(), 4)}});
      },
      [](const Setting& at) { return 4 * 6 * at.bytes * (at.devices() - 1); });
}

// ---- Activations --------------------------------------------------------------------------------

// Two products with hidden features over "x", between activations whose sequence is sharded over
// "x", and the gradients, which have no constraints.
const char* const kSequence = R"(
func.func @main(%x: tensor<2xROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}, {}]>},
    %u: tensor<6xHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>},
    %v: tensor<Hx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>},
    %d: tensor<2xROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}, {}]>})
    -> (tensor<2xROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}, {}]>},
        tensor<2xROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}, {}]>},
        tensor<6xHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>},
        tensor<Hx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %0 = stablehlo.dot_general %x, %u, contracting_dims = [2] x [0] : (tensor<2xROWSx6xELEMENT>, tensor<6xHxELEMENT>) -> tensor<2xROWSxHxELEMENT>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [2] x [0] : (tensor<2xROWSxHxELEMENT>, tensor<Hx6xELEMENT>) -> tensor<2xROWSx6xELEMENT>
  %2 = stablehlo.dot_general %d, %v, contracting_dims = [2] x [1] : (tensor<2xROWSx6xELEMENT>, tensor<Hx6xELEMENT>) -> tensor<2xROWSxHxELEMENT>
  %3 = stablehlo.dot_general %0, %d, contracting_dims = [0, 1] x [0, 1] : (tensor<2xROWSxHxELEMENT>, tensor<2xROWSx6xELEMENT>) -> tensor<Hx6xELEMENT>
  %4 = stablehlo.dot_general %2, %u, contracting_dims = [2] x [1] : (tensor<2xROWSxHxELEMENT>, tensor<6xHxELEMENT>) -> tensor<2xROWSx6xELEMENT>
  %5 = stablehlo.dot_general %x, %2, contracting_dims = [0, 1] x [0, 1] : (tensor<2xROWSx6xELEMENT>, tensor<2xROWSxHxELEMENT>) -> tensor<6xHxELEMENT>
  return %1, %4, %5, %3 : tensor<2xROWSx6xELEMENT>, tensor<2xROWSx6xELEMENT>, tensor<6xHxELEMENT>, tensor<Hx6xELEMENT>
})";

TEST_CASE("sequence parallelism gathers and scatters once per pass", "[families][traffic]") {
  check_family(
      "sequence",
      [](const Setting& at) {
        return filled(at, kSequence,
                      {{"ROWS", at.sharded_size(at.devices(), 4)}, {"H", 24 * at.devices()}});
      },
      [](const Setting& at) { return 4 * 2 * 4 * 6 * at.bytes * (at.devices() - 1); });
}

// The same layer with batches over "y" and the sequence over "x", and an elementwise op between the
// products. No value within the layer has a constraint.
const char* const kBatchedSequence = R"(
func.func @main(%x: tensor<BATCHxROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{Y}, {"x"}, {}]>},
    %u: tensor<6xHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %v: tensor<Hx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %d: tensor<BATCHxROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{Y}, {"x"}, {}]>})
    -> (tensor<BATCHxROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{Y}, {"x"}, {}]>},
        tensor<BATCHxROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{Y}, {"x"}, {}]>},
        tensor<6xHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
        tensor<Hx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.dot_general %x, %u, contracting_dims = [2] x [0] : (tensor<BATCHxROWSx6xELEMENT>, tensor<6xHxELEMENT>) -> tensor<BATCHxROWSxHxELEMENT>
  %r = stablehlo.maximum %0, %0 : tensor<BATCHxROWSxHxELEMENT>
  %1 = stablehlo.dot_general %r, %v, contracting_dims = [2] x [0] : (tensor<BATCHxROWSxHxELEMENT>, tensor<Hx6xELEMENT>) -> tensor<BATCHxROWSx6xELEMENT>
  %2 = stablehlo.dot_general %d, %v, contracting_dims = [2] x [1] : (tensor<BATCHxROWSx6xELEMENT>, tensor<Hx6xELEMENT>) -> tensor<BATCHxROWSxHxELEMENT>
  %s = stablehlo.multiply %2, %0 : tensor<BATCHxROWSxHxELEMENT>
  %3 = stablehlo.dot_general %r, %d, contracting_dims = [0, 1] x [0, 1] : (tensor<BATCHxROWSxHxELEMENT>, tensor<BATCHxROWSx6xELEMENT>) -> tensor<Hx6xELEMENT>
  %4 = stablehlo.dot_general %s, %u, contracting_dims = [2] x [1] : (tensor<BATCHxROWSxHxELEMENT>, tensor<6xHxELEMENT>) -> tensor<BATCHxROWSx6xELEMENT>
  %5 = stablehlo.dot_general %x, %s, contracting_dims = [0, 1] x [0, 1] : (tensor<BATCHxROWSx6xELEMENT>, tensor<BATCHxROWSxHxELEMENT>) -> tensor<6xHxELEMENT>
  return %1, %4, %5, %3 : tensor<BATCHxROWSx6xELEMENT>, tensor<BATCHxROWSx6xELEMENT>, tensor<6xHxELEMENT>, tensor<Hx6xELEMENT>
})";

TEST_CASE("sequence parallelism with batches over a second axis gathers and scatters once per pass",
          "[families][traffic]") {
  check_family(
      "batched-sequence",
      [](const Setting& at) {
        return filled(at, kBatchedSequence,
                      {{"BATCH", 2 * at.y}, {"ROWS", at.sharded_size(at.x, 4)}, {"H", 24 * at.x}});
      },
      [](const Setting& at) {
        // Two gathers and two scatters of activations along "x". Two gradients of weights, whose
        // shards have 6 x 24 elements, are summed along "y".
        const int64_t activations = 2 * 4 * 6 * at.bytes;
        const int64_t weights = 6 * 24 * at.bytes;
        return 4 * activations * (at.x - 1) + 2 * 2 * weights * (at.y - 1) / at.y;
      });
}

// A sum over devices with two users.
const char* const kTwoUsers = R"(
func.func @main(%a: tensor<ROWSxDEPTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>},
    %b: tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>})
    -> (tensor<ROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}, tensor<ROWSx6xELEMENT>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<ROWSxDEPTHxELEMENT>, tensor<DEPTHx6xELEMENT>) -> tensor<ROWSx6xELEMENT>
  %1 = sdy.sharding_constraint %0 <@mesh, [{AXES}, {}]> : tensor<ROWSx6xELEMENT>
  %2 = stablehlo.negate %1 : tensor<ROWSx6xELEMENT>
  %3 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<ROWSx6xELEMENT>
  %4 = stablehlo.multiply %3, %3 : tensor<ROWSx6xELEMENT>
  return %2, %4 : tensor<ROWSx6xELEMENT>, tensor<ROWSx6xELEMENT>
})";

TEST_CASE("a partial value with two users is reduced once", "[families][traffic]") {
  check_family(
      "two-users",
      [](const Setting& at) {
        return filled(at, kTwoUsers,
                      {{"ROWS", at.sharded_size(at.devices(), 4)}, {"DEPTH", 2 * at.devices()}});
      },
      [](const Setting& at) { return 2 * 4 * 6 * at.bytes * (at.devices() - 1); });
}

}  // namespace

}  // namespace traffic_families_test

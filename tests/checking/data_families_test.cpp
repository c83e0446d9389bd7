// Bytes of ops that move data between dims and devices, on many meshes, in several element types,
// with even and uneven shards: at most 1.1 times a formula, which is the number of bytes of the
// best known exchange.
#include <cstdint>
#include <numeric>
#include <string>

#include "checking/traffic_families.hpp"

using namespace shardy_test;

namespace data_families_test {
namespace {

/// Transforms have complex elements.
const Elements kComplex = {{"complex<f32>", 8}};

int64_t tile_of(int64_t size, int64_t shards) { return (size + shards - 1) / shards; }

// ---- Loops --------------------------------------------------------------------------------------

// Products with weights that a loop does not change.
const char* const kWeightsOfLoop = R"(
func.func @main(%x: tensor<4xROWSxDEPTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}, {}]>},
    %w: tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>})
    -> (tensor<ROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %z = stablehlo.constant dense<ZERO> : tensor<ROWSx6xELEMENT>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %l:2 = stablehlo.while(%i = %c, %s = %z) : tensor<i32>, tensor<ROWSx6xELEMENT>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %k = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %k : tensor<i1>
  } do {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.dynamic_slice %x, %i, %0, %0, sizes = [1, ROWS, DEPTH] : (tensor<4xROWSxDEPTHxELEMENT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xROWSxDEPTHxELEMENT>
    %b = stablehlo.reshape %a : (tensor<1xROWSxDEPTHxELEMENT>) -> tensor<ROWSxDEPTHxELEMENT>
    %f = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<ROWSxDEPTHxELEMENT>, tensor<DEPTHx6xELEMENT>) -> tensor<ROWSx6xELEMENT>
    %p = stablehlo.maximum %s, %f : tensor<ROWSx6xELEMENT>
    %q = stablehlo.add %i, %1 : tensor<i32>
    stablehlo.return %q, %p : tensor<i32>, tensor<ROWSx6xELEMENT>
  }
  return %l#1 : tensor<ROWSx6xELEMENT>
})";

TEST_CASE("weights that a loop does not change are gathered once", "[families][traffic]") {
  check_family(
      "weights-of-loop",
      [](const Setting& at) {
        return filled(at, kWeightsOfLoop,
                      {{"ROWS", 3 * at.devices()}, {"DEPTH", at.sharded_size(at.devices(), 4)}});
      },
      [](const Setting& at) { return 4 * 6 * at.bytes * (at.devices() - 1); });
}

// Scores of sharded queries for blocks of sharded keys.
const char* const kKeysOfLoop = R"(
func.func @main(%q: tensor<ROWSxWIDTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>},
    %k: tensor<BLOCKSx5xWIDTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}, {}]>})
    -> (tensor<ROWSx5xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<ZERO> : tensor<ROWSx5xELEMENT>
  %0:2 = stablehlo.while(%i = %c, %m = %z) : tensor<i32>, tensor<ROWSx5xELEMENT>
  cond {
    %n = stablehlo.constant dense<BLOCKS> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %nil = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %s = stablehlo.dynamic_slice %k, %i, %nil, %nil, sizes = [1, 5, WIDTH] : (tensor<BLOCKSx5xWIDTHxELEMENT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5xWIDTHxELEMENT>
    %b = stablehlo.reshape %s : (tensor<1x5xWIDTHxELEMENT>) -> tensor<5xWIDTHxELEMENT>
    %d = stablehlo.dot_general %q, %b, contracting_dims = [1] x [1] : (tensor<ROWSxWIDTHxELEMENT>, tensor<5xWIDTHxELEMENT>) -> tensor<ROWSx5xELEMENT>
    %a = stablehlo.maximum %m, %d : tensor<ROWSx5xELEMENT>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a : tensor<i32>, tensor<ROWSx5xELEMENT>
  }
  return %0#1 : tensor<ROWSx5xELEMENT>
})";

TEST_CASE("a loop over blocks of sharded keys sends each key once", "[families][traffic]") {
  check_family(
      "keys-of-loop",
      [](const Setting& at) {
        return filled(at, kKeysOfLoop,
                      {{"ROWS", 6 * at.devices()},
                       {"WIDTH", 2 * at.devices()},
                       {"BLOCKS", at.sharded_size(at.devices(), 2)}});
      },
      [](const Setting& at) {
        const int64_t devices = at.devices();
        const int64_t block = 5 * 2 * devices * at.bytes;
        const int64_t gathered = 2 * block * (devices - 1);
        if (at.is_even) return gathered;
        // An all-to-all of 2 blocks with their padding, and a gather in each step. The gather of
        // the padded blocks before the loop would send less, but not of the blocks of the steps
        // alone.
        return (2 * block + (2 * devices - 1) * block) * (devices - 1) / devices;
      });
}

// ---- Slices of values with borders --------------------------------------------------------------

const char* const kRows = R"(
func.func @main(%x: tensor<ROWSx3xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) -> (tensor<ROWSx3xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %zero = stablehlo.constant dense<TWO> : tensor<ELEMENT>
  OPS
  return %r : tensor<ROWSx3xELEMENT>
})";

/// Returns a function of 3 columns, sharded along rows, of which `ops` make %r.
std::string of_rows(const Setting& at, std::string ops) {
  std::string text(kRows);
  text.replace(text.find("OPS"), 3, ops);
  const int64_t rows = at.sharded_size(at.devices(), 9);
  return filled(at, text,
                {{"TWO", 2},
                 {"ROWS+1", rows + 1},
                 {"ROWS+2", rows + 2},
                 {"ROWS+3", rows + 3},
                 {"ROWS-1", rows - 1},
                 {"ROWS-2", rows - 2},
                 {"ROWS", rows}});
}

const char* const kWindow =
    R"(%p = stablehlo.pad %x, %zero, low = [3, 0], high = [0, 0], interior = [0, 0] : (tensor<ROWSx3xELEMENT>, tensor<ELEMENT>) -> tensor<ROWS+3x3xELEMENT>
  %a = stablehlo.slice %p [0:ROWS, 0:3] : (tensor<ROWS+3x3xELEMENT>) -> tensor<ROWSx3xELEMENT>
  %b = stablehlo.slice %p [1:ROWS+1, 0:3] : (tensor<ROWS+3x3xELEMENT>) -> tensor<ROWSx3xELEMENT>
  %c = stablehlo.slice %p [2:ROWS+2, 0:3] : (tensor<ROWS+3x3xELEMENT>) -> tensor<ROWSx3xELEMENT>
  %s = stablehlo.subtract %a, %b : tensor<ROWSx3xELEMENT>
  %t = stablehlo.add %s, %c : tensor<ROWSx3xELEMENT>
  %r = stablehlo.subtract %t, %x : tensor<ROWSx3xELEMENT>)";

const char* const kPeriodic =
    R"(%l = stablehlo.slice %x [ROWS-1:ROWS, 0:3] : (tensor<ROWSx3xELEMENT>) -> tensor<1x3xELEMENT>
  %f = stablehlo.slice %x [0:1, 0:3] : (tensor<ROWSx3xELEMENT>) -> tensor<1x3xELEMENT>
  %p = stablehlo.concatenate %l, %x, %f, dim = 0 : (tensor<1x3xELEMENT>, tensor<ROWSx3xELEMENT>, tensor<1x3xELEMENT>) -> tensor<ROWS+2x3xELEMENT>
  %a = stablehlo.slice %p [0:ROWS, 0:3] : (tensor<ROWS+2x3xELEMENT>) -> tensor<ROWSx3xELEMENT>
  %b = stablehlo.slice %p [2:ROWS+2, 0:3] : (tensor<ROWS+2x3xELEMENT>) -> tensor<ROWSx3xELEMENT>
  %s = stablehlo.add %a, %b : tensor<ROWSx3xELEMENT>
  %r = stablehlo.subtract %s, %x : tensor<ROWSx3xELEMENT>)";

const char* const kInterior =
    R"(%a = stablehlo.slice %x [0:ROWS-2, 0:3] : (tensor<ROWSx3xELEMENT>) -> tensor<ROWS-2x3xELEMENT>
  %b = stablehlo.slice %x [2:ROWS, 0:3] : (tensor<ROWSx3xELEMENT>) -> tensor<ROWS-2x3xELEMENT>
  %s = stablehlo.add %a, %b : tensor<ROWS-2x3xELEMENT>
  %i = stablehlo.constant dense<1> : tensor<i32>
  %j = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_update_slice %x, %s, %i, %j : (tensor<ROWSx3xELEMENT>, tensor<ROWS-2x3xELEMENT>, tensor<i32>, tensor<i32>) -> tensor<ROWSx3xELEMENT>)";

TEST_CASE("slices of values with borders send the rows at the borders", "[families][traffic]") {
  check_family(
      "window", [](const Setting& at) { return of_rows(at, kWindow); },
      [](const Setting& at) { return 3 * 3 * at.bytes; });
  check_family(
      "periodic", [](const Setting& at) { return of_rows(at, kPeriodic); },
      [](const Setting& at) { return 2 * 3 * at.bytes; });
  // The devices at both ends have one neighbour.
  check_family(
      "interior", [](const Setting& at) { return of_rows(at, kInterior); },
      [](const Setting& at) { return (at.devices() > 2 ? 2 : 1) * 3 * at.bytes; });
}

// ---- Gathers before narrowing ops ---------------------------------------------------------------

const char* const kNarrowed = R"(
func.func @main(%x: tensor<ROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) -> tensor<ROWSx6xNARROW> {
  %0 = stablehlo.negate %x : tensor<ROWSx6xELEMENT>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<ROWSx6xELEMENT>
  %2 = stablehlo.convert %1 : (tensor<ROWSx6xELEMENT>) -> tensor<ROWSx6xNARROW>
  return %2 : tensor<ROWSx6xNARROW>
})";

TEST_CASE("a value that is converted to a narrower type is gathered in that type",
          "[families][traffic]") {
  check_family(
      "narrowed",
      [](const Setting& at) {
        std::string text(kNarrowed);
        const std::string narrow = at.element == "f32" ? "bf16" : "i8";
        for (auto found = text.find("NARROW"); found != std::string::npos;
             found = text.find("NARROW")) {
          text.replace(found, 6, narrow);
        }
        return filled(at, text, {{"ROWS", at.sharded_size(at.devices(), 3)}});
      },
      [](const Setting& at) { return 3 * 6 * (at.element == "f32" ? 2 : 1) * (at.devices() - 1); });
}

const char* const kModes = R"(
func.func @main(%x: tensor<ROWSx12xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) -> tensor<ROWSx3xELEMENT> {
  %0 = stablehlo.fft %x, type = FFT, length = [12] : (tensor<ROWSx12xELEMENT>) -> tensor<ROWSx12xELEMENT>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<ROWSx12xELEMENT>
  %2 = stablehlo.slice %1 [0:ROWS, 0:3] : (tensor<ROWSx12xELEMENT>) -> tensor<ROWSx3xELEMENT>
  return %2 : tensor<ROWSx3xELEMENT>
})";

TEST_CASE("a gather of a transform sends only the modes that are used", "[families][traffic]") {
  check_family(
      "modes",
      [](const Setting& at) {
        return filled(at, kModes, {{"ROWS", at.sharded_size(at.devices(), 3)}});
      },
      [](const Setting& at) { return 3 * 3 * at.bytes * (at.devices() - 1); }, kComplex);
}

const char* const kBestOfBeams = R"(
func.func @main(%x: tensor<2x4xWORDSxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {AXES}]>}) -> (tensor<2x3xELEMENT>, tensor<2x3xi32>) {
  %0 = stablehlo.reshape %x : (tensor<2x4xWORDSxELEMENT>) -> tensor<2xSCORESxELEMENT>
  %1:2 = chlo.top_k(%0, k = 3) : tensor<2xSCORESxELEMENT> -> (tensor<2x3xELEMENT>, tensor<2x3xi32>)
  return %1#0, %1#1 : tensor<2x3xELEMENT>, tensor<2x3xi32>
})";

TEST_CASE("top_k of merged dims gathers candidates", "[families][traffic]") {
  check_family(
      "best-of-beams",
      [](const Setting& at) {
        const int64_t words = at.sharded_size(at.devices(), 8);
        return filled(at, kBestOfBeams, {{"WORDS", words}, {"SCORES", 4 * words}});
      },
      [](const Setting& at) {
        // 2 rows of 3 values and 3 positions. Shards of different sizes need them for each beam.
        return (at.is_even ? 1 : 4) * 2 * 3 * (at.bytes + 4) * (at.devices() - 1);
      });
}

// ---- Transforms ---------------------------------------------------------------------------------

const char* const kTransform = R"(
func.func @main(%x: tensor<ROWSxCOLUMNSxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) -> (tensor<ROWSxCOLUMNSxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %0 = stablehlo.fft %x, type = FFT, length = [ROWS, COLUMNS] : (tensor<ROWSxCOLUMNSxELEMENT>) -> tensor<ROWSxCOLUMNSxELEMENT>
  return %0 : tensor<ROWSxCOLUMNSxELEMENT>
})";

TEST_CASE("a transform of two dims takes two exchanges", "[families][traffic]") {
  check_family(
      "transform",
      [](const Setting& at) {
        return filled(at, kTransform,
                      {{"ROWS", at.sharded_size(at.devices(), 3)},
                       {"COLUMNS", at.sharded_size(at.devices(), 4)}});
      },
      [](const Setting& at) { return 2 * 3 * 4 * at.bytes * (at.devices() - 1); }, kComplex);
}

// ---- Lookups and sums by index ------------------------------------------------------------------

const char* const kSegments = R"(
func.func @main(%t: tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>},
    %i: tensor<ROWSx1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>},
    %j: tensor<ROWSx1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>})
    -> (tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %z = stablehlo.constant dense<ZERO> : tensor<DEPTHx6xELEMENT>
  %m = "stablehlo.gather"(%t, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<DEPTHx6xELEMENT>, tensor<ROWSx1xi32>) -> tensor<ROWSx6xELEMENT>
  %g = "stablehlo.scatter"(%z, %i, %m) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<ELEMENT>, %b: tensor<ELEMENT>):
    %c = stablehlo.add %a, %b : tensor<ELEMENT>
    stablehlo.return %c : tensor<ELEMENT>
  }) : (tensor<DEPTHx6xELEMENT>, tensor<ROWSx1xi32>, tensor<ROWSx6xELEMENT>) -> tensor<DEPTHx6xELEMENT>
  return %g : tensor<DEPTHx6xELEMENT>
})";

TEST_CASE("sums of messages between sharded nodes gather the nodes and scatter the sums",
          "[families][traffic]") {
  check_family(
      "segments",
      [](const Setting& at) {
        return filled(at, kSegments,
                      {{"ROWS", 12 * at.devices()}, {"DEPTH", at.sharded_size(at.devices(), 4)}});
      },
      [](const Setting& at) { return 2 * 4 * 6 * at.bytes * (at.devices() - 1); });
}

const char* const kLookup = R"(
func.func @main(%t: tensor<DEPTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}, %j: tensor<ROWSx1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>})
    -> (tensor<ROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %m = "stablehlo.gather"(%t, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<DEPTHx6xELEMENT>, tensor<ROWSx1xi32>) -> tensor<ROWSx6xELEMENT>
  return %m : tensor<ROWSx6xELEMENT>
})";

TEST_CASE("many lookups in a sharded table gather the table", "[families][traffic]") {
  check_family(
      "lookup",
      [](const Setting& at) {
        return filled(at, kLookup,
                      {{"ROWS", 12 * at.devices()}, {"DEPTH", at.sharded_size(at.devices(), 4)}});
      },
      [](const Setting& at) { return 4 * 6 * at.bytes * (at.devices() - 1); });
}

// One layer of weights that are sharded over layers.
const char* const kLayer = R"(
func.func @main(%w: tensor<LAYERSx6x6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}, {}]>}, %i: tensor<i32>) -> tensor<6x6xELEMENT> {
  %0 = stablehlo.constant dense<0> : tensor<i32>
  %1 = stablehlo.dynamic_slice %w, %i, %0, %0, sizes = [1, 6, 6] : (tensor<LAYERSx6x6xELEMENT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6xELEMENT>
  %2 = stablehlo.reshape %1 : (tensor<1x6x6xELEMENT>) -> tensor<6x6xELEMENT>
  return %2 : tensor<6x6xELEMENT>
})";

TEST_CASE("one layer of a stack that is sharded over layers is summed over its owners",
          "[families][traffic]") {
  check_family(
      "layer",
      [](const Setting& at) {
        return filled(at, kLayer, {{"LAYERS", at.sharded_size(at.devices(), 2)}});
      },
      [](const Setting& at) {
        // No device knows in advance which one sends: each sends its share of a sum, in both halves
        // of an all-reduce.
        return 2 * tile_of(6 * 6, at.devices()) * at.bytes * (at.devices() - 1);
      });
}

// Tokens that are sorted by expert, multiplied by the weights of their experts, and scattered back.
const char* const kSortedTokens = R"(
func.func @main(%x: tensor<TOKENSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}, %e: tensor<TOKENSxi32> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}]>},
    %w: tensor<EXPERTSx6x6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}, {}]>}) -> (tensor<TOKENSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %n = stablehlo.iota dim = 0 : tensor<TOKENSxi32>
  %s:2 = "stablehlo.sort"(%e, %n) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %l = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<TOKENSxi32>, tensor<TOKENSxi32>) -> (tensor<TOKENSxi32>, tensor<TOKENSxi32>)
  %o = stablehlo.reshape %s#1 : (tensor<TOKENSxi32>) -> tensor<TOKENSx1xi32>
  %t = "stablehlo.gather"(%x, %o) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<TOKENSx6xELEMENT>, tensor<TOKENSx1xi32>) -> tensor<TOKENSx6xELEMENT>
  %zs = stablehlo.constant dense<0> : tensor<EXPERTSxi32>
  %one = stablehlo.constant dense<1> : tensor<TOKENSxi32>
  %er = stablehlo.reshape %e : (tensor<TOKENSxi32>) -> tensor<TOKENSx1xi32>
  %g = "stablehlo.scatter"(%zs, %er, %one) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %c : tensor<i32>
  }) : (tensor<EXPERTSxi32>, tensor<TOKENSx1xi32>, tensor<TOKENSxi32>) -> tensor<EXPERTSxi32>
  %y = "chlo.ragged_dot"(%t, %w, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<TOKENSx6xELEMENT>, tensor<EXPERTSx6x6xELEMENT>, tensor<EXPERTSxi32>) -> tensor<TOKENSx6xELEMENT>
  %z = stablehlo.constant dense<ZERO> : tensor<TOKENSx6xELEMENT>
  %r = "stablehlo.scatter"(%z, %o, %y) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<ELEMENT>, %b: tensor<ELEMENT>):
    stablehlo.return %b : tensor<ELEMENT>
  }) : (tensor<TOKENSx6xELEMENT>, tensor<TOKENSx1xi32>, tensor<TOKENSx6xELEMENT>) -> tensor<TOKENSx6xELEMENT>
  return %r : tensor<TOKENSx6xELEMENT>
})";

TEST_CASE("experts gather tokens and their numbers, and scatter the sums of results",
          "[families][traffic]") {
  check_family(
      "sorted-tokens",
      [](const Setting& at) {
        return filled(
            at, kSortedTokens,
            {{"TOKENS", at.sharded_size(at.devices(), 6)}, {"EXPERTS", 2 * at.devices()}});
      },
      [](const Setting& at) {
        // A device has 6 tokens of 6 features with their experts, which are gathered. The counts of
        // 2 experts per device are summed. The reduce-scatter of the results sends as much as the
        // gather of the tokens.
        const int64_t tokens = 6 * 6 * at.bytes;
        return (2 * tokens + 6 * 4 + 2 * 2 * 4) * (at.devices() - 1);
      });
}

// ---- Merged and split dims ----------------------------------------------------------------------

const char* const kMerged = R"(
func.func @main(%x: tensor<BATCHxLENGTHx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {Y}, {}]>}, %w: tensor<6x4xELEMENT>,
    %g: tensor<BATCHxLENGTHx4xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {Y}, {}]>})
    -> (tensor<BATCHxLENGTHx4xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {Y}, {}]>}, tensor<6x4xELEMENT>) {
  %0 = stablehlo.reshape %x : (tensor<BATCHxLENGTHx6xELEMENT>) -> tensor<MERGEDx6xELEMENT>
  %1 = stablehlo.negate %0 : tensor<MERGEDx6xELEMENT>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<MERGEDx6xELEMENT>, tensor<6x4xELEMENT>) -> tensor<MERGEDx4xELEMENT>
  %3 = stablehlo.reshape %2 : (tensor<MERGEDx4xELEMENT>) -> tensor<BATCHxLENGTHx4xELEMENT>
  %4 = stablehlo.reshape %g : (tensor<BATCHxLENGTHx4xELEMENT>) -> tensor<MERGEDx4xELEMENT>
  %5 = stablehlo.dot_general %1, %4, contracting_dims = [0] x [0] : (tensor<MERGEDx6xELEMENT>, tensor<MERGEDx4xELEMENT>) -> tensor<6x4xELEMENT>
  return %3, %5 : tensor<BATCHxLENGTHx4xELEMENT>, tensor<6x4xELEMENT>
})";

TEST_CASE("products with merged rows send only the sum of the weight gradient",
          "[families][traffic]") {
  check_family(
      "merged",
      [](const Setting& at) {
        const int64_t batch = at.sharded_size(at.x, 2);
        const int64_t length = 3 * at.y;
        return filled(at, kMerged,
                      {{"BATCH", batch}, {"LENGTH", length}, {"MERGED", batch * length}});
      },
      [](const Setting& at) {
        // The gradient is summed in blocks of equal numbers of elements.
        return 2 * tile_of(6 * 4, at.devices()) * at.bytes * (at.devices() - 1);
      });
}

const char* const kSplit = R"(
func.func @main(%x: tensor<4xCOLUMNSxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>})
    -> (tensor<4xGROUPSxWIDTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}, {}]>}) {
  %0 = stablehlo.reshape %x : (tensor<4xCOLUMNSxELEMENT>) -> tensor<4xGROUPSxWIDTHxELEMENT>
  return %0 : tensor<4xGROUPSxWIDTHxELEMENT>
})";

TEST_CASE("columns that are split into groups move only if the groups do not divide",
          "[families][traffic]") {
  check_family(
      "split",
      [](const Setting& at) {
        const int64_t groups = at.devices() + (at.is_even ? 0 : 2);
        const int64_t width = 4 * at.devices();
        return filled(at, kSplit,
                      {{"GROUPS", groups}, {"WIDTH", width}, {"COLUMNS", groups * width}});
      },
      [](const Setting& at) {
        // No device sends more than its columns.
        return at.is_even ? 0 : 4 * (at.devices() + 2) * 4 * at.bytes;
      });
}

// ---- Dims that change their axes ----------------------------------------------------------------

const char* const kHeads = R"(
func.func @main(%x: tensor<8x6xELEMENT>,
    %wq: tensor<6xFUSEDxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>},
    %wk: tensor<6xFUSEDxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>}) -> tensor<HEADSx8x8xELEMENT> {
  %q0 = stablehlo.dot_general %x, %wq, contracting_dims = [1] x [0] : (tensor<8x6xELEMENT>, tensor<6xFUSEDxELEMENT>) -> tensor<8xFUSEDxELEMENT>
  %k0 = stablehlo.dot_general %x, %wk, contracting_dims = [1] x [0] : (tensor<8x6xELEMENT>, tensor<6xFUSEDxELEMENT>) -> tensor<8xFUSEDxELEMENT>
  %q = stablehlo.reshape %q0 : (tensor<8xFUSEDxELEMENT>) -> tensor<8xHEADSxWIDTHxELEMENT>
  %k = stablehlo.reshape %k0 : (tensor<8xFUSEDxELEMENT>) -> tensor<8xHEADSxWIDTHxELEMENT>
  %s = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<8xHEADSxWIDTHxELEMENT>, tensor<8xHEADSxWIDTHxELEMENT>) -> tensor<HEADSx8x8xELEMENT>
  return %s : tensor<HEADSx8x8xELEMENT>
})";

TEST_CASE("fused heads that do not divide are gathered until they do", "[families][traffic]") {
  const auto heads = [](const Setting& at) {
    const int64_t devices = at.devices();
    if (at.is_even) return devices;
    return devices % 2 == 0 ? 3 * devices / 2 : devices + 1;
  };
  check_family(
      "heads",
      [&](const Setting& at) {
        const int64_t width = 2 * at.devices();
        return filled(at, kHeads,
                      {{"FUSED", heads(at) * width}, {"HEADS", heads(at)}, {"WIDTH", width}});
      },
      [&](const Setting& at) {
        // Queries and keys of 8 rows, within groups of devices that then have equal heads.
        const int64_t held = 8 * heads(at) * 2 * at.bytes;
        return 2 * held * (at.devices() / std::gcd(at.devices(), heads(at)) - 1);
      });
}

const char* const kSwapped = R"(
func.func @main(%a: tensor<ROWSxCOLUMNSxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {Y}]>}) -> (tensor<ROWSxCOLUMNSxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{Y}, {"x"}]>}) {
  %0 = stablehlo.add %a, %a : tensor<ROWSxCOLUMNSxELEMENT>
  return %0 : tensor<ROWSxCOLUMNSxELEMENT>
})";

TEST_CASE("two dims that swap their axes send each element once", "[families][traffic]") {
  const auto size = [](const Setting& at) { return at.sharded_size(16, 3); };
  check_family(
      "swapped",
      [&](const Setting& at) {
        return filled(at, kSwapped, {{"ROWS", size(at)}, {"COLUMNS", size(at)}});
      },
      [&](const Setting& at) {
        const int64_t held = tile_of(size(at), at.x) * tile_of(size(at), at.y) * at.bytes;
        return at.y > 1 ? held : held * (at.x - 1) / at.x;
      });
}

const char* const kBothToOne = R"(
func.func @main(%a: tensor<ROWSxCOLUMNSxDEPTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {Y}, {}]>}) -> (tensor<ROWSxCOLUMNSxDEPTHxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {AXES}]>}) {
  %0 = stablehlo.add %a, %a : tensor<ROWSxCOLUMNSxDEPTHxELEMENT>
  return %0 : tensor<ROWSxCOLUMNSxDEPTHxELEMENT>
})";

TEST_CASE("the axes of two dims move to a third one in one exchange", "[families][traffic]") {
  check_family(
      "both-to-one",
      [](const Setting& at) {
        return filled(at, kBothToOne,
                      {{"ROWS", at.sharded_size(at.x, 3)},
                       {"COLUMNS", 2 * at.y},
                       {"DEPTH", at.sharded_size(at.devices(), 3)}});
      },
      [](const Setting& at) { return 3 * 2 * 3 * at.bytes * (at.devices() - 1); });
}

const char* const kJoined = R"(
func.func @main(%a: tensor<3xSHORTxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>}, %b: tensor<3xLONGxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>})
    -> (tensor<3xJOINEDxELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {AXES}]>}) {
  %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<3xSHORTxELEMENT>, tensor<3xLONGxELEMENT>) -> tensor<3xJOINEDxELEMENT>
  return %0 : tensor<3xJOINEDxELEMENT>
})";

TEST_CASE("a short and a long value that are concatenated move to the tiles of the result",
          "[families][traffic]") {
  check_family(
      "joined",
      [](const Setting& at) {
        const int64_t wide = at.sharded_size(at.devices(), 15);
        return filled(at, kJoined,
                      {{"SHORT", at.devices()}, {"LONG", wide}, {"JOINED", at.devices() + wide}});
      },
      [](const Setting& at) {
        // The short value has one column per device and is gathered in one collective: to send it
        // to the first device alone would take a permute per device. The long value shifts by at
        // most one column less than the short one has.
        return 3 * 2 * (at.devices() - 1) * at.bytes;
      });
}

// ---- Values made of constants -------------------------------------------------------------------

const char* const kCounted = R"(
func.func @main(%a: tensor<ROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) -> (tensor<ROWSx6xELEMENT> {sdy.sharding = #sdy.sharding<@mesh, [{AXES}, {}]>}) {
  %0 = stablehlo.iota dim = 0 : tensor<ROWSx6xELEMENT>
  %1 = stablehlo.iota dim = 1 : tensor<ROWSx6xELEMENT>
  %2 = stablehlo.multiply %0, %1 : tensor<ROWSx6xELEMENT>
  %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}]> : tensor<ROWSx6xELEMENT>
  %4 = stablehlo.slice %3 [1:ROWS, 0:6] : (tensor<ROWSx6xELEMENT>) -> tensor<FEWERx6xELEMENT>
  %5 = stablehlo.slice %3 [0:1, 0:6] : (tensor<ROWSx6xELEMENT>) -> tensor<1x6xELEMENT>
  %6 = stablehlo.concatenate %4, %5, dim = 0 : (tensor<FEWERx6xELEMENT>, tensor<1x6xELEMENT>) -> tensor<ROWSx6xELEMENT>
  %7 = stablehlo.add %6, %a : tensor<ROWSx6xELEMENT>
  return %7 : tensor<ROWSx6xELEMENT>
})";

TEST_CASE("values made of iotas are not sent", "[families][traffic]") {
  check_family(
      "counted",
      [](const Setting& at) {
        const int64_t rows = at.sharded_size(at.devices(), 3);
        return filled(at, kCounted, {{"ROWS", rows}, {"FEWER", rows - 1}});
      },
      [](const Setting&) { return 0; });
}

}  // namespace

}  // namespace data_families_test

// One question to type inference with its answer.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module_maker.hpp"
#include "shardy/ir/op_definition.hpp"
#include "shardy/ir/verify.hpp"

namespace shardy_test {

/// An op in a module of ModuleMaker. Either `error` is its message, without the name of the op in
/// front, or `types` are the types of its results.
struct InferRow {
  std::string name;
  OpKind kind;
  std::vector<std::string> operands = {};
  AttributeMap attributes = {};
  std::vector<std::string> results = {};  // as written
  std::vector<RegionText> regions = {};
  std::string types = {};
  std::string error = {};
};

/// Infers the types of the row's op with these written types.
inline Result<std::vector<Type>> infer_row(const InferRow& row,
                                           const std::vector<std::string>& results) {
  ModuleMaker maker;
  OpSpec spec{.kind = row.kind, .attributes = row.attributes};
  for (const std::string& type : row.operands) spec.operands.push_back(maker.argument(type));
  for (const RegionText& region : row.regions) spec.regions.push_back(maker.region(region));
  spec.result_types = types_of(results);
  return infer_result_types(maker.module, spec);
}

inline void check_row(const InferRow& row) {
  const Result<std::vector<Type>> inferred = infer_row(row, row.results);
  const std::string op_name(info(row.kind).name);
  CAPTURE(op_name, row.name);
  if (!row.error.empty()) {
    CHECK(message_of(inferred) == "'" + op_name + "' op " + row.error);
  } else {
    CHECK(message_of(inferred) == "(no error)");
    if (inferred) CHECK(to_string(*inferred) == row.types);
  }
}

inline void check_rows(std::span<const InferRow> rows) {
  for (const InferRow& row : rows) check_row(row);
}

/// The kind has a row that succeeds and one that fails. Its written types are required if all of
/// its rows need them.
inline void check_covered(std::span<const InferRow> rows, OpKind kind) {
  const auto has = [&](bool fails) {
    return std::ranges::any_of(
        rows, [&](const InferRow& row) { return row.kind == kind && row.error.empty() != fails; });
  };
  CAPTURE(info(kind).name);
  CHECK(has(false));
  CHECK(has(true));
  // A reader does not know the meshes yet that the types of a manual computation depend on.
  if (kind == OpKind::SdyManualComputation) return;
  bool has_results = false;
  bool is_inferred = false;
  for (const InferRow& row : rows) {
    if (row.kind != kind || row.types.empty()) continue;
    has_results = true;
    is_inferred = is_inferred || infer_row(row, {}).has_value();
  }
  CHECK((!has_results || definition_of(kind).types_given != is_inferred));
}

/// Kinds whose written types are taken as they are: no type rule derives them from operands.
/// docs/mlir.md lists them.
constexpr bool is_written(OpKind kind) {
  using enum OpKind;
  constexpr auto kWritten = std::to_array<OpKind>({Composite,
                                                   CustomCall,
                                                   DynamicBroadcastInDim,
                                                   DynamicConv,
                                                   DynamicGather,
                                                   DynamicIota,
                                                   DynamicPad,
                                                   DynamicReshape,
                                                   Einsum,
                                                   RealDynamicSlice,
                                                   UnaryEinsum,
                                                   UniformDequantize,
                                                   UniformQuantize,
                                                   AsyncDone,
                                                   AsyncStart,
                                                   Infeed,
                                                   Recv,
                                                   ChloConstantLike,
                                                   ChloScan,
                                                   InterpreterRunParallel});
  return has_trait(kind, kStretching) || std::ranges::find(kWritten, kind) != kWritten.end();
}

using RowTables = std::vector<std::vector<InferRow>>;

// The rows of the kinds that share the range of stablehlo's tensor ops, from the file of that name.
RowTables gather_rows();
RowTables linear_rows();
RowTables structure_rows();
RowTables window_rows();

/// All kinds of a family, except those whose written types are taken as they are.
inline void check_family_covered(const RowTables& tables, std::string_view family) {
  std::vector<InferRow> rows;
  for (const auto& table : tables) rows.insert(rows.end(), table.begin(), table.end());
  std::size_t num_kinds = 0;
  for (std::size_t index = 0; index < kNumKnownOps; ++index) {
    const auto kind = static_cast<OpKind>(index);
    if (definition_of(kind).family != family) continue;
    ++num_kinds;
    if (!is_written(kind)) check_covered(rows, kind);
  }
  CHECK(num_kinds > 0);
}

}  // namespace shardy_test

// One question to type inference with its answer.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ir/module_maker.hpp"
#include "shardy/ir/infer.hpp"

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

inline void check_row(const InferRow& row) {
  ModuleMaker maker;
  OpSpec spec{.kind = row.kind, .attributes = row.attributes};
  for (const std::string& type : row.operands) spec.operands.push_back(maker.argument(type));
  for (const RegionText& region : row.regions) spec.regions.push_back(maker.region(region));
  spec.result_types = types_of(row.results);
  const Result<std::vector<Type>> inferred = infer_result_types(maker.module, spec);
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

/// Every kind from `first` to before `end` has a row that succeeds and one that fails.
inline void check_covered(std::span<const InferRow> rows, OpKind first, OpKind end) {
  for (auto index = static_cast<std::size_t>(first); index < static_cast<std::size_t>(end);
       ++index) {
    const OpKind kind = static_cast<OpKind>(index);
    const auto has = [&](bool fails) {
      return std::ranges::any_of(rows, [&](const InferRow& row) {
        return row.kind == kind && row.error.empty() != fails;
      });
    };
    CAPTURE(info(kind).name);
    CHECK(has(false));
    CHECK(has(true));
  }
}

/// Kinds whose written types stand: what follows from operands and attributes is not modelled.
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
                                                   Rng,
                                                   RngBitGenerator,
                                                   TorchIndexSelect,
                                                   UnaryEinsum,
                                                   UniformDequantize,
                                                   UniformQuantize,
                                                   AsyncDone,
                                                   AsyncStart,
                                                   Infeed,
                                                   Recv,
                                                   ChloConstantLike,
                                                   ChloRaggedDot,
                                                   ChloScan,
                                                   InterpreterRunParallel});
  return (kind >= ChloBroadcastAdd && kind <= ChloBroadcastZeta) ||
         std::ranges::find(kWritten, kind) != kWritten.end();
}

using RowTables = std::vector<std::vector<InferRow>>;

// The rows of the kinds that share the range of stablehlo's tensor ops, from the file of that name.
RowTables gather_rows();
RowTables linear_rows();
RowTables structure_rows();
RowTables window_rows();

/// As check_covered of several tables, but for the kinds whose written types stand.
inline void check_all_covered(const RowTables& tables, OpKind first, OpKind end) {
  std::vector<InferRow> rows;
  for (const auto& table : tables) rows.insert(rows.end(), table.begin(), table.end());
  for (auto index = static_cast<std::size_t>(first); index < static_cast<std::size_t>(end);
       ++index) {
    const OpKind kind = static_cast<OpKind>(index);
    if (!is_written(kind)) check_covered(rows, kind, static_cast<OpKind>(index + 1));
  }
}

}  // namespace shardy_test

// Names of SSA values of MLIR text and where they are visible. Spec: stablehlo 6.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardy/ir/op_table.hpp"

namespace shardy::text {

/// The values of a name, whose ids are consecutive. Without a first one: the results of an op with
/// an error, whose uses cause no further errors.
struct MlirNamedValues {
  ir::ValueId first = ir::ValueId();
  uint32_t count = 0;
  uint32_t begin = 0;  // of the name in the text
  uint32_t scope = 0;  // 0: not visible

  bool is_broken() const { return !first.valid(); }
};

/// Visible from the definition to the end of the scope, and inside of it unless a scope is
/// isolated. Names are views of the text. Each has a slot; numbers, which most names are, are that
/// of their slots, so that they need no hashing.
class MlirValueNames {
 public:
  /// Bounds the table of numbers by the size of the text: a text has fewer values than characters.
  explicit MlirValueNames(std::size_t text_size)
      : max_number_(static_cast<uint32_t>(std::min<std::size_t>(text_size / 8 + 16, 1U << 20U))) {}

  void open_scope(bool isolated);
  void close_scope();

  /// False if the name is visible already.
  bool define(std::string_view name, MlirNamedValues values);
  /// Returns the values of the name in this scope, or null.
  const MlirNamedValues* find(std::string_view name) const;
  /// Names that stand for something here, in order; numbers, which are all alike, are left out.
  std::vector<std::string_view> visible() const;

 private:
  struct Scope {
    std::size_t num_changes;  // before it
    uint32_t floor;           // the outermost scope that is visible from here
  };
  struct Change {
    uint32_t slot;
    MlirNamedValues before;
  };

  /// Returns max_number_ if the name is not a plain number, or a larger one.
  uint32_t number_of(std::string_view name) const;
  /// The slot of the name; makes it if there is none.
  uint32_t slot_of(std::string_view name);
  MlirNamedValues& at(uint32_t slot) {
    return slot < max_number_ ? numbered_[slot] : named_[slot - max_number_];
  }

  uint32_t max_number_;
  std::vector<MlirNamedValues> numbered_;
  std::unordered_map<std::string_view, uint32_t> slots_;  // of names other than numbers
  std::vector<MlirNamedValues> named_;                    // at slot - max_number_
  std::vector<Scope> scopes_;
  std::vector<Change> changes_;
};

}  // namespace shardy::text

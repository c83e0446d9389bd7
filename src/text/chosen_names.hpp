// The names of values in printed text that keeps the names of the source. Spec: docs/mlir.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "shardy/ir/module.hpp"
#include "text/scoped_names.hpp"

namespace shardy::text {

/// A name for each value of a module, computed from its structure and the source names. A value
/// with a source name keeps it. Other values are named after the value from which they derive and
/// the applied op, such as `16_gathered`, or by a number that no source value has.
class ChosenNames {
 public:
  /// The characters of names. Any: for JSON. Mlir: only characters allowed after `%`, so
  /// `_16_gathered` and `my_value`.
  enum class Characters : uint8_t { Any, Mlir };

  ChosenNames(const ir::Module& module, Characters characters);

  /// Returns the name without `%`, such as `x` or `x#1`; empty for a value that is not in the
  /// module.
  std::string name(ir::ValueId value) const {
    std::string text;
    append_name(text, value);
    return text;
  }
  /// Appends the name that `name` returns.
  void append_name(std::string& out, ir::ValueId value) const;
  /// Returns true if the results of the op share one name, `x`, and are `x#0`, `x#1`, ...
  bool names_group(ir::OpId op) const;
  /// Returns the name of the group, or of the only result.
  std::string group_name(ir::ValueId value) const {
    std::string text;
    append_group_name(text, value);
    return text;
  }
  /// Appends the name that `group_name` returns.
  void append_group_name(std::string& out, ir::ValueId value) const;

 private:
  enum class NameOrigin : uint32_t { None, Source, Own };
  /// A name. Most names are stored in the module and use none of the characters here.
  struct ChosenName {
    uint32_t kind : 2 = 0;
    uint32_t in_group : 1 = 0;
    uint32_t size : 29 = 0;
    uint32_t begin = 0;  // index in characters_
  };
  /// A set of names, stored as hashes, and of plain numbers, stored as bits. A name with a known
  /// hash counts as present: a new name may be rejected without need, but no name is assigned
  /// twice.
  class NameSet {
   public:
    /// Adds the name. Returns false if it was present.
    bool insert(std::string_view name);

   private:
    std::unordered_set<std::size_t> hashes_;  // never iterated
    std::vector<bool> numbers_;
  };
  struct PendingRegion {
    ir::RegionId region;
    ir::OpId owner;
    bool closes = false;  // the names of the region end their scope
  };

  void reserve(ir::OpId function);
  void reserve_arguments(ir::OpId op);
  void reserve_results(ir::OpId op);
  void reserve_value(ir::ValueId value);
  void reserve_name(std::string_view name);
  bool reads_plain_name(ir::ValueId value);
  void name_function(ir::OpId function);
  void open_region(const PendingRegion& pending);
  void visit_regions_in(ir::RegionId outer, bool with_functions);
  void share_loop_names(const PendingRegion& pending);
  void name_source_values(ir::RegionId region);
  void name_new_values(const PendingRegion& pending);
  void name_source_results(ir::OpId op);
  void name_source_value(ir::ValueId value);
  void name_new_results(ir::OpId op);
  bool shares_one_name(ir::OpId op) const;
  std::string spelled(std::string_view name) const;
  std::string made_of(const std::string& base, std::string_view word) const;
  std::string derived_name(ir::OpId op);
  std::string base_of(ir::OpId op) const;
  std::string visible(std::string name);
  std::string unheard(std::string name);
  std::string next_number() { return std::to_string(next_number_++); }
  ChosenName entry_of(ir::ValueId value, std::string_view name);
  bool is_named(ir::ValueId value) const { return names_[value.index()].kind != 0; }
  void set(ir::ValueId value, std::string_view name);
  void set_group(ir::OpId op, std::string_view name);

  const ir::Module& module_;
  Characters characters_kind_;
  std::vector<ChosenName> names_;  // by value id
  std::vector<uint32_t> roots_;    // by value id: the source value from which the value derives
  std::vector<bool> is_plain_;     // by value id: results of reads_plain_name
  std::string characters_;         // characters of names that the module does not have
  std::string read_;               // the name that reads_plain_name has read
  std::vector<PendingRegion> pending_;
  NameSet reserved_;  // names of the function
  // Names that several values of the function have; never iterated.
  std::unordered_set<std::string> repeated_;
  // The repeated names that are visible at the current position.
  ScopedNames<std::string, std::monostate> visible_;
  std::unordered_map<std::string, uint32_t> next_copy_;  // next number after a name; never iterated
  uint64_t next_number_ = 0;
};

// The names of values in printed MLIR text. Spec: stablehlo 13.2.

/// Names of all values of a module, computed only from its structure; with `keeps_names`, from the
/// source names, too.
class MlirSsaNames {
 public:
  explicit MlirSsaNames(const ir::Module& module, bool keeps_names = false);

  /// Appends a name such as `%3`, `%3#1`, `%arg0` or `%cst_4`.
  void append(std::string& out, ir::ValueId value) const;
  /// Appends the names of an op's results, such as `%3:2` or `%values, %indices`.
  void append_results(std::string& out, ir::OpId op) const;

 private:
  struct SsaName {
    uint32_t number = kNoNumber;
    uint8_t base = 0;      // index in kBases
    uint8_t in_group = 0;  // the value is one of several results with one name
  };
  /// The counters and the used bases. A nested region starts with a copy from the enclosing region.
  struct SsaCounters {
    uint32_t next = 0;
    uint32_t next_arg = 0;
    uint32_t next_conflict = 0;
    uint32_t taken = 0;
  };
  struct PendingSsaRegion {
    ir::RegionId region;
    ir::OpId owner;
    SsaCounters state;
  };
  static constexpr uint32_t kNoNumber = UINT32_MAX;

  void name_region(const PendingSsaRegion& pending);
  void name_arguments(ir::BlockId block, ir::OpId owner, bool is_entry, SsaCounters& state);
  void name_results(ir::OpId op, SsaCounters& state);
  void choose(ir::ValueId value, std::size_t base, SsaCounters& state);
  void set(ir::ValueId value, SsaName name);

  const ir::Module& module_;
  std::optional<ChosenNames> chosen_;
  std::vector<SsaName> names_;
  std::vector<PendingSsaRegion> pending_;
};

}  // namespace shardy::text

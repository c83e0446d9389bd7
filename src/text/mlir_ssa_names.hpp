// The names that values have in printed text. Spec: stablehlo 13.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "text/chosen_names.hpp"

namespace shardy::text {

/// Names of all values of a module, computed from its structure alone; with `keeps_names` from
/// those of the source as well.
class MlirSsaNames {
 public:
  explicit MlirSsaNames(const ir::Module& module, bool keeps_names = false);

  /// `%3`, `%3#1`, `%arg0`, `%cst_4`.
  void append(std::string& out, ir::ValueId value) const;
  /// The results of an op: `%3:2`, `%values, %indices`.
  void append_results(std::string& out, ir::OpId op) const;

 private:
  struct Name {
    uint32_t number = kNoNumber;
    uint8_t base = 0;      // in kBases
    uint8_t in_group = 0;  // one of several results under one name
  };
  /// Counters, and which bases are taken: a nested region starts with those of the one around it.
  struct State {
    uint32_t next = 0;
    uint32_t next_arg = 0;
    uint32_t next_conflict = 0;
    uint32_t taken = 0;
  };
  struct Pending {
    ir::RegionId region;
    ir::OpId owner;
    State state;
  };
  static constexpr uint32_t kNoNumber = UINT32_MAX;

  void name_region(const Pending& pending);
  void name_arguments(ir::BlockId block, ir::OpId owner, bool is_entry, State& state);
  void name_results(ir::OpId op, State& state);
  void choose(ir::ValueId value, std::size_t base, State& state);
  void set(ir::ValueId value, Name name);

  const ir::Module& module_;
  std::optional<ChosenNames> chosen_;
  std::vector<Name> names_;
  std::vector<Pending> pending_;
};

}  // namespace shardy::text

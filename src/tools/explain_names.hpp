// How users call the values of the program that they wrote.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/text/written_names.hpp"

namespace shardy::tools {

/// Names of the values of a program, as its text gives them.
class ExplainNames {
 public:
  using Group = text::WrittenNames::Group;

  /// `module` is what the text holds.
  ExplainNames(ir::Module module, text::WrittenNames written);

  /// `%12`, `%12#1`; of a value without a name `result 0 of stablehlo.add at 5:3`.
  std::string operator()(ir::ValueId value) const;
  /// Where a value stands: the function, then the op and the number of each region around it,
  /// `@f/%3/1`.
  std::string scope(ir::ValueId value) const;
  /// What `%12` stands for, at each place where that is a name: one that the text gives, else one
  /// that a printed program gives, else that of the value from which such a name is made, as
  /// `%16_gathered` is.
  std::vector<Group> find(std::string_view name) const;
  /// The results of the ops of a place: `model.py:31`, `12:7`, `/functions/0/body/3`, or a name
  /// that locations have, `embed`.
  std::vector<Group> find_place(std::string_view place) const;
  /// The function, without @, that a value stands in.
  std::string function_of(ir::ValueId value) const;

  const ir::Module& module() const { return module_; }

 private:
  std::string op_text(ir::OpId op) const;
  std::vector<Group> find_printed(std::string_view name) const;
  std::vector<Group> find_origin(std::string_view name) const;
  ir::OpId op_around(ir::ValueId value) const;

  ir::Module module_;
  text::WrittenNames written_;
  std::unordered_map<ir::RegionId, std::size_t> region_numbers_;  // inside of the op
};

}  // namespace shardy::tools

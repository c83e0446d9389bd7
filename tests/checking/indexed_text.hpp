// The text of a function of one op with sharded arguments and results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checking/indexed_programs.hpp"

namespace shardy_test {

using Dims = std::vector<int64_t>;

std::string list_text(const Dims& list);
std::string type_text(const Dims& dims, const std::string& element);

/// The choices for the sharding of an argument or a result. With fewer choices, a walk through all
/// of them ends in time.
enum class ShardingChoice : uint8_t {
  Any,
  Follows,  // as the first argument (or result) if the ranks are equal, else replicated
  Whole
};

/// An argument or a result.
struct Value {
  Dims dims;
  std::string element;
  int64_t bound = 0;  // bound of the indices
  ShardingChoice choice = ShardingChoice::Any;

  std::string type() const { return type_text(dims, element); }
};

/// Makes a function with these arguments around `body`, which defines %r. The shardings are chosen.
IndexedProgram function(Choices& choices, const std::vector<Value>& args,
                        const std::vector<Value>& results, const std::string& body);

/// Returns an element type that depends on `number`. It is not a choice, which would multiply the
/// length of a walk through all choices.
const std::string& any_element(int64_t number);
const std::string& index_element(int64_t number);
const std::string& one_of(const std::vector<std::string>& elements, int64_t number);

}  // namespace shardy_test

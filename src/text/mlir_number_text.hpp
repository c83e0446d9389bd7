// Integers and lists appended to MLIR text.
#pragma once

#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute.hpp"

namespace shardy::text {

inline void append_integer(std::string& out, int64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  out.append(buffer, end);
}

inline void append_unsigned(std::string& out, uint64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  out.append(buffer, end);
}

inline void append_integer_of(std::string& out, int64_t value, ir::ElementType type) {
  if (ir::is_boolean(type)) {
    out += value != 0 ? "true" : "false";
  } else if (ir::is_unsigned_integer(type)) {
    append_unsigned(out, static_cast<uint64_t>(value));
  } else {
    append_integer(out, value);
  }
}

inline SpelledAllToAlls params_of(const ir::SpelledAllToAllAttr& attribute) {
  SpelledAllToAlls params;
  for (const ir::SpelledAllToAllParam& param : attribute.params) {
    params.push_back({param.axes, param.source_dim, param.target_dim});
  }
  return params;
}

}  // namespace shardy::text

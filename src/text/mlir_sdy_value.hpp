// Values of the algebra inside of MLIR text.
#pragma once

#include "shardy/algebra/text.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

/// The value that comes next, in its short form, its long form or as an alias.
template <class T>
std::optional<T> MlirAttributeReader::sdy_value() {
  Scanner scanner(cursor_.text());
  scanner.seek(cursor_.position());
  Result<T> value = read_value<T>(scanner, &alias_texts_);
  if (value) {
    cursor_.seek(scanner.raw_position());
    return *std::move(value);
  }
  fail_like(value.error());
  return std::nullopt;
}

}  // namespace shardy::text

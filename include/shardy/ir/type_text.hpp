// The text of types, both ways.
#pragma once

#include <cstddef>
#include <shardy/ir/element_type.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::ir {

namespace detail {

/// Prints without recursion: tuples and function types nest as deep as their reader allowed.
class TypePrinter {
 public:
  std::string print(const Type& type);

 private:
  struct Piece {
    const Type* type;
    std::string_view text;
  };

  void print_one(const Type& type);

  void print_tensor(const TensorType& tensor);

  void print_function(const FunctionType& function);

  /// Pushes a piece; the last one is printed first.
  void push(Piece before, std::span<const Type> types, Piece after);

  std::string text_;
  std::vector<Piece> pending_;
};

}  // namespace detail

/// `tensor<4x?xf32>`, `!stablehlo.token`, `tuple<T, U>`, `(T, U) -> V`, `i64`, or opaque text.
inline std::string to_string(const Type& type) { return detail::TypePrinter().print(type); }

/// `tensor<4xf32>, tensor<i1>`.
std::string to_string(const std::vector<Type>& types);

/// Reads one type at `position` of `text` and moves `position` after it. The place in an error is
/// `1:<column>`, counted from the start of `text`.
Result<Type> parse_type_prefix(std::string_view text, std::size_t& position);

/// Parses a type; parse_type(to_string(t)) == t. Errors: no type, more text after
/// it, sizes that Type::make_tensor refuses, more than 64 levels of nesting.
Result<Type> parse_type(std::string_view text);

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/type_text_inl.hpp>
#endif

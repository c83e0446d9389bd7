// How much types and attributes hold that aliases put together.
#pragma once

#include <cstddef>
#include <string>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/type.hpp"

namespace shardy::text {

/// Counts the parts of a value up to a limit, where each use of an alias counts with all its parts.
/// Aliases of aliases share their values, so a short text may denote a value that is too large to
/// print, compare or traverse.
class AliasExtent {
 public:
  /// Values may have as many parts as their text has characters, and a few thousand more.
  explicit AliasExtent(std::size_t text_size) : left_(text_size + kMoreParts) {}

  /// Returns the error about the value; empty if it is within the limit.
  std::string error_of(const ir::Type& type) { return add(type, 0) ? std::string() : error_; }
  std::string error_of(const ir::Attribute& attribute) {
    return add(attribute, 0) ? std::string() : error_;
  }

 private:
  static constexpr std::size_t kMoreParts = 4096;
  static constexpr int kDeepestType = 64;
  static constexpr int kDeepestAttribute = 200;

  bool take(int depth, int deepest, const char* what);
  bool add(const ir::Type& type, int depth);
  bool add(const ir::Attribute& attribute, int depth);

  std::size_t left_;
  std::string error_;
};

}  // namespace shardy::text

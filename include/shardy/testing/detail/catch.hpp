// Catch2 of either version, as far as matchers and texts of values need it.
#pragma once

#if __has_include(<catch2/matchers/catch_matchers_templated.hpp>)
#include <catch2/catch_tostring.hpp>
#include <catch2/matchers/catch_matchers_templated.hpp>
#else
#include <catch2/catch.hpp>
#endif
#include <string>
#include <utility>

namespace shardy::testing::detail {

#if __has_include(<catch2/matchers/catch_matchers_templated.hpp>)
using AnyMatcher = Catch::Matchers::MatcherGenericBase;
#else
using AnyMatcher = Catch::Matchers::Impl::MatcherUntypedBase;
#endif

/// A matcher of values that `Derived::difference` takes: it returns the differences to the wanted
/// value, one per line; empty without any.
template <class Derived>
class Matcher : public AnyMatcher {
 public:
  template <class T>
  bool match(const T& value) const {
    difference_ = static_cast<const Derived&>(*this).difference(value);
    return difference_.empty();
  }
  std::string describe() const override {
    std::string text = static_cast<const Derived&>(*this).wanted();
    if (!difference_.empty()) text += ", but\n" + difference_;
    return text;
  }

 private:
  mutable std::string difference_;
};

/// One line of a difference: `dim 1: {} instead of {"x"}`.
inline void add_line(std::string& difference, std::string_view what, std::string_view got,
                     std::string_view wanted) {
  if (got == wanted) return;
  if (!difference.empty()) difference += '\n';
  difference += "  ";
  difference += what;
  difference += ": ";
  difference += got;
  difference += " instead of ";
  difference += wanted;
}

/// Returns the mismatch of a missing value.
inline std::string no_value(std::string_view what) { return "  found " + std::string(what); }

}  // namespace shardy::testing::detail

// Comparisons by the million.
#pragma once

#include <cstdint>

#include "support/catch.hpp"

namespace shardy_test {

/// Counts what was compared, and reports only where the algebra and the model differ: each
/// CHECK costs more than most of what is compared here.
class Comparison {
 public:
  template <class T, class Subject>
  void same(const char* what, const T& algebra, const T& model, const Subject& of) {
    ++count_;
    if (algebra == model) return;
    CAPTURE(what, of);
    CHECK(algebra == model);
  }
  int64_t count() const { return count_; }

 private:
  int64_t count_ = 0;
};

}  // namespace shardy_test

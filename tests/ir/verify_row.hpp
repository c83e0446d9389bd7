// One module with the expected diagnostics of the verifier.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/module_maker.hpp"
#include "shardy/ir/verify.hpp"

namespace shardy_test {

/// "op 2: 'sdy.reshard' op unknown mesh: @q"
inline std::vector<std::string> located(const shardy::Diagnostics& errors) {
  std::vector<std::string> texts;
  for (const shardy::Error& error : errors)
    texts.push_back(error.location.text() + ": " + error.message);
  return texts;
}

/// `make` fills @main, all but its return.
struct VerifyRow {
  std::string name;
  std::function<void(ModuleMaker&)> make;
  std::vector<std::string> errors = {};
};

inline void check_rows(std::span<const VerifyRow> rows) {
  for (const VerifyRow& row : rows) {
    ModuleMaker maker;
    row.make(maker);
    maker.finish();
    CAPTURE(row.name);
    CHECK(located(verify(maker.module)) == row.errors);
  }
}

}  // namespace shardy_test

// Types that C gives as text.
#pragma once

#include "c_api/answer.hpp"
#include "shardy/ir/type.hpp"

namespace shardy::c_api {

/// `tensor<8x16xf32>` or `8x16xf32`. Errors: null; no tensor type of known sizes.
Answer<ir::Type> read_type(const char* text, const char* field);

}  // namespace shardy::c_api

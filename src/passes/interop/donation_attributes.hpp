// Attributes of arguments that donate their buffers to results.
#pragma once

#include <string_view>

namespace shardy::passes {

/// Number of the result that takes the buffer: `0 : i32`.
inline constexpr std::string_view kAliasingOutputAttr = "tf.aliasing_output";
/// True: any result of equal type may take the buffer.
inline constexpr std::string_view kBufferDonorAttr = "jax.buffer_donor";

}  // namespace shardy::passes

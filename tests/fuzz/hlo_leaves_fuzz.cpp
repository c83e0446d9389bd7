// The reader turns any text into the shardings of an op's results (text V1 to V3, or protobuf
// bytes), or into an error. If a text is read, printing the result and reading it again gives the
// same shardings. Spec: interop 2.2 to 2.4.
#include <cstdint>
#include <shardy/algebra/detail/hlo_leaves.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "fuzz/check.hpp"

namespace {

using namespace shardy;

std::string text_of(const HloLeaf& leaf) {
  return std::visit([](const auto& each) { return to_string(each); }, leaf);
}

std::string text_of(const HloLeaves& leaves) {
  if (!leaves.is_tuple) return text_of(leaves.leaves.front());
  std::string text = "{";
  for (const HloLeaf& leaf : leaves.leaves) text += (text.size() > 1 ? ", " : "") + text_of(leaf);
  return text + "}";
}

void check_leaves(const HloLeaves& leaves, std::string_view text) {
  fuzz::check(leaves.is_tuple || leaves.leaves.size() == 1, "one leaf or a tuple", text);
  const std::string printed = text_of(leaves);
  const Result<HloLeaves> again = parse_hlo_leaves(printed);
  fuzz::check(again.has_value(), "what is printed is read", printed);
  fuzz::check(again->leaves == leaves.leaves, "parse(print(x)) == x", printed);
  for (const HloLeaf& leaf : leaves.leaves) {
    const auto* hlo = std::get_if<HloSharding>(&leaf);
    if (hlo != nullptr) static_cast<void>(reduction_of_metadata(*hlo));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<HloLeaves> leaves = parse_hlo_leaves(text);
  if (leaves) {
    check_leaves(*leaves, text);
  } else {
    fuzz::check(!leaves.error().message.empty(), "an error has a message", text);
  }
  const Result<HloLeaves> message = read_hlo_message(text);
  if (message) check_leaves(*message, text);
  return 0;
}

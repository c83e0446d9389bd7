// Random bits against published vectors. Spec: stablehlo 27.
#include "simulation/run_text.hpp"
#include "simulation/text_programs.hpp"

namespace shardy_test::rng_bit_generator_test {
namespace {

struct Bits {
  Tensor state;
  Tensor output;
};

Bits random_bits(const std::string& algorithm, const std::vector<uint64_t>& state,
                 const std::string& type) {
  const std::string state_type = "tensor<" + std::to_string(state.size()) + "xui64>";
  const Tensors got = run_line("%0:2 = stablehlo.rng_bit_generator %a, algorithm = " + algorithm +
                                   " : (" + state_type + ") -> (" + state_type + ", " + type + ")",
                               {bits<uint64_t>(ElementType::UI64, state)}, {state_type, type});
  return {got[0], got[1]};
}

template <typename T>
std::vector<T> elements(const Tensor& tensor) {
  const auto values = tensor.elements<T>();
  return {values.begin(), values.end()};
}

TEST_CASE("THREE_FRY gives the published words", "[simulation][kernels][rng]") {
  struct Vector {
    uint64_t key, counter;
    std::vector<uint32_t> words;
  };
  const std::vector<Vector> vectors = {
      {0, 0, {0x6b200159, 0x99ba4efe}},
      {~uint64_t{0}, ~uint64_t{0}, {0x1cb996fc, 0xbb002be7}},
      {0x0370734413198a2e, 0x85a308d3243f6a88, {0xc4923a9c, 0x483df7a0}}};
  for (const Vector& each : vectors) {
    const Bits got = random_bits("THREE_FRY", {each.key, each.counter}, "tensor<2xui32>");
    CHECK(elements<uint32_t>(got.output) == each.words);
    CHECK(elements<uint64_t>(got.state) == std::vector<uint64_t>{each.key, each.counter + 1});
  }
}

TEST_CASE("THREE_FRY gives the expected words for each element width and shape",
          "[simulation][kernels][rng]") {
  const Bits one = random_bits("THREE_FRY", {3, 3}, "tensor<1xui64>");
  CHECK(elements<uint64_t>(one.output) == std::vector<uint64_t>{3349939604322698703U});
  CHECK(elements<uint64_t>(one.state) == std::vector<uint64_t>{3, 4});
  CHECK(elements<uint64_t>(random_bits("THREE_FRY", {1, 2}, "tensor<2x2xui64>").output) ==
        std::vector<uint64_t>{9236835810183407956U, 16087790271692313299U, 18212823393184779219U,
                              2658481902456610144U});
  const Bits words = random_bits("THREE_FRY", {3, 3}, "tensor<2x3xui32>");
  const std::vector<uint32_t> expected = {1185596879, 555017538,  1109507171,
                                          779968594,  3728210106, 3604763515};
  CHECK(elements<uint32_t>(words.output) == expected);
  CHECK(elements<uint64_t>(words.state) == std::vector<uint64_t>{3, 6});
  // Narrow elements take the low bits of the same words; floats take them as they are.
  std::vector<uint8_t> bytes;
  for (const uint32_t word : expected) bytes.push_back(static_cast<uint8_t>(word));
  CHECK(elements<uint8_t>(random_bits("THREE_FRY", {3, 3}, "tensor<2x3xui8>").output) == bytes);
  CHECK(elements<uint32_t>(random_bits("THREE_FRY", {3, 3}, "tensor<2x3xf32>").output) == expected);
  CHECK(elements<uint16_t>(random_bits("THREE_FRY", {3, 3}, "tensor<2x3xi16>").output)[0] ==
        static_cast<uint16_t>(expected[0]));
  // The first even dim is the one that is split: here the second.
  const auto wide = elements<uint32_t>(random_bits("THREE_FRY", {3, 3}, "tensor<3x2xui32>").output);
  CHECK(wide == std::vector<uint32_t>{1185596879, 779968594, 555017538, 3728210106, 1109507171,
                                      3604763515});
  // No even dim: the first of the largest ones, and the last word is dropped.
  const Bits odd = random_bits("THREE_FRY", {3, 3}, "tensor<3xui32>");
  CHECK(elements<uint32_t>(odd.output) == std::vector<uint32_t>{1185596879, 779968594, 555017538});
  CHECK(elements<uint64_t>(odd.state) == std::vector<uint64_t>{3, 5});
  CHECK(elements<uint32_t>(random_bits("THREE_FRY", {3, 3}, "tensor<ui32>").output) ==
        std::vector<uint32_t>{1185596879});
  const Bits none = random_bits("THREE_FRY", {3, 3}, "tensor<0xui32>");
  CHECK(elements<uint64_t>(none.state) == std::vector<uint64_t>{3, 3});
}

TEST_CASE("PHILOX gives the published words", "[simulation][kernels][rng]") {
  CHECK(elements<uint32_t>(random_bits("PHILOX", {0, 0, 0}, "tensor<4xui32>").output) ==
        std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const uint64_t ones = ~uint64_t{0};
  const Bits all_ones = random_bits("PHILOX", {ones, ones, ones}, "tensor<4xui32>");
  CHECK(elements<uint32_t>(all_ones.output) ==
        std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(elements<uint64_t>(all_ones.state) == std::vector<uint64_t>{ones, 0, 0});  // carries
  CHECK(elements<uint32_t>(
            random_bits("PHILOX", {0x299f31d0a4093822, 0x85a308d3243f6a88, 0x0370734413198a2e},
                        "tensor<4xui32>")
                .output) == std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("PHILOX gives the expected words for each element width and state size",
          "[simulation][kernels][rng]") {
  const std::vector<uint32_t> words = {0x74a851f1, 0xc4a35ba8, 0x82800aa7,
                                       0xaf5f7739, 0xf093503c, 0xcdb47eb1};
  for (const std::string algorithm : {"PHILOX", "DEFAULT"}) {
    const Bits got = random_bits(algorithm, {5, 7}, "tensor<6xui32>");
    CHECK(elements<uint32_t>(got.output) == words);
    CHECK(elements<uint64_t>(got.state) == std::vector<uint64_t>{5, 9});
  }
  const Bits wide = random_bits("PHILOX", {5, 7}, "tensor<3xui64>");
  CHECK(elements<uint64_t>(wide.output) ==
        std::vector<uint64_t>{0xc4a35ba874a851f1, 0xaf5f773982800aa7, 0xcdb47eb1f093503c});
  CHECK(elements<uint64_t>(wide.state) == std::vector<uint64_t>{5, 9});
  CHECK(elements<uint16_t>(random_bits("PHILOX", {5, 7}, "tensor<2xbf16>").output) ==
        std::vector<uint16_t>{0x51f1, 0x5ba8});
  CHECK(elements<uint8_t>(random_bits("PHILOX", {5, 7}, "tensor<2x1xui8>").output) ==
        std::vector<uint8_t>{0xf1, 0xa8});
}

TEST_CASE("a state of another type is an error that names the types of the algorithm",
          "[simulation][kernels][rng]") {
  const auto message = [](const std::string& algorithm, const std::string& state) {
    const Module module = parse_program(
        "func.func @main(%a: " + state + ") -> tensor<4xui32> {\n" +
        "  %0:2 = stablehlo.rng_bit_generator %a, algorithm = " + algorithm + " : (" + state +
        ") -> (" + state + ", tensor<4xui32>)\n  return %0#1 : tensor<4xui32>\n}");
    const shardy::ir::OpId op = module.first_op(module.entry(*module.main_function()));
    const auto kernel = shardy::simulation::make_kernel({.module = module, .op = op});
    return kernel ? std::string() : kernel.error().message;
  };
  CHECK(message("DEFAULT", "tensor<4xui32>") ==
        "stablehlo.rng_bit_generator: the state has the type tensor<4xui32>; DEFAULT takes "
        "tensor<2xui64> or tensor<3xui64>");
  CHECK(message("THREE_FRY", "tensor<3xui64>") ==
        "stablehlo.rng_bit_generator: the state has the type tensor<3xui64>; THREE_FRY takes "
        "tensor<2xui64>");
  CHECK(message("PHILOX", "tensor<3xui64>").empty());
}

}  // namespace
}  // namespace shardy_test::rng_bit_generator_test

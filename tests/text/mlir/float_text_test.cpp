// Floats as MLIR prints them. Expected values: spec stablehlo 13.3, and what mlir-opt 14 prints.
#include <cstdint>
#include <string>

#include "shardy/ir/detail/number.hpp"
#include "support/catch.hpp"
#include "text/bytes_text.hpp"

namespace shardy::text::float_text_test {
namespace {

using ir::ElementType;

std::string text_of(double value, ElementType type) {
  return float_text(ir::encode(value, type), type);
}
std::string text_of_bits(uint64_t bits, ElementType type) {
  std::vector<std::byte> bytes(ir::size_bytes(type));
  ir::detail::store_bits(bytes, bits);
  return float_text(bytes, type);
}

TEST_CASE("a float prints with six digits if six digits are exact", "[text][mlir]") {
  CHECK(text_of(0, ElementType::F32) == "0.000000e+00");
  CHECK(text_of(-0.0, ElementType::F64) == "-0.000000e+00");
  CHECK(text_of(0.1, ElementType::F32) == "1.000000e-01");
  CHECK(text_of(123456, ElementType::F32) == "1.234560e+05");
  CHECK(text_of(0.7, ElementType::BF16) == "6.992180e-01");
  CHECK(text_of(3.14, ElementType::BF16) == "3.140630e+00");
  CHECK(text_of(0.1, ElementType::F16) == "9.997550e-02");
}

TEST_CASE("a float that needs more digits prints all its digits or its bits", "[text][mlir]") {
  CHECK(text_of(0.7, ElementType::F32) == "0.699999988");
  CHECK(text_of(1.0 / 3, ElementType::F32) == "0.333333343");
  CHECK(text_of(12345.678, ElementType::F32) == "12345.6777");
  CHECK(text_of(1e-5, ElementType::F32) == "9.99999974E-6");
  CHECK(text_of(0.7, ElementType::F64) == "0.69999999999999996");
  CHECK(text_of(123456789.125, ElementType::F64) == "123456789.125");
  CHECK(text_of(1234567, ElementType::F32) == "0x4996B438");
  CHECK(text_of(16777216, ElementType::F32) == "0x4B800000");
  CHECK(text_of(9007199254740992, ElementType::F64) == "0x4340000000000000");
}

TEST_CASE("infinities and NaNs print as bits", "[text][mlir]") {
  CHECK(text_of_bits(0x7F800000, ElementType::F32) == "0x7F800000");
  CHECK(text_of_bits(0xFFB8AEA6, ElementType::F32) == "0xFFB8AEA6");
  CHECK(text_of_bits(0x7FC0, ElementType::BF16) == "0x7FC0");
  CHECK(text_of_bits(0x7C00, ElementType::F16) == "0x7C00");
}

TEST_CASE("signaling NaNs in attributes keep their bits", "[text][mlir]") {
  for (const uint64_t bits : {0x7F800001U, 0xFFB8AEA6U, 0x7FC00000U, 0x7F800000U, 0x3F800000U}) {
    std::vector<std::byte> bytes(4);
    ir::detail::store_bits(bytes, bits);
    CHECK(float_bytes(float_value(bytes, ElementType::F32), ElementType::F32) == bytes);
  }
}

}  // namespace
}  // namespace shardy::text::float_text_test

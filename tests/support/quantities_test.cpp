#include "support/quantities.hpp"

#include <cstdint>
#include <limits>

#include "support/catch.hpp"

namespace shardy::quantities_test {
namespace {

TEST_CASE("digits are grouped by three", "[support][quantities]") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(-123) == "-123");
  CHECK(grouped(-123456) == "-123,456");
  CHECK(grouped(std::numeric_limits<int64_t>::min()) == "-9,223,372,036,854,775,808");
  CHECK(signed_grouped(1024) == "+1,024");
  CHECK(signed_grouped(0) == "0");
  CHECK(signed_grouped(-1024) == "-1,024");
}

TEST_CASE("bytes have a binary unit from 1 KiB on", "[support][quantities]") {
  CHECK(bytes_text(1) == "1 byte");
  CHECK(bytes_text(3318) == "3,318 bytes");
  CHECK(headline_bytes(0) == "0 bytes");
  CHECK(headline_bytes(1023) == "1,023 bytes");
  CHECK(headline_bytes(1024) == "1,024 bytes (1.00 KiB)");
  CHECK(headline_bytes(3318) == "3,318 bytes (3.24 KiB)");
  CHECK(headline_bytes(1024 * 1000) == "1,024,000 bytes (1,000 KiB)");
  CHECK(headline_bytes(1024 * 1024 - 1) == "1,048,575 bytes (1.00 MiB)");
  CHECK(headline_bytes(int64_t{5} << 30) == "5,368,709,120 bytes (5.00 GiB)");
  CHECK(headline_bytes(std::numeric_limits<int64_t>::max()) ==
        "9,223,372,036,854,775,807 bytes (8.00 EiB)");
}

TEST_CASE("operations have a unit from a million on", "[support][quantities]") {
  CHECK(operations_text(0) == "0 operations");
  CHECK(operations_text(1) == "1 operation");
  CHECK(operations_text(27860) == "27,860 operations");
  CHECK(operations_text(999999) == "999,999 operations");
  CHECK(operations_text(1e6) == "1.00 M operations");
  CHECK(operations_text(999.9e6) == "1.00 G operations");
  CHECK(operations_text(1.234e9) == "1.23 G operations");
  CHECK(operations_text(12.34e12) == "12.3 T operations");
  CHECK(operations_number(4.56e18) == "4,560 P");
}

TEST_CASE("times have three digits and a unit", "[support][quantities]") {
  CHECK(time_text(0) == "0 ns");
  CHECK(time_text(0.279e-9) == "0.279 ns");
  CHECK(time_text(33.54e-9) == "33.5 ns");
  CHECK(time_text(999.9e-9) == "1.00 us");
  CHECK(time_text(1e-6) == "1.00 us");
  CHECK(time_text(1.916e-6) == "1.92 us");
  CHECK(time_text(15.4e-3) == "15.4 ms");
  CHECK(time_text(37.2) == "37.2 s");
  CHECK(time_text(86400) == "86,400 s");
  CHECK(time_text(1e-15) == "1.00e-06 ns");
  CHECK(time_text(1e30) == "1.00e+30 s");
}

TEST_CASE("changes have a sign", "[support][quantities]") {
  CHECK(share_text(1, 8) == "12.5 %");
  CHECK(share_text(0, 0) == "-");
  CHECK(change_text(100, 93.8) == "-6.2 %");
  CHECK(change_text(2, 3) == "+50.0 %");
  CHECK(change_text(0, 0) == "+0.0 %");
  CHECK(change_text(0, 5) == "from 0");
}

}  // namespace
}  // namespace shardy::quantities_test

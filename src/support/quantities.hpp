// Texts of quantities in reports: counts, bytes, operations, times, shares and changes.
#pragma once

#include <cstdint>
#include <string>

namespace shardy {

/// Returns an integer with thousands separators, such as "1,234,567" or "-1,024".
std::string grouped(int64_t number);
/// Returns an integer with its sign and thousands separators, such as "+1,024", "-6" or "0".
std::string signed_grouped(int64_t number);

/// Returns a text such as "3,318 bytes".
std::string bytes_text(int64_t bytes);
/// Returns a text such as "3,318 bytes (3.24 KiB)". From 1 KiB on, the text also gives the largest
/// binary unit that fits.
std::string headline_bytes(int64_t bytes);
/// Returns the text of headline_bytes without the number, such as " bytes (3.24 KiB)".
std::string headline_unit(int64_t bytes);

/// Returns a number of operations such as "27,860". From 1e6 on the text has a unit: "1.23 M",
/// "4.56 G".
std::string operations_number(double operations);
/// Returns a text such as "27,860 operations" or "1.23 G operations".
std::string operations_text(double operations);

/// Returns a time in ns, us, ms or s with three significant digits, such as "0.279 ns" or "1.92
/// us".
std::string time_text(double seconds);

/// Returns the share of a part in percent, such as "12.5 %"; "-" if the whole is not positive.
std::string share_text(double part, double whole);
/// Returns the relative change with its sign, such as "-6.2 %"; "from 0" if only `before` is 0.
std::string change_text(double before, double after);

}  // namespace shardy

// Quantities of text reports: counts, bytes, operations, times, shares and changes.
#pragma once

#include <cstdint>
#include <string>

namespace shardy {

/// Returns an integer with thousands separators: "1,234,567", "-1,024".
std::string grouped(int64_t number);
/// Returns the same with its sign: "+1,024", "-6", "0".
std::string signed_grouped(int64_t number);

/// Returns "3,318 bytes".
std::string bytes_text(int64_t bytes);
/// Returns "3,318 bytes (3.24 KiB)": from 1 KiB on also in the largest binary unit that fits.
std::string headline_bytes(int64_t bytes);
/// Returns the same without the number: " bytes (3.24 KiB)".
std::string headline_unit(int64_t bytes);

/// Returns a number of operations: "27,860", and from 1e6 on "1.23 M", "4.56 G".
std::string operations_number(double operations);
/// Returns "27,860 operations", "1.23 G operations".
std::string operations_text(double operations);

/// Returns a time in ns, us, ms or s with three significant digits: "0.279 ns", "1.92 us".
std::string time_text(double seconds);

/// Returns the share of a part in percent: "12.5 %"; "-" if the whole is not positive.
std::string share_text(double part, double whole);
/// Returns the relative change with its sign: "-6.2 %"; "from 0" if only `before` is 0.
std::string change_text(double before, double after);

}  // namespace shardy

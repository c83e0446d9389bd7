#include "ir/program_bytes.hpp"

namespace shardy::ir {

namespace {

/// Tables and attributes of an op with its operands, and of a value with its type, in a program of
/// sharded dots, elementwise ops and collectives (tests/checking/program_bytes_test.cpp measures
/// them).
constexpr int64_t kBytesPerOp = 200;
constexpr int64_t kBytesPerValue = 60;

}  // namespace

int64_t program_bytes(const Module& module) {
  return static_cast<int64_t>(module.num_ops()) * kBytesPerOp +
         static_cast<int64_t>(module.num_values()) * kBytesPerValue;
}

}  // namespace shardy::ir

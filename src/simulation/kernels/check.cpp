
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "ir/float_text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/run_log.hpp"

namespace shardy::simulation {
namespace {

using Bytes = std::span<const std::byte>;
constexpr std::size_t kMaxListed = 100;  // largest number of elements that a message lists

/// The real numbers that make up an element: one, or two for complex elements.
struct RealParts {
  explicit RealParts(ir::ElementType element)
      : type(!ir::is_complex(element)                ? element
             : element == ir::ElementType::Complex64 ? ir::ElementType::F32
                                                     : ir::ElementType::F64),
        size(ir::size_bytes(type)) {}
  ir::ElementType type;
  std::size_t size;
};

template <class Holds>
bool all_parts(const RealParts& parts, Bytes a, Bytes b, Holds holds) {
  for (std::size_t at = 0; at < a.size(); at += parts.size) {
    if (!holds(a.subspan(at, parts.size), b.subspan(at, parts.size))) return false;
  }
  return true;
}

bool are_equal(Bytes a, Bytes b, ir::ElementType type, bool nan_equals_nan) {
  if (!ir::is_float(type)) return std::ranges::equal(a, b);
  const double x = ir::decode_double(a, type);
  const double y = ir::decode_double(b, type);
  return x == y || (nan_equals_nan && std::isnan(x) && std::isnan(y));
}

bool are_close(Bytes a, Bytes b, ir::ElementType type, double tolerance) {
  if (are_equal(a, b, type, true)) return true;
  if (!ir::is_float(type)) return false;
  const double x = ir::decode_double(a, type);
  const double y = ir::decode_double(b, type);
  return std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= tolerance;
}

std::string index_text(int64_t position, std::span<const int64_t> dims) {
  std::vector<int64_t> index(dims.size());
  for (std::size_t dim = dims.size(); dim-- > 0;) {
    index[dim] = position % dims[dim];
    position /= dims[dim];
  }
  std::string text = "[";
  for (std::size_t dim = 0; dim < index.size(); ++dim) {
    text += (dim == 0 ? "" : ", ") + std::to_string(index[dim]);
  }
  return text + "]";
}

std::string tolerance_text(double tolerance) {
  return ir::float_text(ir::encode(tolerance, ir::ElementType::F64), ir::ElementType::F64);
}

Bytes bytes_at(const Tensor& tensor, int64_t index) {
  const std::size_t size = ir::size_bytes(tensor.type().element());
  return tensor.bytes().subspan(static_cast<std::size_t>(index) * size, size);
}

// ---- Equal, almost equal -----------------------------------------------------------------------

bool matches(const Comparison& comparison, const RealParts& parts, Bytes a, Bytes b) {
  return all_parts(parts, a, b, [&](Bytes x, Bytes y) {
    return comparison.rule == Comparison::Rule::Equal
               ? are_equal(x, y, parts.type, !comparison.strict_nan)
               : are_close(x, y, parts.type, comparison.tolerance);
  });
}

/// Describes the first element that does not match.
std::string explain_mismatch(const Comparison& comparison, const Tensor& actual,
                             const Tensor& expected) {
  const RealParts parts(actual.type().element());
  for (int64_t index = 0; index < actual.num_elements(); ++index) {
    if (matches(comparison, parts, bytes_at(actual, index), bytes_at(expected, index))) {
      continue;
    }
    const bool is_equal_rule = comparison.rule == Comparison::Rule::Equal;
    return "Element values don't match" +
           (is_equal_rule ? "" : " with tolerance " + tolerance_text(comparison.tolerance)) + ": " +
           printed_element(actual, index) + " (actual) vs " + printed_element(expected, index) +
           " (expected) at index " + index_text(index, actual.type().dims());
  }
  return {};
}

// ---- Close -------------------------------------------------------------------------------------

uint64_t element_distance(const RealParts& parts, Bytes a, Bytes b) {
  uint64_t largest = 0;
  for (std::size_t at = 0; at < a.size(); at += parts.size) {
    largest = std::max(
        largest, ulp_distance(a.subspan(at, parts.size), b.subspan(at, parts.size), parts.type));
  }
  return largest;
}

/// The number of elements per distance in units in the last place. The last entry counts all larger
/// distances.
using Histogram = std::array<int64_t, 5>;

std::string histogram_text(const Histogram& counts) {
  std::string text;
  for (std::size_t distance = 0; distance < counts.size(); ++distance) {
    text += std::string("\n  ULP difference ") + (distance + 1 == counts.size() ? ">= " : "") +
            std::to_string(distance) + ": " + std::to_string(counts[distance]) + " elements";
  }
  return text;
}

/// Lists the elements whose distance is outside of the allowed range.
std::string explain_distances(const Comparison& comparison, const Tensor& actual,
                              const Tensor& expected) {
  const RealParts parts(actual.type().element());
  Histogram counts{};
  std::string lines;
  std::size_t num_bad = 0;
  for (int64_t index = 0; index < actual.num_elements(); ++index) {
    const uint64_t distance =
        element_distance(parts, bytes_at(actual, index), bytes_at(expected, index));
    ++counts[static_cast<std::size_t>(std::min<uint64_t>(distance, counts.size() - 1))];
    if (distance >= comparison.min_ulp && distance <= comparison.max_ulp) continue;
    if (++num_bad > kMaxListed) continue;
    lines += "\n  index=" + index_text(index, actual.type().dims()) +
             ", actual=" + printed_element(actual, index) +
             ", expected=" + printed_element(expected, index) +
             ", ULP difference=" + std::to_string(distance);
  }
  if (num_bad == 0) return {};
  if (num_bad > kMaxListed) lines += "\n  and " + std::to_string(num_bad - kMaxListed) + " more";
  return "Elements values don't match with respect to maximal ULP difference=" +
         std::to_string(comparison.max_ulp) + " limit:" + lines + histogram_text(counts);
}

}  // namespace

// The difference of two bit patterns without sign is the number of representable values between
// them.
uint64_t ulp_distance(Bytes a, Bytes b, ir::ElementType type) {
  if (std::ranges::equal(a, b)) return 0;
  constexpr uint64_t kInfinite = std::numeric_limits<uint64_t>::max();
  const double x = ir::decode_double(a, type);
  const double y = ir::decode_double(b, type);
  if (std::isnan(x) && std::isnan(y)) return 0;
  if (!std::isfinite(x) || !std::isfinite(y)) return kInfinite;
  const int bits = ir::info(type).bits;
  const uint64_t sign = type == ir::ElementType::F8E8M0FNU ? 0 : uint64_t{1} << (bits - 1);
  const auto magnitude = [&](Bytes bytes) {
    uint64_t pattern = 0;
    std::memcpy(&pattern, bytes.data(), bytes.size());
    return pattern & ~sign;
  };
  const uint64_t p = magnitude(a);
  const uint64_t q = magnitude(b);
  if (std::signbit(x) != std::signbit(y)) return p + q;
  return p > q ? p - q : q - p;
}

std::string explain_difference(const Comparison& comparison, const Tensor& actual,
                               const Tensor& expected) {
  if (comparison.rule == Comparison::Rule::Close) {
    return explain_distances(comparison, actual, expected);
  }
  return explain_mismatch(comparison, actual, expected);
}

// ---- Kernels -----------------------------------------------------------------------------------

namespace {

/// Records the outcome of a check in the log of the run. Without a log, a failed check is an error.
struct CheckReporter {
  RunLog* log;
  ir::OpId op;
  std::string name;
  Location location;

  explicit CheckReporter(const KernelRequest& request)
      : log(request.log),
        op(request.op),
        name(request.module.name(request.op)),
        location(request.module.source_location(request.op)) {}

  Status report(int64_t device, std::string failure) const {
    if (log != nullptr) {
      log->check(device, op, location, std::move(failure));
    } else if (!failure.empty()) {
      return fail_at(location, name + ": " + failure);
    }
    return {};
  }
};

Status verify_comparable(const OpReader& reader, const Comparison& comparison,
                         const ir::Type& expected) {
  const ir::Type& actual = reader.operand(0);
  SHARDY_TRY_STATUS(reader.expect(actual == expected, "compares values of one type, got " +
                                                          ir::to_string(actual) + " and " +
                                                          ir::to_string(expected)));
  const bool needs_floats = comparison.rule != Comparison::Rule::Equal;
  return reader.expect(
      !needs_floats || ir::is_float(actual.element()) || ir::is_complex(actual.element()),
      "compares floats, got " + ir::to_string(actual));
}

Result<Kernel> make_comparing(const KernelRequest& request, Comparison comparison) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(2, 0));
  comparison.strict_nan = request.options.strict_nan;
  SHARDY_TRY_STATUS(verify_comparable(reader, comparison, reader.operand(1)));
  return
      [comparison, reporter = CheckReporter(request)](const KernelCall& call) -> Result<Tensors> {
        SHARDY_TRY_STATUS(reporter.report(
            call.device, explain_difference(comparison, call.operands[0], call.operands[1])));
        return Tensors{};
      };
}

Result<Kernel> make_comparing_constant(const KernelRequest& request, Comparison comparison) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  comparison.strict_nan = request.options.strict_nan;
  SHARDY_TRY(const auto view, reader.read_view<ir::ConstantOp>());
  SHARDY_TRY_STATUS(verify_comparable(reader, comparison, view.value->type()));
  return [comparison, literal = *view.value,
          reporter = CheckReporter(request)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(const Tensor expected, Tensor::from_literal(literal));
    SHARDY_TRY_STATUS(
        reporter.report(call.device, explain_difference(comparison, call.operands[0], expected)));
    return Tensors{};
  };
}

Comparison almost_equal(const KernelRequest& request) {
  const auto* tolerance = request.module.attribute<ir::FloatAttr>(request.op, ir::attr::kTolerance);
  Comparison comparison{.rule = Comparison::Rule::Almost};
  comparison.tolerance = tolerance == nullptr ? 1e-4 : tolerance->value;
  return comparison;
}

Result<Kernel> make_expect_eq(const KernelRequest& request) { return make_comparing(request, {}); }
Result<Kernel> make_expect_eq_const(const KernelRequest& request) {
  return make_comparing_constant(request, {});
}
Result<Kernel> make_expect_almost_eq(const KernelRequest& request) {
  return make_comparing(request, almost_equal(request));
}
Result<Kernel> make_expect_almost_eq_const(const KernelRequest& request) {
  return make_comparing_constant(request, almost_equal(request));
}

Result<Kernel> make_expect_close(const KernelRequest& request) {
  const auto view = ir::view<ir::ExpectCloseOp>(request.module, request.op);
  return make_comparing(request, {.rule = Comparison::Rule::Close,
                                  .min_ulp = static_cast<uint64_t>(view.min_ulp.value_or(0)),
                                  .max_ulp = static_cast<uint64_t>(view.max_ulp.value_or(1))});
}

/// Compares with the value of a probe: `probe_id` names it and `iteration` counts its executions
/// from 0.
Result<Kernel> make_expect_serialized_eq(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY(const auto view, reader.read_view<ir::ExpectSerializedOp>());
  SHARDY_TRY_STATUS(reader.expect(request.log != nullptr, "needs a run with probes"));
  return [probe = *view.probe, iteration = static_cast<uint32_t>(view.iteration.value_or(0)),
          reporter = CheckReporter(request)](const KernelCall& call) -> Result<Tensors> {
    const std::optional<Tensor> seen = reporter.log->probed(probe, iteration);
    const Tensor& expected = call.operands[0];
    std::string failure;
    if (!seen || seen->type() != expected.type()) {
      failure = "probe \"" + probe + "\" has no value of type " + ir::to_string(expected.type()) +
                " at iteration " + std::to_string(iteration);
    } else {
      failure = explain_difference({}, *seen, expected);
    }
    SHARDY_TRY_STATUS(reporter.report(call.device, std::move(failure)));
    return Tensors{};
  };
}

// ---- Custom calls ------------------------------------------------------------------------------

Result<Kernel> make_custom_almost_eq(const KernelRequest& request) {
  return make_comparing(request, {.rule = Comparison::Rule::Almost, .tolerance = 0.001});
}
Result<Kernel> make_custom_close(const KernelRequest& request) {
  return make_comparing(request, {.rule = Comparison::Rule::Close, .max_ulp = 3});
}

/// Compares like check.eq and returns the outcome as i1.
Result<Kernel> make_custom_eq(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(2, 1));
  SHARDY_TRY_STATUS(reader.expect_result({}, ir::ElementType::I1));
  const ir::ElementType element = reader.operand(0).element();
  const bool is_exact = !ir::is_float(element) && !ir::is_complex(element);
  const Comparison comparison{.rule = is_exact ? Comparison::Rule::Equal : Comparison::Rule::Almost,
                              .tolerance = 1e-4};
  SHARDY_TRY_STATUS(verify_comparable(reader, comparison, reader.operand(1)));
  return [comparison, type = reader.result(),
          reporter = CheckReporter(request)](const KernelCall& call) -> Result<Tensors> {
    std::string failure = explain_difference(comparison, call.operands[0], call.operands[1]);
    const int64_t holds[] = {failure.empty() ? 1 : 0};
    SHARDY_TRY_STATUS(reporter.report(call.device, std::move(failure)));
    SHARDY_TRY(Tensor value, Tensor::from_integers(type, holds));
    return Tensors{std::move(value)};
  };
}

// ---- Prints and probes -------------------------------------------------------------------------

Result<Kernel> make_print(const KernelRequest& request) {
  return [log = request.log, op = request.op](const KernelCall& call) -> Result<Tensors> {
    if (log != nullptr) log->print(op, call.operands[0]);
    return Tensors{};
  };
}

Result<Kernel> make_probe(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY(const auto view, reader.read_view<ir::ProbeOp>());
  return [log = request.log, probe = *view.probe](const KernelCall& call) -> Result<Tensors> {
    if (log != nullptr) log->probe(probe, call.operands[0]);
    return Tensors{call.operands[0]};
  };
}

struct CheckTarget {
  std::string_view target;
  KernelMaker make;
};
constexpr CheckTarget kTargets[] = {
    {"check.expect_eq", &make_expect_eq},
    {"check.expect_almost_eq", &make_custom_almost_eq},
    {"check.expect_close", &make_custom_close},
    {"check.eq", &make_custom_eq},
};

}  // namespace

SHARDY_KERNEL(CheckExpectEq, make_expect_eq)
SHARDY_KERNEL(CheckExpectEqConst, make_expect_eq_const)
SHARDY_KERNEL(CheckExpectAlmostEq, make_expect_almost_eq)
SHARDY_KERNEL(CheckExpectAlmostEqConst, make_expect_almost_eq_const)
SHARDY_KERNEL(CheckExpectClose, make_expect_close)
SHARDY_KERNEL(CheckExpectSerializedEq, make_expect_serialized_eq)
SHARDY_KERNEL(InterpreterPrint, make_print)
SHARDY_KERNEL(InterpreterProbe, make_probe)

KernelMaker custom_check_maker(std::string_view target) {
  const auto* const row = std::ranges::find(kTargets, target, &CheckTarget::target);
  return row == std::end(kTargets) ? nullptr : row->make;
}

}  // namespace shardy::simulation

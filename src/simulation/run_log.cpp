#include "simulation/run_log.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/float_text.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"

namespace shardy::simulation {
namespace {

/// Returns the text of `count` elements from `first` on, which are one innermost list.
std::string row_text(const Tensor& tensor, int64_t first, int64_t count) {
  std::string text = "[";
  for (int64_t index = first; index < first + count; ++index) {
    if (index > first) text += ", ";
    text += printed_element(tensor, index);
  }
  return text + "]";
}

/// The text of a tensor as nested lists. A list of dim d begins before, and ends after, each
/// multiple of the rows in such a list.
class NestedListText {
 public:
  explicit NestedListText(const Tensor& tensor) : tensor_(tensor) {
    const auto dims = tensor.type().dims();
    outer_.assign(dims.begin(), dims.end() - 1);
    row_size_ = dims.back();
  }

  std::string text() {
    const int64_t num_rows = product(outer_);
    if (num_rows == 0) return indent(1) + "[]\n";
    for (int64_t row = 0; row < num_rows; ++row) {
      open(row);
      text_ += indent(outer_.size() + 1) + row_text(tensor_, row * row_size_, row_size_);
      close(row + 1);
    }
    return std::move(text_);
  }

 private:
  static std::string indent(std::size_t depth) { return std::string(2 * depth, ' '); }

  void open(int64_t row) {
    for (std::size_t dim = 0; dim < outer_.size(); ++dim) {
      if (row % rows_in(dim) == 0) text_ += indent(dim + 1) + "[\n";
    }
  }
  /// Appends the brackets that close after the first `row` rows.
  void close(int64_t row) {
    std::size_t dim = outer_.size();
    for (; dim > 0 && row % rows_in(dim - 1) == 0; --dim) {
      text_ += "\n" + indent(dim) + "]";
    }
    text_ += dim > 0 ? ",\n" : "\n";
  }
  /// Returns the number of rows in one list of a dim.
  int64_t rows_in(std::size_t dim) const {
    return product(std::span<const int64_t>(outer_).subspan(dim));
  }

  const Tensor& tensor_;
  std::vector<int64_t> outer_;
  int64_t row_size_ = 0;
  std::string text_;
};

}  // namespace

std::string printed_element(const Tensor& tensor, int64_t index) {
  const ir::ElementType element = tensor.type().element();
  const std::size_t size = ir::size_bytes(element);
  const auto bytes = tensor.bytes().subspan(static_cast<std::size_t>(index) * size, size);
  if (ir::is_complex(element)) {
    const ir::ElementType part = size == 8 ? ir::ElementType::F32 : ir::ElementType::F64;
    return "[" + ir::float_text(bytes.first(size / 2), part) + ", " +
           ir::float_text(bytes.subspan(size / 2), part) + "]";
  }
  if (ir::is_float(element)) return ir::float_text(bytes, element);
  const int64_t value = ir::decode_int(bytes, element);
  if (ir::is_boolean(element)) return value != 0 ? "true" : "false";
  return ir::is_unsigned_integer(element) ? std::to_string(static_cast<uint64_t>(value))
                                          : std::to_string(value);
}

std::string value_text(const Tensor& tensor) {
  if (!tensor) return "(no value)";
  const ir::Type& type = tensor.type();
  if (const auto* tuple = type.as<ir::TupleType>()) {
    std::string text = "tuple {\n";
    for (std::size_t index = 0; index < tuple->elements.size(); ++index) {
      text += value_text(tensor.parts()[index]) + "\n";
    }
    return text + "}";
  }
  if (!type.is_tensor()) return ir::to_string(type);
  if (type.rank() == 0) return ir::to_string(type) + " {" + printed_element(tensor, 0) + "}";
  return ir::to_string(type) + " {\n" + NestedListText(tensor).text() + "}";
}

void RunLog::check(int64_t device, ir::OpId op, Location location, std::string failure) {
  const std::scoped_lock lock(mutex_);
  ++num_checks_;
  if (failure.empty()) return;
  failures_.push_back({device, op, std::move(location), std::move(failure)});
}

void RunLog::print(ir::OpId op, const Tensor& value) {
  const std::scoped_lock lock(mutex_);
  if (print_) print_(op, value);
}

void RunLog::probe(const std::string& id, Tensor value) {
  const std::scoped_lock lock(mutex_);
  probes_[id].push_back(std::move(value));
}

std::optional<Tensor> RunLog::probed(const std::string& id, uint32_t iteration) const {
  const std::scoped_lock lock(mutex_);
  const auto found = probes_.find(id);
  if (found == probes_.end() || iteration >= found->second.size()) return std::nullopt;
  return found->second[iteration];
}

CheckOutcome RunLog::checks() const {
  const std::scoped_lock lock(mutex_);
  CheckOutcome outcome{num_checks_, failures_};
  std::ranges::stable_sort(outcome.failed, {}, &FailedCheck::device);
  return outcome;
}

}  // namespace shardy::simulation

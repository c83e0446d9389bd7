#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/ir/type_text.hpp"
#include "shardy/text/mlir.hpp"
#include "text/attribute_codec.hpp"

namespace shardy::text {

namespace {

using Difference = std::optional<std::string>;

std::string counts(std::string_view what, std::size_t a, std::size_t b) {
  return std::to_string(a) + " and " + std::to_string(b) + " " + std::string(what);
}

/// Compares two modules op by op.
class ProgramComparison {
 public:
  ProgramComparison(const ir::Module& a, const ir::Module& b) : a_(a), b_(b) {}

  Difference run() {
    if (Difference found = compare_maps(a_.module_attributes(), b_.module_attributes())) {
      return "the modules have " + *found;
    }
    push_blocks(a_.body(), b_.body());
    while (!pending_.empty()) {
      auto& [left, right] = pending_.back();
      if (!left.valid() && !right.valid()) {
        pending_.pop_back();
        continue;
      }
      if (left.valid() != right.valid()) return "one block has more ops than the other";
      const ir::OpId a = std::exchange(left, a_.next(left));
      const ir::OpId b = std::exchange(right, b_.next(right));
      if (Difference found = compare_ops(a, b)) {
        return std::string(a_.name(a)) + " at '" + a_.location_text(a) + "': " + *found;
      }
    }
    return std::nullopt;
  }

 private:
  void push_blocks(ir::BlockId a, ir::BlockId b) {
    pending_.emplace_back(a_.first_op(a), b_.first_op(b));
  }

  Difference compare_ops(ir::OpId a, ir::OpId b) {
    if (a_.kind(a) != b_.kind(b) || a_.name(a) != b_.name(b)) {
      return "the other op is " + std::string(b_.name(b));
    }
    if (Difference found = compare_operands(a, b)) return found;
    if (Difference found = compare_values(a_.results(a), b_.results(b), "results")) return found;
    if (Difference found = compare_maps(a_.attributes(a), b_.attributes(b))) return found;
    if (a_.is(a, ir::OpKind::Func)) {
      if (Difference found = compare_functions(a_.function(a), b_.function(b))) return found;
    }
    return compare_regions(a, b);
  }

  Difference compare_operands(ir::OpId a, ir::OpId b) const {
    if (a_.num_operands(a) != b_.num_operands(b)) {
      return counts("operands", a_.num_operands(a), b_.num_operands(b));
    }
    for (std::size_t index = 0; index < a_.num_operands(a); ++index) {
      const auto found = values_.find(a_.operand(a, index));
      const bool same = found != values_.end() && found->second == b_.operand(b, index);
      if (!same) return "operand " + std::to_string(index) + " is another value";
    }
    return std::nullopt;
  }

  /// Compares types and maps the values of a to the values of b.
  Difference compare_values(std::span<const ir::ValueId> a, std::span<const ir::ValueId> b,
                            std::string_view what) {
    if (a.size() != b.size()) return counts(what, a.size(), b.size());
    for (std::size_t index = 0; index < a.size(); ++index) {
      if (a_.type(a[index]) != b_.type(b[index])) {
        return std::string(what) + " of types " + to_string(a_.type(a[index])) + " and " +
               to_string(b_.type(b[index]));
      }
      values_[a[index]] = b[index];
    }
    return std::nullopt;
  }

  static Difference compare_maps(const ir::AttributeMap& a, const ir::AttributeMap& b) {
    for (const ir::NamedAttribute& entry : a) {
      const ir::Attribute* const other = b.find(entry.name);
      if (!other || unresolved(entry.value) != unresolved(*other)) {
        return "another attribute '" + entry.name + "'";
      }
    }
    if (a.size() != b.size()) return counts("attributes", a.size(), b.size());
    return std::nullopt;
  }

  static Difference compare_all_maps(const std::vector<ir::AttributeMap>& a,
                                     const std::vector<ir::AttributeMap>& b,
                                     std::string_view what) {
    if (a.size() != b.size()) return counts(what, a.size(), b.size());
    for (std::size_t index = 0; index < a.size(); ++index) {
      if (Difference found = compare_maps(a[index], b[index])) {
        return std::string(what) + " " + std::to_string(index) + " has " + *found;
      }
    }
    return std::nullopt;
  }

  static Difference compare_functions(const ir::FunctionData& a, const ir::FunctionData& b) {
    if (a.result_types != b.result_types) return "other result types";
    if (a.declared_arg_types != b.declared_arg_types) return "other argument types";
    if (Difference found = compare_all_maps(a.arg_attributes, b.arg_attributes, "argument")) {
      return found;
    }
    return compare_all_maps(a.result_attributes, b.result_attributes, "result");
  }

  Difference compare_regions(ir::OpId a, ir::OpId b) {
    const auto left = a_.regions(a);
    const auto right = b_.regions(b);
    if (left.size() != right.size()) return counts("regions", left.size(), right.size());
    std::vector<std::pair<ir::BlockId, ir::BlockId>> blocks;
    for (std::size_t index = 0; index < left.size(); ++index) {
      const auto in_a = a_.blocks(left[index]);
      const auto in_b = b_.blocks(right[index]);
      if (in_a.size() != in_b.size()) return counts("blocks", in_a.size(), in_b.size());
      for (std::size_t block = 0; block < in_a.size(); ++block) {
        blocks.emplace_back(in_a[block], in_b[block]);
        if (Difference found =
                compare_values(a_.args(in_a[block]), b_.args(in_b[block]), "arguments")) {
          return found;
        }
      }
    }
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      push_blocks(block->first, block->second);
    }
    return std::nullopt;
  }

  const ir::Module& a_;
  const ir::Module& b_;
  std::unordered_map<ir::ValueId, ir::ValueId> values_;
  std::vector<std::pair<ir::OpId, ir::OpId>> pending_;  // the next op of each open block
};

}  // namespace

std::optional<std::string> first_difference(const ir::Module& a, const ir::Module& b) {
  return ProgramComparison(a, b).run();
}

}  // namespace shardy::text

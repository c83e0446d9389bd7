//   func @main(%w {tf.aliasing_output = 0}, %x) -> (W')       %w and result 0 are tied:
//   change of result 0 to S                           =>      change of %w to S, and of result 0
#include "report/ties.hpp"

#include <algorithm>
#include <utility>

#include "checking/donations.hpp"
#include "passes/interop/donation_attributes.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using Kind = AnnotationPlace::Kind;

namespace {

/// Pairs arguments and results of a function.
class Pairing {
 public:
  Pairing(const Module& module, OpId function)
      : module_(module),
        function_(function),
        results_(module.function(function).result_types),
        args_(module.arg_types(function)),
        is_given_(args_.size()),
        is_taken_(results_.size()) {}

  std::size_t num_arguments() const { return args_.size(); }

  void pair(std::size_t argument, std::size_t result) {
    if (result >= results_.size() || !fits(argument, result)) return;
    is_given_[argument] = true;
    is_taken_[result] = true;
    const ir::ValueId value = module_.args(module_.entry(function_))[argument];
    ties_.push_back({{Kind::Argument, function_, static_cast<uint32_t>(argument), value},
                     {Kind::Result, function_, static_cast<uint32_t>(result), {}}});
  }

  void pair_with_first(std::size_t argument) {
    for (std::size_t result = 0; result < results_.size(); ++result) pair(argument, result);
  }

  std::vector<Tie> take() { return std::move(ties_); }

 private:
  bool fits(std::size_t argument, std::size_t result) const {
    return !is_given_[argument] && !is_taken_[result] && args_[argument].is_tensor() &&
           args_[argument] == results_[result];
  }

  const Module& module_;
  OpId function_;
  const std::vector<ir::Type>& results_;
  std::vector<ir::Type> args_;
  std::vector<bool> is_given_;
  std::vector<bool> is_taken_;
  std::vector<Tie> ties_;
};

bool is_donor(const ir::AttributeMap& attributes) {
  const bool* donor = attributes.get<bool>(passes::kBufferDonorAttr);
  return donor != nullptr && *donor;
}

/// The tie that has the place.
const Tie* find_tie(std::span<const Tie> ties, const AnnotationPlace& place) {
  const auto found = std::ranges::find_if(
      ties, [&](const Tie& tie) { return tie.argument == place || tie.result == place; });
  return found == ties.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Tie> ties_of(const Module& module, bool by_type) {
  const auto main = module.main_function();
  if (!main || module.is_external(*main)) return {};
  Pairing pairing(module, *main);
  const auto& attributes = module.function(*main).arg_attributes;
  for (std::size_t index = 0; index < attributes.size(); ++index) {
    const auto* alias = attributes[index].get<ir::IntegerAttr>(passes::kAliasingOutputAttr);
    if (alias != nullptr && alias->value >= 0) {
      pairing.pair(index, static_cast<std::size_t>(alias->value));
    }
  }
  for (std::size_t index = 0; index < attributes.size(); ++index) {
    if (is_donor(attributes[index])) pairing.pair_with_first(index);
  }
  for (std::size_t index = 0; by_type && index < pairing.num_arguments(); ++index) {
    pairing.pair_with_first(index);
  }
  return pairing.take();
}

std::vector<AnnotationChange> tied(std::vector<AnnotationChange> changes,
                                   std::span<const Tie> ties) {
  std::vector<AnnotationChange> joined;
  for (AnnotationChange& change : changes) {
    if (const Tie* tie = find_tie(ties, change.place)) {
      change.place = tie->argument;
      change.tied = {tie->result};
      if (std::ranges::find(joined, change) != joined.end()) continue;
    }
    joined.push_back(std::move(change));
  }
  return joined;
}

bool holds(const Module& program, const Tie& tie) {
  const auto main = program.main_function();
  return main && tie.argument.index < program.arg_types(*main).size() &&
         tie.result.index < program.function(*main).result_types.size() &&
         checking::can_take_buffer(program, tie.argument.index, tie.result.index);
}

}  // namespace shardy::report

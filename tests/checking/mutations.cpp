#include "checking/mutations.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy_test {

using namespace shardy;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

class Collector {
 public:
  explicit Collector(const Module& module) : module_(module) {}

  std::vector<Mutation> run() {
    for (const OpId op : ir::pre_order(module_)) {
      if (module_.has_trait(op, ir::kReturnLike) || module_.is(op, OpKind::Func)) continue;
      pass_by(op);
      double_result(op);
      swap_operands(op);
      change_constant(op);
      change_axes(op);
      change_permute(op);
      change_kind(op);
      change_numbers(op);
      change_direction(op);
    }
    return std::move(mutations_);
  }

 private:
  void add(std::string kind, OpId op, std::function<void(Module&)> apply) {
    mutations_.push_back({std::move(kind),
                          std::string(module_.name(op)) + " #" + std::to_string(op.index()),
                          std::move(apply)});
  }

  /// Leaves out an op: a mask, a collective, a permute or an offset.
  void pass_by(OpId op) {
    if (module_.num_results(op) != 1) return;
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      if (module_.type(module_.operand(op, index)) != module_.type(module_.result(op))) continue;
      add("op left out, operand " + std::to_string(index), op, [op, index](Module& module) {
        module.replace_all_uses(module.result(op), module.operand(op, index));
      });
    }
  }

  /// Doubles the result of a sum, or of an op whose result is usually summed.
  void double_result(OpId op) {
    constexpr std::array kSums = {OpKind::SpmdAllReduce, OpKind::SpmdReduceScatter,
                                  OpKind::Reduce,        OpKind::DotGeneral,
                                  OpKind::Dot,           OpKind::Convolution,
                                  OpKind::SpmdPermute,   OpKind::DynamicSlice};
    if (std::ranges::find(kSums, module_.kind(op)) == kSums.end()) return;
    if (ir::is_boolean(module_.type(module_.result(op)).element())) return;
    add("doubled result", op, [op](Module& module) {
      const ValueId result = module.result(op);
      const std::vector<ir::Use> uses = module.uses(result);
      const OpId sum = module.create({.kind = OpKind::Add,
                                      .operands = {result, result},
                                      .result_types = {module.type(result)}});
      module.insert_after(op, sum);
      for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, module.result(sum));
    });
  }

  void swap_operands(OpId op) {
    if (module_.has_trait(op, ir::kCommutative)) return;
    for (std::size_t index = 1; index < module_.num_operands(op); ++index) {
      if (module_.type(module_.operand(op, index - 1)) != module_.type(module_.operand(op, index)))
        continue;
      add("operands swapped from " + std::to_string(index - 1), op, [op, index](Module& module) {
        const ValueId first = module.operand(op, index - 1);
        module.set_operand(op, index - 1, module.operand(op, index));
        module.set_operand(op, index, first);
      });
    }
  }

  void set_splat(OpId op, std::string kind, double value) {
    const ir::Type type = module_.type(module_.result(op));
    add(std::move(kind), op, [op, type, value](Module& module) {
      module.attributes(op).set(ir::attr::kValue, ir::splat_literal(type, value));
    });
  }

  /// Changes offsets, sizes and bounds by one, uses the neutral values of other reducers, or turns
  /// a mask off.
  void change_constant(OpId op) {
    const auto* literal = module_.is(op, OpKind::Constant)
                              ? module_.attribute<ir::Literal>(op, ir::attr::kValue)
                              : nullptr;
    if (literal == nullptr || literal->num_elements() == 0 || !literal->is_splat()) return;
    const ir::ElementType element = literal->type().element();
    const double value = ir::decode_double(literal->stored(), element);
    if (ir::is_boolean(element)) return set_splat(op, "boolean turned", value != 0 ? 0 : 1);
    if (ir::is_integer(element)) {
      set_splat(op, "constant + 1", value + 1);
      return set_splat(op, "constant - 1", value - 1);
    }
    const double other = std::isinf(value) ? -value : value == 0 ? 1 : value == 1 ? 0 : 2 * value;
    set_splat(op, "other float constant", other);
    if (std::isinf(value)) set_splat(op, "0 for infinity", 0);
  }

  /// Makes groups along other axes, or along some of the axes only.
  void change_axes(OpId op) {
    const auto* groups = module_.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
    if (groups == nullptr) return;
    const AxisList axes = groups->axes;
    const auto set = [&](std::string kind, AxisList list) {
      add(std::move(kind), op, [op, list](Module& module) {
        module.attributes(op).edit<ir::AxesAttr>(ir::attr::kAxes)->axes = list;
      });
    };
    for (std::size_t index = 0; index < axes.size(); ++index) {
      AxisList fewer = axes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(index));
      set("axis left out", fewer);
    }
    if (axes.size() > 1) {
      AxisList turned = axes;
      std::ranges::reverse(turned);
      set("axes in another order", turned);
    }
    for (int32_t axis = 0; axis < groups->mesh.num_axes(); ++axis) {
      const AxisRef other{axis, 1, groups->mesh.axis_size(axis)};
      if (axes.size() == 1 && axes.front() != other) set("other axis", AxisList{other});
    }
  }

  void change_permute(OpId op) {
    const auto* map = module_.attribute<ir::PermuteMap>(op, ir::attr::kMap);
    if (map == nullptr) return;
    for (std::size_t index = 0; index < map->numbers.size(); ++index) {
      for (const int64_t step : {-1, 1}) {
        add("permute number " + std::to_string(index), op, [op, index, step](Module& module) {
          module.attributes(op).edit<ir::PermuteMap>(ir::attr::kMap)->numbers[index] += step;
        });
      }
    }
  }

  /// Uses another reducer or another mask.
  void change_kind(OpId op) {
    constexpr std::pair<OpKind, OpKind> kOthers[] = {{OpKind::Add, OpKind::Maximum},
                                                     {OpKind::Maximum, OpKind::Add},
                                                     {OpKind::Minimum, OpKind::Maximum},
                                                     {OpKind::Multiply, OpKind::Add},
                                                     {OpKind::Subtract, OpKind::Add},
                                                     {OpKind::And, OpKind::Or},
                                                     {OpKind::Or, OpKind::And},
                                                     {OpKind::SpmdFloorDiv, OpKind::SpmdFloorMod},
                                                     {OpKind::SpmdFloorMod, OpKind::SpmdFloorDiv}};
    for (const auto& [from, to] : kOthers) {
      if (!module_.is(op, from)) continue;
      add("computes " + std::string(ir::info(to).name), op, [op, kind = to](Module& module) {
        const OpId with = module.create({.kind = kind,
                                         .operands = module.operands(op),
                                         .result_types = {module.type(module.result(op))}});
        module.insert_before(op, with);
        module.replace_all_uses(module.result(op), module.result(with));
        module.erase(op);
      });
    }
  }

  /// Changes windows and dims by one.
  void change_numbers(OpId op) {
    for (const ir::NamedAttribute& each : module_.attributes(op)) {
      const auto* list = each.value.as<ir::DenseArrayAttr>();
      if (list == nullptr) continue;
      for (std::size_t index = 0; index < list->values.size(); ++index) {
        add(std::string(each.name) + " " + std::to_string(index) + " + 1", op,
            [op, name = each.name, index](Module& module) {
              module.attributes(op).edit<ir::DenseArrayAttr>(name)->values[index] += 1;
            });
      }
    }
    if (module_.is(op, OpKind::Slice)) {
      const std::size_t rank =
          module_.attribute<ir::DenseArrayAttr>(op, ir::attr::kStartIndices)->values.size();
      for (std::size_t dim = 0; dim < rank; ++dim) {
        for (const int64_t step : {-1, 1}) {
          add("slice moved", op, [op, dim, step](Module& module) {
            for (const auto name : {ir::attr::kStartIndices, ir::attr::kLimitIndices}) {
              module.attributes(op).edit<ir::DenseArrayAttr>(name)->values[dim] += step;
            }
          });
        }
      }
    }
    for (const auto name : {ir::attr::kIotaDimension, ir::attr::kDimension, ir::attr::kDim,
                            ir::attr::kSplitDim, ir::attr::kConcatDim}) {
      const auto* number = module_.attribute<ir::IntegerAttr>(op, name);
      if (number == nullptr) continue;
      add("other " + std::string(name), op, [op, name](Module& module) {
        int64_t& dim = module.attributes(op).edit<ir::IntegerAttr>(name)->value;
        dim = dim == 0 ? 1 : dim - 1;
      });
    }
  }

  void change_direction(OpId op) {
    constexpr std::pair<const char*, const char*> kOthers[] = {
        {"LT", "LE"}, {"LE", "LT"}, {"GE", "GT"}, {"GT", "GE"}, {"EQ", "NE"}, {"NE", "EQ"}};
    const auto* direction = module_.attribute<ir::EnumAttr>(op, ir::attr::kComparisonDirection);
    if (direction == nullptr) return;
    for (const auto& [from, to] : kOthers) {
      if (direction->value != from) continue;
      add("compares " + std::string(to), op, [op, other = std::string(to)](Module& module) {
        module.attributes(op).edit<ir::EnumAttr>(ir::attr::kComparisonDirection)->value = other;
      });
    }
  }

  const Module& module_;
  std::vector<Mutation> mutations_;
};

}  // namespace

std::vector<Mutation> mutations_of(const Module& program) { return Collector(program).run(); }

}  // namespace shardy_test

// Ops for the tests of the registry: one function of ops whose operands are its arguments.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/rules/op_view.hpp"

namespace shardy::rules {

using Sizes = std::vector<int64_t>;

/// A module into which ops are put one after the other.
class OpMaker {
 public:
  OpMaker() : block_(module_.entry(module_.add_function("main", {}, {}))) {}

  ir::Module& module() { return module_; }
  ir::ValueId arg(Sizes shape) { return module_.add_argument(block_, type(std::move(shape))); }
  static ir::Type type(Sizes shape) {
    return ir::Type::tensor(std::move(shape), ir::ElementType::F32);
  }
  ir::OpId op(ir::OpSpec spec) { return ir::Builder(module_, block_).create(std::move(spec)); }
  ir::OpId op(ir::OpKind kind, std::vector<ir::ValueId> operands, std::vector<Sizes> results,
              ir::AttributeMap attributes = {}) {
    std::vector<ir::Type> types;
    for (Sizes& shape : results) types.push_back(type(std::move(shape)));
    return op({.kind = kind,
               .operands = std::move(operands),
               .result_types = std::move(types),
               .attributes = std::move(attributes)});
  }
  ir::ValueId value(ir::OpKind kind, std::vector<ir::ValueId> operands, Sizes result,
                    ir::AttributeMap attributes = {}) {
    return module_.result(
        op(kind, std::move(operands), {std::move(result)}, std::move(attributes)));
  }
  OpView view(ir::OpId op) const { return {module_, op}; }

 private:
  ir::Module module_;
  ir::BlockId block_;
};

inline ir::AttributeMap attributes(
    std::initializer_list<std::pair<std::string, ir::Attribute>> list) {
  ir::AttributeMap map;
  for (const auto& [name, value] : list) map.set(name, value);
  return map;
}

inline ir::DenseArrayAttr integers(std::vector<int64_t> values) {
  return {ir::ElementType::I64, std::move(values)};
}

inline ir::IntegerAttr integer(int64_t value) { return {value, ir::ElementType::I64}; }

/// Layout b, w, f of input and output, w, i, o of the kernel.
inline ir::ConvolutionDims channels_last_dims() {
  return {.input_batch = 0,
          .input_feature = 2,
          .input_spatial = {1},
          .kernel_input_feature = 1,
          .kernel_output_feature = 2,
          .kernel_spatial = {0},
          .output_batch = 0,
          .output_feature = 2,
          .output_spatial = {1}};
}

}  // namespace shardy::rules

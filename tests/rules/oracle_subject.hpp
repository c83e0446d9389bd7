// Ops with whole operands, for the oracle of rules.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rules/op_maker.hpp"

namespace shardy::rules {

using Shapes = std::vector<Sizes>;
using Values = std::vector<std::vector<double>>;
using MakeAttributes =
    std::function<ir::AttributeMap(const Shapes& operands, const Shapes& results)>;

/// Result of the region of an op for its scalars.
enum class Body { None, Add, Less, SelectThenAdd };

/// An op and whole operands for it. Unless values are given, elements are 1, 2, 3, ...
struct Subject {
  std::string name;
  ir::OpKind kind = ir::OpKind::Add;
  Shapes operands;
  Shapes results;
  MakeAttributes attributes = [](const Shapes&, const Shapes&) { return ir::AttributeMap(); };
  std::vector<ir::ElementType> operand_elements = {};  // missing ones: f32
  ir::ElementType result_element = ir::ElementType::F32;
  std::vector<ir::ElementType> result_elements = {};  // missing ones: result_element
  Values values = {};                                 // of the operands; empty ones are counted
  Body body = Body::None;
};

/// The structured ops.
std::vector<Subject> subjects();
/// One per elementwise op.
std::vector<Subject> elementwise_subjects();
/// One per custom call that has a rule and a kernel.
std::vector<Subject> custom_call_subjects();
/// A call of that target with one operand and a result like it.
Subject call_of(const std::string& target);

/// A function of that one op, on operands and results of these shapes.
ir::Module module_of(const Subject& subject, const Shapes& operands, const Shapes& results);
std::vector<ir::Type> operand_types(const Subject& subject, const Shapes& shapes);

}  // namespace shardy::rules

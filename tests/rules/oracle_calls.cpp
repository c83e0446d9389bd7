// Custom calls that have a rule and a kernel, for the oracle of rules. Spec: rules 8.10.
#include <string>
#include <utility>
#include <vector>

#include "rules/oracle_subject.hpp"
#include "shardy/rules/built_in.hpp"

namespace shardy::rules {

using ir::ElementType;

namespace {

Subject call(const std::string& target, ElementType operand, ElementType result) {
  ir::AttributeMap map = attributes({{std::string(kCallTargetAttr), target}});
  return {.name = target,
          .kind = ir::OpKind::CustomCall,
          .operands = {{6, 4}},
          .results = {{6, 4}},
          .attributes = [map = std::move(map)](const Shapes&, const Shapes&) { return map; },
          .operand_elements = {operand},
          .result_element = result};
}

/// The largest two of each row.
Subject top_k() {
  Subject subject = call("mhlo.topk", ElementType::F32, ElementType::F32);
  subject.results = {{6, 2}, {6, 2}};
  subject.result_elements = {ElementType::F32, ElementType::I32};
  subject.attributes = [](const Shapes&, const Shapes& results) {
    return attributes(
        {{std::string(kCallTargetAttr), std::string("mhlo.topk")},
         {"mhlo.attributes", attributes({{"k", integer(results[0][1])}, {"largest", true}})}});
  };
  subject.values = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4}};
  return subject;
}

}  // namespace

std::vector<Subject> custom_call_subjects() {
  std::vector<Subject> all;
  for (const char* target : {"annotate_device_placement", "LayoutConstraint", "mhlo.erf",
                             "MoveToDevice", "MoveToHost", "xla.sdy.FuncResultSharding"}) {
    all.push_back(call(target, ElementType::F32, ElementType::F32));
  }
  for (const char* target : {"X64SplitHigh", "X64SplitLow"}) {
    all.push_back(call(target, ElementType::UI64, ElementType::UI32));
  }
  all.push_back(call("X64Combine", ElementType::UI32, ElementType::UI64));
  all.back().operands.push_back({6, 4});
  all.back().operand_elements.push_back(ElementType::UI32);
  all.push_back(top_k());
  return all;
}

Subject call_of(const std::string& target) {
  return call(target, ElementType::F32, ElementType::F32);
}

}  // namespace shardy::rules

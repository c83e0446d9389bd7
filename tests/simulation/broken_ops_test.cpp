// Ops that lack something, or have it in another form: an error when their kernel is made, and
// never a crash. Makers take for granted what the verifier looks at, so that the door to them must
// look.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <shardy/ir/verify.hpp>

#include "simulation/run_text.hpp"

namespace shardy_test::broken_ops_test {
namespace {

using shardy::ir::AttributeMap;
using shardy::ir::ElementType;
using shardy::ir::Module;
using shardy::ir::OpId;
using shardy::ir::OpKind;
using shardy::ir::Type;
using shardy::ir::ValueId;
using shardy::simulation::Fill;
using shardy::simulation::Tensors;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool runs_alone(const Module& module, OpId op) {
  return module.regions(op).empty() && shardy::simulation::has_kernel(module.kind(op));
}

/// Zeros of the types that the operands have now; none for values that are not tensors.
Tensors operands_of(const Module& module, OpId op) {
  Tensors operands;
  for (const ValueId value : module.operands(op)) {
    const Type& type = module.type(value);
    if (!type.is_static_tensor()) return {};
    operands.push_back(shardy::simulation::filled_tensor(type, Fill::Zero).value());
  }
  return operands;
}

/// Counts what the verifier refuses.
struct Judge {
  int refused = 0;

  void look_at(const Module& module, OpId op) {
    CAPTURE(module.name(op), module.location_text(op));
    const auto kernel = shardy::simulation::make_kernel({.module = module, .op = op});
    if (!shardy::ir::verify_types(module, op)) {
      ++refused;
      CHECK_FALSE(kernel);
    } else if (kernel) {
      static_cast<void>(shardy::simulation::evaluate(module, op, operands_of(module, op)));
    }
  }
};

void without_attributes(Module& module, OpId op, Judge& judge) {
  const AttributeMap whole = module.attributes(op);
  for (const auto& entry : whole) {
    module.attributes(op).erase(entry.name);
    judge.look_at(module, op);
    module.attributes(op).set(entry.name, std::string("no such form"));
    judge.look_at(module, op);
    module.attributes(op) = whole;
  }
}

/// A dim more, a dim less, other sizes, another element.
std::vector<Type> others(const Type& type) {
  const ElementType element = type.element();
  std::vector<int64_t> more(type.dims().begin(), type.dims().end());
  std::vector<int64_t> less = more;
  std::vector<int64_t> sizes = more;
  more.push_back(1);
  if (!less.empty()) less.pop_back();
  for (int64_t& size : sizes) ++size;
  const ElementType other = element == ElementType::I1 ? ElementType::F32 : ElementType::I1;
  return {Type::tensor(more, element), Type::tensor(less, element), Type::tensor(sizes, element),
          type.with_element(other)};
}

void with_other_types(Module& module, OpId op, ValueId value, Judge& judge) {
  const Type type = module.type(value);
  if (!type.is_static_tensor() || type.num_elements() > 1'000'000) return;
  for (const Type& other : others(type)) {
    module.set_type(value, other);
    judge.look_at(module, op);
  }
  module.set_type(value, type);
}

void with_other_operands(Module& module, OpId op, Judge& judge) {
  const std::vector<ValueId> operands = module.operands(op);
  if (operands.empty()) return;
  module.set_operands(op, std::span(operands).first(operands.size() - 1));
  judge.look_at(module, op);
  std::vector<ValueId> more = operands;
  more.push_back(operands.front());
  module.set_operands(op, more);
  judge.look_at(module, op);
  module.set_operands(op, operands);
}

TEST_CASE("an invalid op is an error of its kernel, not a crash", "[simulation][broken]") {
  int num_programs = 0;
  Judge judge;
  for (const auto& entry : std::filesystem::directory_iterator(SHARDY_PROGRAMS)) {
    if (entry.path().extension() != ".mlir") continue;
    ++num_programs;
    Module module = parse_program(read(entry.path()));
    const auto num_ops = static_cast<uint32_t>(module.num_ops());
    for (uint32_t index = 0; index < num_ops; ++index) {
      const OpId op(index);
      if (!runs_alone(module, op) || module.is(op, OpKind::CustomCall)) continue;
      without_attributes(module, op, judge);
      with_other_operands(module, op, judge);
      for (const ValueId value : module.operands(op)) with_other_types(module, op, value, judge);
      for (const ValueId value : module.results(op)) with_other_types(module, op, value, judge);
    }
  }
  CHECK(num_programs > 40);
  CHECK(judge.refused > 10'000);
}

}  // namespace
}  // namespace shardy_test::broken_ops_test

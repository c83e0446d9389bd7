#include "propagation/ir_program.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::propagation::testing {
namespace {

using ir::OpKind;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// Splits `text` at the first `separator`; the second part is empty if none exists.
std::pair<std::string, std::string> split_at(const std::string& text,
                                             const std::string& separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string::npos) return {trimmed(text), ""};
  return {trimmed(text.substr(0, at)), trimmed(text.substr(at + separator.size()))};
}

ir::Type tensor(std::string sizes) {
  std::vector<int64_t> dims;
  std::ranges::replace(sizes, 'x', ' ');
  for (const std::string& size : words_of(sizes)) {
    if (size != "scalar") dims.push_back(std::stoll(size));
  }
  return ir::Type::tensor(dims, ir::ElementType::F32);
}

struct Kind {
  std::string_view name;
  OpKind kind;
};
constexpr std::array kKinds = {
    Kind{"add", OpKind::Add},
    Kind{"sine", OpKind::Sine},
    Kind{"constant", OpKind::Constant},
    Kind{"iota", OpKind::Iota},
    Kind{"constraint", OpKind::SdyShardingConstraint},
    Kind{"reshard", OpKind::SdyReshard},
    Kind{"barrier", OpKind::SdyPropagationBarrier},  // barrier x FORWARD
    Kind{"reshape", OpKind::Reshape},
    Kind{"transpose", OpKind::Transpose},       // of two dims
    Kind{"broadcast", OpKind::BroadcastInDim},  // the operand's dims are the first ones
    Kind{"dot", OpKind::DotGeneral},            // m x k . k x n
    Kind{"slice", OpKind::Slice},
    Kind{"dynamic_slice", OpKind::DynamicSlice},
    Kind{"concatenate", OpKind::Concatenate},  // along the last dim
    Kind{"reduce", OpKind::Reduce},            // reduce x init: over the last dim
    Kind{"while", OpKind::While},
    Kind{"case", OpKind::Case},
    Kind{"opt", OpKind::OptimizationBarrier},
    Kind{"named", OpKind::SdyNamedComputation},
    Kind{"manual", OpKind::SdyManualComputation},
    Kind{"op", OpKind::Unknown},
};

ir::DenseArrayAttr integers(std::vector<int64_t> values) {
  return {ir::ElementType::I64, std::move(values)};
}

class IrReader {
 public:
  IrReader() {
    block_ = program_.module.entry(program_.module.add_function("main", {}, {}));
    main_ = *program_.module.main_function();
  }

  void read_line(const std::string& line);
  IrProgram finish();

 private:
  /// A statement `names = kind operands [sharding] -> shapes : tail`.
  struct Statement {
    std::vector<std::string> names;
    OpKind kind = OpKind::Unknown;
    std::vector<std::string> operands;
    std::string sharding;
    std::vector<std::string> shapes;
    std::string tail;
  };

  void declare_mesh(const std::string& text);
  void declare_argument(const std::string& name, const std::string& text);
  static Statement parse_statement(const std::string& names, const std::string& text);
  void add_statement(const Statement& statement);
  void add_return(const std::string& text);
  void add_group(const std::vector<std::string>& words);
  void yield(const std::vector<std::string>& names);
  std::vector<ir::Type> result_types(const Statement& statement) const;
  ir::AttributeMap attributes_of(const Statement& statement) const;
  void enter_regions(const Statement& statement, ir::OpSpec& spec);
  ir::BlockId add_region(ir::OpSpec& spec, std::vector<ir::Type> args);
  void return_unused();
  std::optional<TensorSharding> sharding(const std::string& text) const;
  ir::ValueId value(const std::string& name) const { return program_.values.at(name); }
  const ir::Type& type(const std::string& name) const { return program_.module.type(value(name)); }
  std::vector<ir::ValueId> operands(const std::vector<std::string>& names) const {
    std::vector<ir::ValueId> found;
    for (const std::string& name : names) found.push_back(value(name));
    return found;
  }

  IrProgram program_;
  ir::OpId main_;
  ir::BlockId block_;
  std::vector<ir::BlockId> after_;  // blocks to go on with after `yield`, innermost last
  std::map<std::string, Mesh> meshes_ = {{"mesh", make_mesh("a=2 b=2 c=2")}};
  std::vector<ir::ValueId> returned_;
  std::vector<std::string> order_;  // op results of the function itself
};

void IrReader::declare_mesh(const std::string& text) {
  const bool has_name = text.starts_with("@");
  const std::string name = has_name ? words_of(text).front().substr(1) : "mesh";
  meshes_.insert_or_assign(name, make_mesh(has_name ? text.substr(name.size() + 1) : text));
}

std::optional<TensorSharding> IrReader::sharding(const std::string& text) const {
  if (text.empty() || text == "-") return std::nullopt;
  const auto [dims, mesh] = split_at(text, "@");
  const std::string name = mesh.empty() ? "mesh" : mesh;
  return parse_sharding(meshes_.at(name), dims, name);
}

void IrReader::declare_argument(const std::string& name, const std::string& text) {
  const std::size_t begin = std::min(text.find('['), text.size());
  program_.values[name] =
      program_.module.add_argument(program_.module.entry(main_), tensor(text.substr(0, begin)));
  program_.module.function(main_).arg_attributes.emplace_back();
  const auto given = sharding(text.substr(begin));
  if (given) ir::set_sharding(program_.module, value(name), *given);
}

IrReader::Statement IrReader::parse_statement(const std::string& names, const std::string& text) {
  Statement statement{
      .names = words_of(names), .operands = {}, .sharding = {}, .shapes = {}, .tail = {}};
  const auto [head, tail] = split_at(text, " : ");
  statement.tail = tail;
  const auto [front, shapes] = split_at(head, "->");
  statement.shapes = words_of(shapes);
  const std::size_t begin = std::min(front.find('['), front.size());
  statement.sharding = trimmed(front.substr(begin));
  statement.operands = words_of(front.substr(0, begin));
  const auto* known = std::ranges::find(kKinds, statement.operands.front(), &Kind::name);
  if (known == kKinds.end()) throw std::invalid_argument("no such kind: " + text);
  statement.kind = known->kind;
  statement.operands.erase(statement.operands.begin());
  return statement;
}

std::vector<ir::Type> IrReader::result_types(const Statement& statement) const {
  std::vector<ir::Type> types;
  for (const std::string& shape : statement.shapes) types.push_back(tensor(shape));
  if (!types.empty()) return types;
  const ir::Type& first = type(statement.operands.front());
  if (statement.kind == OpKind::DotGeneral) {
    return {first.with_dims({first.dim(0), type(statement.operands[1]).dim(1)})};
  }
  if (statement.kind == OpKind::Transpose) return {first.with_dims({first.dim(1), first.dim(0)})};
  if (statement.kind == OpKind::Concatenate) {
    std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
    dims.back() *= static_cast<int64_t>(statement.operands.size());
    return {first.with_dims(dims)};
  }
  if (statement.kind == OpKind::Reduce) {
    return {first.with_dims({first.dims().begin(), first.dims().end() - 1})};
  }
  return {first};
}

ir::AttributeMap IrReader::attributes_of(const Statement& statement) const {
  ir::AttributeMap map;
  const int64_t rank = statement.operands.empty() ? 0 : type(statement.operands[0]).rank();
  if (statement.kind == OpKind::DotGeneral) {
    map.set("dot_dimension_numbers", ir::DotDims{{}, {}, {1}, {0}});
  }
  if (statement.kind == OpKind::Transpose) map.set("permutation", integers({1, 0}));
  if (statement.kind == OpKind::Reduce) map.set("dimensions", integers({rank - 1}));
  if (statement.kind == OpKind::Concatenate) {
    map.set("dimension", ir::IntegerAttr{rank - 1, ir::ElementType::I64});
  }
  if (statement.kind == OpKind::BroadcastInDim) {
    std::vector<int64_t> dims;
    for (int64_t dim = 0; dim < rank; ++dim) dims.push_back(dim);
    map.set("broadcast_dimensions", integers(dims));
  }
  if (statement.kind == OpKind::Unknown && !statement.tail.empty()) {
    map.set(ir::kShardingRuleAttr, parse_rule(statement.tail));
  }
  return map;
}

ir::BlockId IrReader::add_region(ir::OpSpec& spec, std::vector<ir::Type> args) {
  spec.regions.push_back(program_.module.new_region());
  return program_.module.new_block(spec.regions.back(), args);
}

/// Makes the regions of an op; reading goes on in the first one that holds statements.
void IrReader::enter_regions(const Statement& statement, ir::OpSpec& spec) {
  const std::vector<std::string> tail = words_of(statement.tail);
  if (statement.kind == OpKind::Case) {
    after_.push_back(block_);
    const ir::BlockId first = add_region(spec, {});
    after_.push_back(add_region(spec, {}));
    block_ = first;
    return;
  }
  if (tail.empty() || statement.kind == OpKind::Unknown) return;
  if (statement.kind == OpKind::While) {
    const ir::BlockId condition = add_region(spec, {type(statement.operands.front())});
    ir::Builder builder(program_.module, condition);
    const ir::ValueId go_on =
        builder.create_value(OpKind::Constant, {}, ir::Type::tensor({}, ir::ElementType::I1));
    builder.create({.kind = OpKind::StablehloReturn, .operands = {go_on}});
  }
  const ir::Type inside = tail.size() > 1 ? tensor(tail[1]) : type(statement.operands.front());
  after_.push_back(block_);
  block_ = add_region(spec, {inside});
  program_.values[tail[0]] = program_.module.args(block_).front();
  if (statement.kind != OpKind::SdyManualComputation) return;
  const auto [axes, shardings] = split_at(split_at(statement.tail, "|").second, "|");
  const auto [in, out] = split_at(shardings, "|");
  spec.attributes.set("manual_axes", ir::ManualAxesAttr{words_of(axes)});
  spec.attributes.set("in_shardings", ir::ShardingList{{*sharding(in)}});
  spec.attributes.set("out_shardings", ir::ShardingList{{*sharding(out)}});
}

void IrReader::add_statement(const Statement& statement) {
  Statement inputs = statement;
  ir::AttributeMap extra;
  if (statement.kind == OpKind::SdyPropagationBarrier) {
    extra.set("allowed_direction",
              ir::EnumAttr{"sdy.propagation_direction", inputs.operands.back()});
    inputs.operands.pop_back();
  }
  ir::OpSpec spec{.kind = inputs.kind,
                  .operands = operands(inputs.operands),
                  .result_types = result_types(inputs),
                  .attributes = attributes_of(inputs)};
  if (inputs.kind == OpKind::Unknown) spec.name = "test.op";
  for (const ir::NamedAttribute& entry : extra) spec.attributes.set(entry.name, entry.value);
  const ir::BlockId here = block_;
  enter_regions(inputs, spec);
  const ir::OpId op = ir::Builder(program_.module, here).create(std::move(spec));
  for (std::size_t index = 0; index < inputs.names.size(); ++index) {
    program_.values[inputs.names[index]] = program_.module.result(op, index);
    if (here == program_.module.entry(main_)) order_.push_back(inputs.names[index]);
  }
  const auto given = sharding(inputs.sharding);
  if (given) ir::set_sharding(program_.module, program_.module.result(op), *given);
}

void IrReader::yield(const std::vector<std::string>& names) {
  const ir::OpId parent = program_.module.parent_op(block_);
  // The op may not own its regions yet: it is linked to them when it is made, before they are read.
  const bool is_sdy = parent.valid() && ir::is_computation(program_.module, parent);
  ir::Builder(program_.module, block_)
      .create({.kind = is_sdy ? OpKind::SdyReturn : OpKind::StablehloReturn,
               .operands = operands(names)});
  block_ = after_.back();
  after_.pop_back();
}

void IrReader::add_group(const std::vector<std::string>& words) {
  ir::AttributeMap map;
  map.set("group_id", ir::IntegerAttr{std::stoll(words.at(2)), ir::ElementType::I64});
  ir::Builder(program_.module, block_)
      .create({.kind = OpKind::SdyShardingGroup,
               .operands = {value(words.at(1))},
               .attributes = std::move(map)});
}

void IrReader::add_return(const std::string& text) {
  const auto [what, name] = split_at(text, " as ");
  const auto [of, given] = split_at(what, " ");
  ir::FunctionData& function = program_.module.function(main_);
  function.result_types.push_back(type(of));
  function.result_attributes.emplace_back();
  if (!name.empty()) program_.results[name] = returned_.size();
  const auto known = sharding(given);
  if (known) ir::set_result_sharding(program_.module, main_, returned_.size(), *known);
  returned_.push_back(value(of));
}

void IrReader::read_line(const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  if (words.empty()) return;
  const std::string rest = trimmed(split_at(trimmed(line), words[0]).second);
  if (words[0] == "mesh") return declare_mesh(rest);
  if (words[0] == "group") return add_group(words);
  if (words[0] == "return") return add_return(rest);
  if (words[0] == "yield") return yield({words.begin() + 1, words.end()});
  if (words[0].back() == ':') {
    return declare_argument(words[0].substr(0, words[0].size() - 1), rest);
  }
  const auto [names, text] = split_at(line, " = ");
  add_statement(parse_statement(names, text));
}

/// Dead ops would be erased.
void IrReader::return_unused() {
  for (const std::string& name : order_) {
    const bool is_returned = std::ranges::find(returned_, value(name)) != returned_.end();
    if (program_.module.num_uses(value(name)) == 0 && !is_returned) add_return(name);
  }
}

IrProgram IrReader::finish() {
  return_unused();
  ir::Builder(program_.module, block_).create({.kind = OpKind::FuncReturn, .operands = returned_});
  add_data_flow_edges(program_.module);
  return std::move(program_);
}

void add_edge(ir::Module& module, ir::ValueId owner) {
  if (!module.type(owner).is_static_tensor()) return;
  const std::optional<TensorSharding> sharding = ir::get_sharding(module, owner);
  const std::vector<ir::Use> uses = module.uses(owner);
  const ir::OpId definer = module.defining_op(owner);
  ir::Builder builder = definer.valid() ? ir::Builder::after(module, definer)
                                        : ir::Builder::at_start(module, module.owner(owner).block);
  const ir::ValueId edge =
      builder.create_value(OpKind::SdyDataFlowEdge, {owner}, module.type(owner));
  for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, edge);
  if (sharding) module.attributes(module.defining_op(edge)).set("sharding", *sharding);
}

}  // namespace

void add_data_flow_edges(ir::Module& module) {
  for (const ir::OpId op : ir::pre_order(module)) {
    // Each goes to the front: the last one first.
    std::vector<ir::ValueId> owners = ir::block_arg_edge_owners(module, op);
    for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) add_edge(module, *owner);
    owners = ir::result_edge_owners(module, op);
    for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) add_edge(module, *owner);
  }
}

bool IrProgram::is_erased(const std::string& name) const {
  const ir::OpId op = module.defining_op(values.at(name));
  return op.valid() && module.is_erased(op);
}

std::string IrProgram::operator[](const std::string& name) const {
  const auto result = results.find(name);
  if (result != results.end()) {
    return to_text(ir::result_sharding(module, *module.main_function(), result->second));
  }
  if (is_erased(name)) return "erased";
  return to_text(ir::get_sharding(module, values.at(name)));
}

IrProgram parse_ir_program(std::string_view text) {
  IrReader reader;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) reader.read_line(line);
  return reader.finish();
}

}  // namespace shardy::propagation::testing

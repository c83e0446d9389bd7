#include "propagation/program.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace shardy::propagation::testing {
namespace {

/// Reads the compact notations; throws on what is none of them, since tests are to be fixed then.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  void skip_blanks() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }
  bool done() {
    skip_blanks();
    return position_ == text_.size();
  }
  bool eat(std::string_view token) {
    skip_blanks();
    if (text_.substr(position_, token.size()) != token) return false;
    position_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!eat(token)) {
      throw std::invalid_argument("expected " + std::string(token) + " in: " + std::string(text_) +
                                  " at " + std::to_string(position_));
    }
  }
  bool at_word() {
    skip_blanks();
    return position_ < text_.size() && is_word(text_[position_]);
  }
  std::string word() {
    skip_blanks();
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_word(text_[position_])) ++position_;
    if (begin == position_) throw std::invalid_argument("expected a word in " + std::string(text_));
    return std::string(text_.substr(begin, position_ - begin));
  }
  int64_t number() { return std::stoll(word()); }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

AxisRef read_axis(Reader& reader, const Mesh& mesh) {
  const std::optional<int32_t> axis = mesh.find_axis(reader.word());
  if (!axis) throw std::invalid_argument("no such axis");
  if (!reader.eat(":(")) return mesh.full_axis(*axis);
  const int64_t pre = reader.number();
  reader.expect(")");
  return {*axis, pre, reader.number()};
}

AxisList read_axes(Reader& reader, const Mesh& mesh) {
  AxisList axes;
  reader.expect("{");
  while (!reader.eat("}")) {
    axes.push_back(read_axis(reader, mesh));
    reader.eat(",");
  }
  return axes;
}

DimSharding read_dim(Reader& reader, const Mesh& mesh) {
  DimSharding dim;
  dim.is_closed = true;
  reader.expect("{");
  while (!reader.eat("}")) {
    if (reader.eat("?")) {
      dim.is_closed = false;
    } else {
      dim.axes.push_back(read_axis(reader, mesh));
    }
    reader.eat(",");
  }
  if (reader.eat("p")) dim.priority = reader.number();
  return dim;
}

TensorSharding read_sharding(Reader& reader, const Mesh& mesh, const std::string& mesh_name) {
  std::vector<DimSharding> dims;
  AxisList replicated;
  AxisList unreduced;
  reader.expect("[");
  while (!reader.eat("]")) {
    dims.push_back(read_dim(reader, mesh));
    reader.eat(",");
  }
  if (reader.eat("rep=")) replicated = read_axes(reader, mesh);
  if (reader.eat("unr=")) unreduced = read_axes(reader, mesh);
  return TensorSharding::make(mesh, mesh_name, dims, replicated, unreduced).value();
}

/// `[ij,k]`: dims of letters; each letter is a factor, known by its place in `letters`.
TensorMapping read_mapping(Reader& reader, std::string& letters) {
  TensorMapping mapping;
  reader.expect("[");
  while (!reader.eat("]")) {
    DimMapping dim;
    for (const char letter : reader.word()) {
      if (letters.find(letter) == std::string::npos) letters += letter;
      dim.push_back(static_cast<int32_t>(letters.find(letter)));
    }
    mapping.dims.push_back(dim);
    reader.eat(",");
  }
  return mapping;
}

std::vector<TensorMapping> read_mappings(Reader& reader, std::string& letters) {
  std::vector<TensorMapping> mappings;
  reader.expect("(");
  while (!reader.eat(")")) {
    mappings.push_back(read_mapping(reader, letters));
    reader.eat(",");
  }
  return mappings;
}

std::vector<int32_t> read_factors(Reader& reader, const std::string& letters) {
  std::vector<int32_t> factors;
  reader.expect("{");
  while (!reader.eat("}")) {
    factors.push_back(static_cast<int32_t>(letters.find(reader.word())));
    reader.eat(",");
  }
  std::ranges::sort(factors);
  return factors;
}

OpShardingRule read_rule(Reader& reader) {
  OpShardingRule::Parts parts;
  std::string letters;
  parts.operand_mappings = read_mappings(reader, letters);
  reader.expect("->");
  parts.result_mappings = read_mappings(reader, letters);
  // Factors are numbered by their letters.
  std::string sorted = letters;
  std::ranges::sort(sorted);
  for (auto* mappings : {&parts.operand_mappings, &parts.result_mappings}) {
    for (TensorMapping& mapping : *mappings) {
      for (DimMapping& dim : mapping.dims) {
        for (int32_t& factor : dim) {
          factor = static_cast<int32_t>(sorted.find(letters[static_cast<std::size_t>(factor)]));
        }
      }
    }
  }
  parts.factor_sizes.resize(letters.size(), 1);
  reader.expect("{");
  while (!reader.eat("}")) {
    const std::string letter = reader.word();
    reader.expect("=");
    parts.factor_sizes[sorted.find(letter)] = reader.number();
    reader.eat(",");
  }
  while (!reader.done()) {
    if (reader.eat("reduction=")) parts.reduction = read_factors(reader, sorted);
    if (reader.eat("need_replication=")) parts.need_replication = read_factors(reader, sorted);
    if (reader.eat("permutation=")) parts.permutation = read_factors(reader, sorted);
    if (reader.eat("blocked=")) parts.blocked = read_factors(reader, sorted);
    if (reader.eat("|")) break;
  }
  return OpShardingRule::make(parts).value();
}

struct Kind {
  std::string_view name;
  PriorityClass priority;
  bool is_elementwise;
};
constexpr std::array kKinds = {
    Kind{"add", PriorityClass::Pointwise, true},
    Kind{"sine", PriorityClass::Pointwise, true},
    Kind{"reshape", PriorityClass::Pointwise, false},
    Kind{"broadcast", PriorityClass::Broadcast, false},
    Kind{"dot", PriorityClass::Other, false},
    Kind{"other", PriorityClass::Other, false},
    Kind{"use", PriorityClass::Other, false},  // without a rule
    Kind{"edge", PriorityClass::Pointwise, false},
};

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

class ProgramParser {
 public:
  Status parse_line(const std::string& line);
  Result<Program> finish() {
    SHARDY_TRY(Problem problem, std::move(builder_).build());
    return Program{std::move(problem), slots_, nodes_};
  }

 private:
  void declare_mesh(const std::string& line);
  Status declare_slot(const std::string& name, const std::string& text);
  Status declare_node(const std::string& results, const std::string& text);
  Status add_edge(const std::vector<std::string>& args, const std::string& target,
                  const std::string& flags);
  Result<RuleId> rule_of(const std::string& kind, const NodeSpec& spec, const std::string& text);
  Result<OpShardingRule> dot_rule(const NodeSpec& spec);
  void set_flags(const std::string& flags, NodeSpec& spec);
  std::vector<TensorUse> uses(const std::vector<std::string>& names) const;
  SlotId slot(const std::string& name) const { return slots_.at(name); }
  std::vector<SlotId> slots(const std::vector<std::string>& names) const;
  std::vector<int64_t> shape(const TensorUse& use) const { return shapes_.at(use.slot); }

  ProblemBuilder builder_;
  std::map<std::string, Mesh> meshes_ = {{"mesh", make_mesh("a=2 b=2 c=2")}};
  std::map<std::string, SlotId> slots_;
  std::map<SlotId, std::vector<int64_t>> shapes_;
  std::map<std::string, NodeId> nodes_;
};

void ProgramParser::declare_mesh(const std::string& line) {
  std::string name = "mesh";
  std::string rest = line;
  if (!rest.empty() && rest.front() == '@') {
    name = words(rest).front().substr(1);
    rest = rest.substr(name.size() + 1);
  }
  meshes_.insert_or_assign(name, make_mesh(rest));
}

Status ProgramParser::declare_slot(const std::string& name, const std::string& text) {
  SlotSpec spec;
  Reader reader(text);
  if (reader.at_word() && !reader.eat("scalar")) {
    std::string sizes = reader.word();
    std::ranges::replace(sizes, 'x', ' ');
    for (const std::string& size : words(sizes)) spec.shape.push_back(std::stoll(size));
  }
  if (reader.eat("shares")) spec.shares = slot(reader.word());
  if (reader.eat("unstored")) spec.is_stored = false;
  const std::size_t begin = text.find('[');
  if (begin != std::string::npos) {
    const std::size_t at = text.find('@');
    const std::string mesh = at == std::string::npos ? "mesh" : words(text.substr(at + 1)).front();
    spec.sharding = parse_sharding(
        meshes_.at(mesh), text.substr(begin, at == std::string::npos ? at : at - begin), mesh);
  }
  const std::vector<int64_t> sizes = spec.shape;
  SHARDY_TRY(const SlotId id, builder_.add_slot(std::move(spec)));
  slots_[name] = id;
  shapes_[id] = sizes;
  return {};
}

std::vector<SlotId> ProgramParser::slots(const std::vector<std::string>& names) const {
  std::vector<SlotId> ids;
  for (const std::string& name : names) ids.push_back(slot(name));
  return ids;
}

std::vector<TensorUse> ProgramParser::uses(const std::vector<std::string>& names) const {
  std::vector<TensorUse> result;
  for (const std::string& name : names) result.push_back({slot(name)});
  return result;
}

Result<OpShardingRule> ProgramParser::dot_rule(const NodeSpec& spec) {
  const auto lhs = shape(spec.operands[0]);
  const auto rhs = shape(spec.operands[1]);
  OpShardingRule::Parts parts;
  parts.factor_sizes = {lhs[0], rhs[1], lhs[1]};
  parts.operand_mappings = {{{{0}, {2}}}, {{{2}, {1}}}};
  parts.result_mappings = {{{{0}, {1}}}};
  parts.reduction = {2};
  return OpShardingRule::make(parts);
}

Result<RuleId> ProgramParser::rule_of(const std::string& kind, const NodeSpec& spec,
                                      const std::string& text) {
  if (kind == "use") return RuleId();
  if (!text.empty()) {
    Reader reader(text);
    return builder_.add_rule(read_rule(reader));
  }
  if (kind == "dot") {
    SHARDY_TRY(const OpShardingRule rule, dot_rule(spec));
    return builder_.add_rule(rule);
  }
  return builder_.add_rule(OpShardingRule::identity(shape(spec.operands.front()),
                                                    spec.operands.size(), spec.results.size()));
}

void ProgramParser::set_flags(const std::string& flags, NodeSpec& spec) {
  for (const std::string& flag : words(flags)) {
    spec.is_conservative |= flag == "conservative";
    spec.is_removable |= flag == "removable";
    if (flag.starts_with("in=")) spec.parent = nodes_.at(flag.substr(3));
  }
}

Status ProgramParser::add_edge(const std::vector<std::string>& args, const std::string& target,
                               const std::string& flags) {
  TensorUse use{slot(target)};
  const bool is_put = flags.find("put=") != std::string::npos;
  if (is_put || flags.find("strip=") != std::string::npos) {
    Reader reader(flags);
    reader.expect(is_put ? "put=" : "strip=");
    ManualView view{.kind = is_put ? ManualView::Kind::Put : ManualView::Kind::Strip,
                    .manual_axes = {}};
    for (const AxisRef& axis : read_axes(reader, meshes_.at("mesh"))) {
      view.manual_axes.push_back(axis.axis);
    }
    if (is_put) view.outer = read_sharding(reader, meshes_.at("mesh"), "mesh");
    SHARDY_TRY(use.view, builder_.add_view(std::move(view)));
  }
  SHARDY_TRY(nodes_[target], builder_.add_edge(uses(args), use));
  return {};
}

Status ProgramParser::declare_node(const std::string& results, const std::string& text) {
  const std::size_t bar = text.find('|');
  const std::string flags = bar == std::string::npos ? "" : text.substr(bar + 1);
  const std::string body = text.substr(0, bar);
  const std::size_t colon = body.find(':');
  const std::string rule = colon == std::string::npos ? "" : body.substr(colon + 1);
  std::vector<std::string> args = words(body.substr(0, colon));
  const std::string kind = args.front();
  args.erase(args.begin());
  const std::vector<std::string> names = words(results);
  if (kind == "edge") return add_edge(args, names.front(), flags);
  if (kind == "barrier") {
    const std::map<std::string, Direction> directions = {{"forward", Direction::Forward},
                                                         {"backward", Direction::Backward},
                                                         {"both", Direction::Both},
                                                         {"none", Direction::None}};
    SHARDY_TRY(nodes_[names.front()],
               builder_.add_barrier(slot(args[1]), slot(names.front()), directions.at(args[0])));
    return {};
  }
  NodeSpec spec;
  spec.operands = uses(args);
  spec.results = uses(names);
  const auto known = std::ranges::find(kKinds, kind, &Kind::name);
  if (known == kKinds.end()) throw std::invalid_argument("no such kind: " + kind);
  spec.priority = known->priority;
  spec.is_elementwise = known->is_elementwise;
  set_flags(flags, spec);
  SHARDY_TRY(spec.rule, rule_of(kind, spec, rule));
  SHARDY_TRY(const NodeId id, builder_.add_node(spec));
  nodes_[names.empty() ? args.front() + "'" : names.front()] = id;
  return {};
}

Status ProgramParser::parse_line(const std::string& line) {
  const std::vector<std::string> parts = words(line);
  if (parts.empty()) return {};
  const std::string rest = line.substr(line.find(parts[0]) + parts[0].size());
  const std::vector<std::string> args(parts.begin() + 1, parts.end());
  if (parts[0] == "mesh") {
    declare_mesh(args.empty() ? "" : line.substr(line.find(args[0])));
    return {};
  }
  if (parts[0] == "group") {
    const auto members = slots(args);
    SHARDY_TRY_STATUS(builder_.add_group(members));
    return {};
  }
  if (parts[0] == "siblings") return builder_.add_siblings(slots(args));
  if (parts[0] == "return") {
    SHARDY_TRY(nodes_[args[2]], builder_.add_function_result(slot(args[0]), slot(args[2])));
    return {};
  }
  if (parts[0] == "use") return declare_node("", line);
  if (parts[0].back() == ':') {
    return declare_slot(parts[0].substr(0, parts[0].size() - 1), rest);
  }
  const auto sides = split(line, " = ");
  return declare_node(sides.at(0), sides.at(1));
}

Result<Program> read_program(std::string_view text) {
  ProgramParser parser;
  for (const std::string& line : split(std::string(text), "\n")) {
    SHARDY_TRY_STATUS(parser.parse_line(line));
  }
  return parser.finish();
}

Program run(std::string_view text, const ProblemOptions& options) {
  return after(parse_program(text), options);
}

}  // namespace

Mesh make_mesh(std::string_view text) {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> ids;
  for (const std::string& part : words(std::string(text))) {
    const auto sides = split(part, "=");
    if (sides[0] != "ids") {
      axes.push_back({sides[0], std::stoll(sides[1])});
      continue;
    }
    for (const std::string& id : split(sides[1], ",")) ids.push_back(std::stoll(id));
  }
  return Mesh::make(axes, ids).value();
}

TensorSharding parse_sharding(const Mesh& mesh, std::string_view text,
                              const std::string& mesh_name) {
  Reader reader(text);
  return read_sharding(reader, mesh, mesh_name);
}

OpShardingRule parse_rule(std::string_view text) {
  Reader reader(text);
  return read_rule(reader);
}

AxisList parse_axes(const Mesh& mesh, std::string_view text) {
  Reader reader(text);
  return read_axes(reader, mesh);
}

std::string to_text(const Mesh& mesh, AxisSpan axes) {
  std::string text;
  for (const AxisRef& axis : axes) {
    if (!text.empty()) text += ",";
    text += mesh.axis_name(axis.axis);
    if (mesh.is_full(axis)) continue;
    text += ":(" + std::to_string(axis.pre) + ")" + std::to_string(axis.size);
  }
  return text;
}

std::string to_text(const std::optional<TensorSharding>& sharding) {
  if (!sharding) return "-";
  const Mesh& mesh = sharding->mesh();
  std::string text = "[";
  for (const DimSharding& dim : sharding->dims()) {
    if (text.size() > 1) text += ",";
    text += "{" + to_text(mesh, dim.axes);
    if (!dim.is_closed) text += dim.axes.empty() ? "?" : ",?";
    text += "}";
    if (dim.priority) text += "p" + std::to_string(*dim.priority);
  }
  text += "]";
  if (!sharding->replicated_axes().empty()) {
    text += " rep={" + to_text(mesh, sharding->replicated_axes()) + "}";
  }
  if (!sharding->unreduced_axes().empty()) {
    text += " unr={" + to_text(mesh, sharding->unreduced_axes()) + "}";
  }
  const std::string name = sharding->mesh_name().value_or("inlined");
  return name == "mesh" ? text : text + " @" + name;
}

std::string Program::operator[](const std::string& name) const {
  return to_text(problem.sharding(slots.at(name)));
}

const std::string& Program::name_of(NodeId node) const {
  const auto found = std::ranges::find(nodes, node, [](const auto& entry) { return entry.second; });
  return found->first;
}

Program parse_program(std::string_view text) {
  Result<Program> program = read_program(text);
  if (!program) throw std::invalid_argument(program.error().message);
  return *std::move(program);
}

std::optional<Error> program_error(std::string_view text) {
  const Result<Program> program = read_program(text);
  return program ? std::nullopt : std::optional<Error>(program.error());
}

Program after(const Program& program, const ProblemOptions& options) {
  Program result = program;
  const Result<ProblemReport> report = propagate(result.problem, options);
  if (!report) throw std::runtime_error(report.error().message);
  return result;
}

Program after_basic(std::string_view text) { return run(text, {.algorithm = Algorithm::Basic}); }
Program after_aggressive(std::string_view text) {
  return run(text, {.algorithm = Algorithm::Aggressive});
}
Program after_op_priority(std::string_view text) {
  return run(text, {.algorithm = Algorithm::OpPriority});
}
Program after_user_priority(std::string_view text) {
  return run(text, {.algorithm = Algorithm::UserPriority});
}

}  // namespace shardy::propagation::testing

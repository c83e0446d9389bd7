// How users name what they annotate.
#include <algorithm>
#include <charconv>
#include <set>
#include <utility>
#include <vector>

#include "report/live_values.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/type_shape.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/report/annotation.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;
using text::WrittenValues;
using Place = AnnotationPlace;

namespace {

/// The op whose regions take no shardings, around a block; invalid: there is none.
OpId without_shardings(const Module& module, ir::BlockId block) {
  for (OpId op = module.parent_op(block); op.valid(); op = module.parent_op(op)) {
    const bool takes = module.is(op, OpKind::Func) || module.is(op, OpKind::If) ||
                       module.has_trait(op, ir::kDataFlow) || ir::is_computation(module, op);
    if (!takes) return op;
  }
  return {};
}

Error no_tensor(const ir::Type& type) {
  return {.message = "a sharding is of a tensor, not of " + ir::to_string(type)};
}

bool is_shardable(const ir::Type& type) {
  return ir::TypeShape(type).kind() == ValueShape::Kind::Ranked;
}

std::string result_name(uint32_t index) { return "result " + std::to_string(index); }

}  // namespace

Result<Place> annotation_place(const Module& module, ValueId value) {
  if (!is_shardable(module.type(value))) return tl::unexpected(no_tensor(module.type(value)));
  const ir::ValueOwner owner = module.owner(value);
  const ir::BlockId block = owner.is_result() ? module.parent_block(owner.op) : owner.block;
  const OpId around = module.parent_op(block);
  if (!owner.is_result() && around.valid() && module.is(around, OpKind::Func) &&
      module.entry(around) == block) {
    return Place{Place::Kind::Argument, around, owner.index, value};
  }
  if (const OpId op = without_shardings(module, block); op.valid()) {
    return fail("values in the regions of " + std::string(module.name(op)) +
                " take no shardings: each device runs them as they are");
  }
  return Place{.kind = Place::Kind::Value, .value = value};
}

namespace {

/// `result 0`, maybe behind `@main ` or `@main:`.
struct ResultName {
  std::string_view function;  // without @; empty: main
  uint32_t index = 0;
};

std::optional<ResultName> read_result_name(std::string_view name) {
  constexpr std::string_view kWord = "result ";
  const std::size_t at = name.rfind(kWord);
  if (at == std::string_view::npos) return std::nullopt;
  ResultName read;
  const std::string_view digits = name.substr(at + kWord.size());
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), read.index);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  std::string_view scope = name.substr(0, at);
  if (scope.empty()) return read;
  const bool is_scope = scope.starts_with('@') && (scope.ends_with(' ') || scope.ends_with(':'));
  if (!is_scope) return std::nullopt;
  read.function = scope.substr(1, scope.size() - 2);
  return read;
}

Result<Place> find_result(const WrittenValues& names, const ResultName& wanted) {
  const Module& module = names.module();
  std::optional<OpId> function = module.main_function();
  std::vector<std::string> known;
  for (const OpId each : module.functions()) {
    known.push_back("@" + std::string(module.symbol_name(each)));
    if (!wanted.function.empty() && module.symbol_name(each) == wanted.function) function = each;
  }
  const bool is_found =
      function && (wanted.function.empty() || module.symbol_name(*function) == wanted.function);
  if (!is_found) {
    const std::string name = "@" + std::string(wanted.function);
    return tl::unexpected(Error{"no such function: " + (wanted.function.empty() ? "@main" : name),
                                {},
                                text::known_names(name, "functions", known)});
  }
  const std::vector<ir::Type>& types = module.function(*function).result_types;
  const std::string name = symbol_text(module.symbol_name(*function));
  if (wanted.index >= types.size()) {
    return fail(name + " has " + std::to_string(types.size()) + " results, no " +
                result_name(wanted.index));
  }
  const ir::Type& type = types[wanted.index];
  if (!is_shardable(type)) return tl::unexpected(no_tensor(type));
  return Place{.kind = Place::Kind::Result, .function = *function, .index = wanted.index};
}

/// All names of values that can be annotated, and of the results of main.
std::vector<std::string> all_names(const WrittenValues& names) {
  const Module& module = names.module();
  std::vector<std::string> known;
  std::set<std::string> seen;
  for (const ValueId value : live_values(module)) {
    if (!module.has_value_name(value) || !annotation_place(module, value)) continue;
    std::string name = names(value);
    if (seen.insert(name).second) known.push_back(std::move(name));
  }
  const std::optional<OpId> main = module.main_function();
  const std::size_t results = main ? module.function(*main).result_types.size() : 0;
  known.reserve(known.size() + results);
  for (uint32_t index = 0; index < results; ++index) known.push_back(result_name(index));
  return known;
}

std::vector<std::string> full_names(const WrittenValues& names,
                                    const std::vector<WrittenValues::Group>& groups) {
  std::vector<std::string> full;
  full.reserve(groups.size());
  for (const WrittenValues::Group& group : groups) full.push_back(names.full_name(group));
  return full;
}

Error several(const WrittenValues& names, std::string_view name,
              const std::vector<WrittenValues::Group>& groups) {
  return {"several values are called " + std::string(name),
          {},
          text::shortened(full_names(names, groups))};
}

/// A name without a function refers to the main function.
void keep_those_of_main(const WrittenValues& names, std::string_view name,
                        std::vector<WrittenValues::Group>& groups) {
  if (groups.size() < 2 || name.starts_with('@')) return;
  const std::optional<std::string> meant = names.directly_in_main(full_names(names, groups));
  if (!meant) return;
  std::erase_if(groups, [&](const auto& group) { return names.full_name(group) != *meant; });
}

}  // namespace

Result<Place> find_annotation_place(const WrittenValues& names, std::string_view name) {
  std::vector<WrittenValues::Group> groups = names.find_meant(name);
  if (groups.empty()) {
    if (const auto result = read_result_name(name)) return find_result(names, *result);
    return tl::unexpected(Error{"no such value: " + std::string(name),
                                {},
                                text::known_names(name, "values", all_names(names))});
  }
  keep_those_of_main(names, name, groups);
  if (groups.size() > 1) return tl::unexpected(several(names, name, groups));
  const WrittenValues::Group& group = groups.front();
  if (group.count > 1) {
    std::vector<std::string> members;
    for (uint32_t index = 0; index < group.count; ++index) {
      members.push_back(names(ValueId(group.first.value + index)));
    }
    return tl::unexpected(Error{
        std::string(name) + " is " + std::to_string(group.count) + " values: name one of them",
        {},
        text::shortened(std::move(members))});
  }
  return annotation_place(names.module(), group.first).map_error([&](Error error) {
    return with_prefix(std::string(name) + ": ", std::move(error));
  });
}

std::string place_name(const WrittenValues& names, const Place& place) {
  const Module& module = names.module();
  const std::string name =
      place.kind == Place::Kind::Result ? result_name(place.index) : names(place.value);
  const std::string function = place.kind == Place::Kind::Value
                                   ? names.function_of(place.value)
                                   : std::string(module.symbol_name(place.function));
  const std::optional<OpId> main = module.main_function();
  const bool is_main = main && module.symbol_name(*main) == function;
  return is_main ? name : "@" + function + ":" + name;
}

}  // namespace shardy::report

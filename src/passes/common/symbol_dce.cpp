// Erases private functions without references. Spec: passes 2.
//
//   func.func @main() { call @used() }            func.func @main() { call @used() }
//   func.func private @used()              ->     func.func private @used()
//   func.func private @unused()
#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "passes/common/symbols.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Attribute;
using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

bool is_private(const Module& module, OpId op) {
  const auto* visibility = module.attribute<std::string>(op, "sym_visibility");
  return visibility != nullptr && *visibility == "private";
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '.' || c == '-';
}

/// The set of functions that public symbols and other ops reach.
class Reached {
 public:
  explicit Reached(const Module& module) : module_(module), is_live_(module.num_ops()) {
    for (const OpId op : module.ops(module.body())) {
      if (!is_private(module, op)) reach(op);
    }
    while (!pending_.empty()) {
      const OpId op = pending_.back();
      pending_.pop_back();
      follow(op);
    }
  }

  bool is_live(OpId op) const { return is_live_[op.index()]; }

 private:
  void reach(OpId op) {
    if (is_live_[op.index()]) return;
    is_live_[op.index()] = true;
    pending_.push_back(op);
  }

  void reach_symbol(std::string_view name) {
    if (const std::optional<OpId> op = module_.find_symbol(name)) reach(*op);
  }

  void follow(OpId top) {
    follow_attributes(top);
    for (const ir::RegionId region : module_.regions(top)) {
      for (const ir::BlockId block : module_.blocks(region)) {
        for (const OpId op : ir::pre_order(module_, block)) follow_attributes(op);
      }
    }
  }

  void follow_attributes(OpId op) {
    follow(module_.attributes(op));
    if (!module_.is(op, OpKind::Func)) return;
    for (const ir::AttributeMap& map : module_.function(op).arg_attributes) follow(map);
    for (const ir::AttributeMap& map : module_.function(op).result_attributes) follow(map);
  }

  void follow(const ir::AttributeMap& map) {
    for (const ir::NamedAttribute& entry : map) follow(entry.value);
  }

  /// Follows references with a stack of its own: attributes nest as deep as the parser allows.
  void follow(const Attribute& root) {
    std::vector<const Attribute*> pending = {&root};
    while (!pending.empty()) {
      const Attribute& attribute = *pending.back();
      pending.pop_back();
      if (const auto* symbol = attribute.as<ir::SymbolAttr>()) reach_symbol(symbol->name);
      if (const auto* text = attribute.as<ir::OpaqueAttr>()) reach_symbols_in(text->text);
      if (const auto* array = attribute.as<ir::ArrayAttr>()) {
        for (const Attribute& element : array->elements) pending.push_back(&element);
      }
      if (const auto* map = attribute.as<ir::AttributeMap>()) {
        for (const ir::NamedAttribute& entry : *map) pending.push_back(&entry.value);
      }
    }
  }

  /// Finds symbol references in opaque attributes by their syntax.
  void reach_symbols_in(std::string_view text) {
    for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
      std::size_t end = at + 1;
      if (end < text.size() && text[end] == '"') {
        const std::size_t close = text.find('"', end + 1);
        reach_symbol(text.substr(end + 1, close == text.npos ? close : close - end - 1));
        continue;
      }
      while (end < text.size() && is_name_char(text[end])) ++end;
      reach_symbol(text.substr(at + 1, end - at - 1));
    }
  }

  const Module& module_;
  std::vector<bool> is_live_;
  std::vector<OpId> pending_;
};

}  // namespace

void erase_dead_symbols(Module& module) {
  const auto functions = module.functions();
  if (std::ranges::none_of(functions, [&](OpId op) { return is_private(module, op); })) return;
  const Reached reached(module);
  for (const OpId function : functions) {
    if (!reached.is_live(function)) module.erase(function);
  }
}

}  // namespace shardy::passes

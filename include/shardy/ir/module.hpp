// The program graph: ops, values, blocks and regions in flat arrays, addressed by 32-bit ids.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/detail/location_table.hpp>
#include <shardy/ir/detail/name_table.hpp>
#include <shardy/ir/detail/recent_values.hpp>
#include <shardy/ir/detail/use_table.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/span_of.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::ir {

/// A use of a value: operand number `operand` of `op`.
struct Use {
  OpId op;               // op that has the operand
  uint32_t operand = 0;  // operand index
  bool operator==(const Use&) const = default;
};

/// The definition of a value: result `index` of `op`, or argument `index` of `block`.
struct ValueOwner {
  OpId op;             // op of a result; invalid for block arguments
  BlockId block;       // block of an argument; invalid for op results
  uint32_t index = 0;  // index of the result or argument
  /// Returns true for a result of an op, false for a block argument.
  bool is_result() const { return op.valid(); }
};

/// The signature of a function and its attributes. Spec: dialect 1.2.
struct FunctionData {
  std::vector<AttributeMap> arg_attributes;     // one map per argument
  std::vector<Type> result_types;               // also set for functions without a body
  std::vector<AttributeMap> result_attributes;  // one map per result
  /// Set for functions without a body; a body's block has the types.
  std::vector<Type> declared_arg_types;
  bool operator==(const FunctionData&) const;
};

/// A description of an op to be created.
struct OpSpec {
  /// Kind of the op; Unknown for ops that this library does not model.
  OpKind kind = OpKind::Unknown;
  std::string name = {};                // name of the op, only for OpKind::Unknown
  std::vector<ValueId> operands = {};   // operands in order
  std::vector<Type> result_types = {};  // result types in order
  AttributeMap attributes = {};         // all attributes of the op
  std::vector<RegionId> regions = {};   // regions from new_region that no op owns
  LocationId location = {};             // source location; invalid: unknown
};

/// A program: one top-level block with functions, meshes and other module-level ops.
///
/// An id is valid until the op, value or block is erased, and is never reused. References into a
/// module (attributes, blocks) are valid until the next op, value or block is created. A module is
/// a value: copies are independent and keep all ids.
class Module {
 public:
  Module();

  // ---- Structure, top down ----------------------------------------------------------------------
  /// Returns the top-level block, which has the functions and meshes.
  BlockId body() const { return BlockId(0); }
  /// Returns the attributes of the module op: its name as `sym_name`, `mhlo.num_partitions` and
  /// others. Spec: stablehlo 2.
  const AttributeMap& module_attributes() const { return attributes_; }
  /// Returns the attributes of the module op, for modification.
  AttributeMap& module_attributes() { return attributes_; }
  /// Returns the ops of a block, in order. Ops may be appended during iteration; the current op
  /// must not be erased.
  auto ops(BlockId block) const;
  /// Returns the arguments of a block, in order.
  std::span<const ValueId> args(BlockId block) const { return span_of(at(block).args); }
  /// Returns the blocks of a region, in order.
  std::span<const BlockId> blocks(RegionId region) const { return span_of(at(region).blocks); }
  /// Returns the regions of an op, in order.
  std::span<const RegionId> regions(OpId op) const {
    if (!at(op).has_regions) return {};
    return sides_[details(op).side].regions;
  }
  /// Returns the first block of region `index` of `op`. Requires: the block exists.
  BlockId block(OpId op, std::size_t index = 0) const {
    const std::span<const RegionId> all = regions(op);
    SHARDY_EXPECTS(index < all.size() && !at(all[index]).blocks.empty());
    return at(all[index]).blocks.front();
  }
  /// Returns the first op of a block; invalid if the block is empty.
  OpId first_op(BlockId block) const { return at(block).first; }
  /// Returns the last op of a block; invalid if the block is empty.
  OpId last_op(BlockId block) const { return at(block).last; }
  /// Returns the next op in the block of `op`; invalid after the last op.
  OpId next(OpId op) const { return at(op).next; }
  /// Returns the previous op in the block of `op`; invalid before the first op.
  OpId prev(OpId op) const { return at(op).prev; }

  // ---- Structure, bottom up ---------------------------------------------------------------------
  /// Returns the block that contains the op; invalid if no block does.
  BlockId parent_block(OpId op) const { return at(op).parent; }
  /// Returns the region that contains the block.
  RegionId parent_region(BlockId block) const { return at(block).parent; }
  /// Returns the op that owns the region; invalid for the top-level region.
  OpId parent_op(RegionId region) const { return at(region).parent; }
  /// Returns the op whose region contains the block; invalid for the top-level block.
  OpId parent_op(BlockId block) const { return parent_op(parent_region(block)); }
  /// Returns the op whose region contains `op`; invalid for top-level ops and for ops in no block.
  OpId parent_op(OpId op) const {
    const BlockId block = parent_block(op);
    return block.valid() ? parent_op(block) : OpId();
  }

  // ---- Ops --------------------------------------------------------------------------------------
  /// Returns the kind of the op.
  OpKind kind(OpId op) const { return at(op).kind; }
  /// Returns the op name with its dialect, also for OpKind::Unknown.
  std::string_view name(OpId op) const;
  /// Returns whether the op is of kind `kind`.
  bool is(OpId op, OpKind kind) const { return at(op).kind == kind; }
  /// Returns whether the kind of the op has the trait.
  bool has_trait(OpId op, OpTrait trait) const { return ir::has_trait(at(op).kind, trait); }
  /// Returns the current number of operands.
  std::size_t num_operands(OpId op) const { return at(op).num_operands; }
  /// Returns operand `index`. Requires: index < num_operands(op).
  ValueId operand(OpId op, std::size_t index) const {
    SHARDY_EXPECTS(index < at(op).num_operands);
    return uses_.value(at(op).first_operand + static_cast<uint32_t>(index));
  }
  std::vector<ValueId> operands(OpId op) const;  // all operands, in order
  /// Returns the number of results, which never changes.
  std::size_t num_results(OpId op) const { return at(op).num_results; }
  /// Returns result `index`. Requires: index < num_results(op).
  ValueId result(OpId op, std::size_t index = 0) const {
    SHARDY_EXPECTS(index < at(op).num_results);
    return ValueId(at(op).first_result + static_cast<uint32_t>(index));
  }
  std::vector<ValueId> results(OpId op) const;  // all results, in order
  /// Returns the attributes of the op.
  const AttributeMap& attributes(OpId op) const { return details(op).attributes; }
  /// Returns the attributes of the op, for modification.
  AttributeMap& attributes(OpId op) { return details(op).attributes; }
  /// Returns the attribute named `name`; null if the op has none of type T.
  template <typename T>
  const T* attribute(OpId op, std::string_view name) const {
    return attributes(op).get<T>(name);
  }
  /// Returns `value`, or an equal attribute for which this was called recently, so that ops share
  /// the memory of equal attributes. Lists of attributes that ops are created with are shared
  /// already.
  Attribute shared(Attribute value) { return recent_.shared(std::move(value)); }
  /// Returns whether the op was erased. Ids of erased ops are not reused.
  bool is_erased(OpId op) const { return at(op).erased; }
  /// Returns the number of op ids created so far, including erased ops.
  std::size_t num_ops() const { return ops_.size(); }
  /// Returns the number of value ids created so far, including erased values.
  std::size_t num_values() const { return values_.size(); }
  /// Returns the number of block ids created so far, including erased blocks.
  std::size_t num_blocks() const { return blocks_.size(); }

  /// Returns the id of the op's source location; invalid without one.
  LocationId location(OpId op) const { return details(op).location; }
  /// Returns the source location of the op, `12:7` or `/functions/0/body/3`; empty without one.
  Location source_location(OpId op) const { return source_location(location(op)); }
  /// Returns the source location with that id; empty for the invalid id.
  Location source_location(LocationId location) const { return locations_.at(location); }
  /// Returns the text of the op's source location.
  std::string location_text(OpId op) const { return source_location(op).text(); }
  /// Adds a source location. Equal locations may share an id.
  LocationId add_location(const Location& location) { return locations_.add(location); }
  /// Adds the location `line`:`column`, as add_location(Location(line, column)).
  LocationId add_location(uint32_t line, uint32_t column) { return locations_.add(line, column); }
  /// Adds a location of the module `from`, with the aliases in its text.
  LocationId add_location(const Module& from, LocationId location) {
    return locations_.add(from.locations_, location);
  }
  /// Returns the aliases in the texts of locations. Copies of the module share the aliases.
  const LocationAliases& location_aliases() const { return locations_.aliases(); }
  /// Sets the aliases that texts of locations added later may use.
  void set_location_aliases(LocationAliases aliases) { locations_.set_aliases(std::move(aliases)); }
  /// Returns the location with its aliases unexpanded: `loc(#loc3)`.
  std::string written_location(LocationId location) const {
    return locations_.written_text(location);
  }
  /// Sets the source location of the op. The invalid id removes the location.
  void set_location(OpId op, LocationId location) { details(op).location = location; }

  // ---- Values -----------------------------------------------------------------------------------
  /// Returns the type of a value.
  const Type& type(ValueId value) const { return at(value).type; }
  /// Sets the type of a value, without a check against the defining op.
  void set_type(ValueId value, Type type) { at(value).type = recent_.shared(std::move(type)); }
  /// Returns the definition of the value. Requires: an id of this module.
  ValueOwner owner(ValueId value) const {
    const ValueData& data = at(value);
    if ((data.owner & kArgument) == 0) return {OpId(data.owner), BlockId(), data.index};
    return {OpId(), BlockId(data.owner & ~kArgument), data.index};
  }
  /// Returns the op that has the value as a result; invalid for block arguments.
  OpId defining_op(ValueId value) const {
    const uint32_t owner = at(value).owner;
    return (owner & kArgument) != 0 ? OpId() : OpId(owner);
  }
  /// Returns all uses, the newest first.
  std::vector<Use> uses(ValueId value) const;
  /// Returns the number of uses.
  std::size_t num_uses(ValueId value) const { return uses_.num_uses(value); }

  // ---- Names of values --------------------------------------------------------------------------
  /// Returns the name of the value in the source program, without `%`: `x`, or `x#1` if several
  /// results share the name. Empty without a name. Names need not be unique. If an erased value was
  /// replaced, the replacement gets its name.
  std::string value_name(ValueId value) const {
    const uint32_t index = at(value).index;
    return names_of_values_.empty() ? std::string() : names_of_values_.name(value, index);
  }
  /// Returns the name of the value without the result number: `x` for `x#1`.
  std::string value_base_name(ValueId value) const { return names_of_values_.base_name(value); }
  /// Checks whether all results of the value's op share the value's name.
  bool shares_value_name(ValueId value) const { return names_of_values_.is_shared(value); }
  /// Returns whether the value has a name, including a name shared by several results.
  bool has_value_name(ValueId value) const { return names_of_values_.has(value); }
  /// Returns whether any value has a name.
  bool has_value_names() const { return !names_of_values_.empty(); }
  /// Names `count` values with consecutive ids, starting at `first`. An empty name removes names.
  /// Requires: values of this module.
  void set_value_name(ValueId first, std::string_view name, uint32_t count = 1) {
    SHARDY_EXPECTS(first.valid() && count <= values_.size() &&
                   first.index() <= values_.size() - count);
    names_of_values_.set(first, count, name);
  }
  /// Copies the name of `source` in the module `from` to `value`, unless `value` has a name. `from`
  /// may be this module.
  void copy_value_name(ValueId value, const Module& from, ValueId source);

  // ---- Functions and symbols --------------------------------------------------------------------
  /// Returns the top-level op with that symbol name; the op added first if several have the name.
  std::optional<OpId> find_symbol(std::string_view name) const { return symbols_.find(name); }
  /// Returns the mesh of that name.
  std::optional<Mesh> find_mesh(std::string_view name) const;
  std::vector<OpId> functions() const;  // all functions of the module, in program order
  std::vector<OpId> meshes() const;     // all meshes of the module, in program order
  /// Returns the function named `main`, else the only function, else the only one that is not
  /// private; std::nullopt otherwise. Spec: dialect 1.2.
  std::optional<OpId> main_function() const;
  /// Returns the `sym_name` of an op; empty if the op has none.
  std::string_view symbol_name(OpId op) const;
  /// Renames a symbol of the module.
  void set_symbol_name(OpId op, std::string name);
  /// Returns the signature and attributes of a function. Requires: is(op, OpKind::Func).
  const FunctionData& function(OpId op) const {
    SHARDY_EXPECTS(at(op).kind == OpKind::Func);
    return functions_[sides_[details(op).side].function];
  }
  /// Returns the signature and attributes of a function, for modification. Requires: is(op,
  /// OpKind::Func).
  FunctionData& function(OpId op) {
    SHARDY_EXPECTS(at(op).kind == OpKind::Func);
    return functions_[sides_[details(op).side].function];
  }
  /// Returns true if the function has no body.
  bool is_external(OpId op) const {
    return regions(op).empty() || blocks(regions(op).front()).empty();
  }
  /// Adds `sdy.mesh @name`. The verifier reports two meshes of one name.
  OpId add_mesh(std::string name, Mesh mesh);
  /// Adds a function whose entry block has arguments of the types `args`.
  OpId add_function(std::string name, std::span<const Type> args, std::vector<Type> results);
  /// Adds a function without a body: its region has no block.
  OpId declare_function(std::string name, std::vector<Type> args, std::vector<Type> results);
  /// Returns the argument types of a function, with or without a body. Requires: is(op,
  /// OpKind::Func).
  std::vector<Type> arg_types(OpId function) const;
  /// Returns the entry block. Requires: not is_external(op).
  BlockId entry(OpId function) const { return block(function); }
  /// Returns the operands of the terminator. Requires: a function with a body that ends in a
  /// terminator.
  std::vector<ValueId> returned_values(OpId function) const {
    return operands(last_op(entry(function)));  // a missing op calls the contract handler
  }

  // ---- Change -----------------------------------------------------------------------------------
  /// Creates a region without an owner, for OpSpec::regions.
  RegionId new_region();
  /// Adds a block at the end of a region, with arguments of the types `args`.
  BlockId new_block(RegionId region, std::span<const Type> args = {});
  /// Adds an argument after the arguments of a block.
  ValueId add_argument(BlockId block, Type type);
  /// Erases an argument; the indices of later arguments decrease by one. Requires: the argument has
  /// no uses.
  void erase_argument(BlockId block, std::size_t index);

  /// Creates an op outside of all blocks. Requires: the operands are values of this module; no op
  /// owns the regions.
  OpId create(OpSpec spec);
  /// Appends an op to a block. Requires: the op is in no block.
  void append(BlockId block, OpId op);
  /// Inserts `op` before `anchor`. Requires: `anchor` is in a block, `op` in none.
  void insert_before(OpId anchor, OpId op);
  /// Inserts `op` after `anchor`. Requires: `anchor` is in a block, `op` in none.
  void insert_after(OpId anchor, OpId op);
  /// Removes the op from its block. The op keeps its operands and results.
  void remove(OpId op);
  /// Erases the op, its regions and its uses. Requires: no result is used outside of the op.
  void erase(OpId op);
  /// Moves all ops of `from` to the end of `to`. Requires: two blocks.
  void splice(BlockId from, BlockId to);
  /// Adds a region to an existing op. Requires: no op owns the region.
  void add_region(OpId op, RegionId region);

  /// Replaces one operand. Requires: index < num_operands(op).
  void set_operand(OpId op, std::size_t index, ValueId value);
  /// Replaces all operands, with any number of new ones.
  void set_operands(OpId op, std::span<const ValueId> values);
  /// Replaces all uses of `from` by `to`. Requires: two values.
  void replace_all_uses(ValueId from, ValueId to);

  /// Checks whether `a` precedes `b`. Requires: both are in one block.
  bool is_before(OpId a, OpId b) const { return at(a).order < at(b).order; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  /// The fields of an op that walks read. The struct is small, because memory bandwidth limits
  /// walks.
  struct OpData {
    OpKind kind = OpKind::Unknown;
    bool erased = false;
    bool has_regions = false;
    uint32_t first_operand = 0, num_operands = 0;
    uint32_t first_result = 0, num_results = 0;
    OpId prev, next;
    BlockId parent;
    int64_t order = 0;  // ascending within a block, with gaps for insertions
  };
  /// The fields of an op that walks do not read.
  struct OpDetails {
    AttributeMap attributes;
    LocationId location;
    uint32_t side = kNone;  // index in sides_
  };
  static_assert(sizeof(OpData) <= 40 && sizeof(OpDetails) <= 16);
  /// The fields that few ops have: those with regions and those of unknown kinds.
  struct OpSide {
    std::vector<RegionId> regions;
    std::string name;           // of an op of an unknown kind
    uint32_t function = kNone;  // index in functions_ of a function
  };
  struct ValueData {
    Type type;
    uint32_t owner = kNone;  // defining op, or block with kArgument set
    uint32_t index = 0;      // index among the results or arguments
  };
  static_assert(sizeof(ValueData) <= 16);
  struct BlockData {
    RegionId parent;
    OpId first, last;
    std::vector<ValueId> args;
  };
  struct RegionData {
    OpId parent;
    std::vector<BlockId> blocks;
  };
  /// Flag of `owner`; modules have fewer ops and blocks.
  static constexpr uint32_t kArgument = uint32_t{1} << 31U;
  static constexpr int64_t kOrderGap = int64_t{1} << 20;

  template <class Id, class Table>
  static auto& row(Id id, Table& table) {
    SHARDY_EXPECTS(shardy::detail::is_in(id, table));
    return table[id.index()];
  }
  OpData& at(OpId id) { return row(id, ops_); }
  const OpData& at(OpId id) const { return row(id, ops_); }
  OpDetails& details(OpId id) { return row(id, details_); }
  const OpDetails& details(OpId id) const { return row(id, details_); }
  ValueData& at(ValueId id) { return row(id, values_); }
  const ValueData& at(ValueId id) const { return row(id, values_); }
  BlockData& at(BlockId id) { return row(id, blocks_); }
  const BlockData& at(BlockId id) const { return row(id, blocks_); }
  RegionData& at(RegionId id) { return row(id, regions_); }
  const RegionData& at(RegionId id) const { return row(id, regions_); }

  ValueId new_value(ValueData data);
  std::vector<OpId> top_level_ops(OpKind kind) const;
  uint32_t add_side(OpSpec& spec);
  void link_between(OpId op, BlockId block, OpId prev, OpId next);
  void number(OpId op);
  void make_room(OpId op);
  bool names_symbol(OpId op) const;
  void transfer_names(OpId erased);

  AttributeMap attributes_;
  std::vector<OpData> ops_;
  std::vector<OpDetails> details_;  // one element per op
  std::vector<OpSide> sides_;       // of few ops
  std::vector<ValueData> values_;
  UseTable uses_;
  std::vector<BlockData> blocks_;
  std::vector<RegionData> regions_;
  std::vector<FunctionData> functions_;
  LocationTable locations_;
  NameTable names_of_values_;
  SharedValues recent_;
  SymbolIndex symbols_;
};

/// An iterator over the ops of one block.
class OpIterator {
 public:
  using value_type = OpId;                 // an op of the block
  using difference_type = std::ptrdiff_t;  // difference of iterators
  OpIterator() = default;
  /// Starts at `op`. An invalid `op` is the end.
  OpIterator(const Module* module, OpId op) : module_(module), op_(op) {}
  /// Returns the current op.
  OpId operator*() const { return op_; }
  /// Advances to the next op. Requires: not at the end; the current op is not erased.
  OpIterator& operator++() {
    SHARDY_EXPECTS(module_ != nullptr);
    op_ = module_->next(op_);
    return *this;
  }
  /// Advances to the next op. Requires: not at the end; the current op is not erased.
  OpIterator operator++(int) {
    const OpIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const OpIterator& other) const { return op_ == other.op_; }

 private:
  const Module* module_ = nullptr;
  OpId op_;
};

/// The ops of a block, for range-based `for`.
struct OpRange {
  OpIterator first;  // iterator at the first op
  /// Returns the iterator at the first op.
  OpIterator begin() const { return first; }
  /// Returns the iterator after the last op.
  OpIterator end() const { return {}; }
  /// Returns whether the block has no op.
  bool empty() const { return begin() == end(); }
};

inline auto Module::ops(BlockId block) const { return OpRange{OpIterator(this, at(block).first)}; }

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <shardy/ir/attribute_names.hpp>

namespace shardy::ir {

SHARDY_INLINE bool FunctionData::operator==(const FunctionData&) const = default;

SHARDY_INLINE Module::Module() {
  const RegionId top = new_region();
  new_block(top);
}

// ---- Reading ------------------------------------------------------------------------------------

SHARDY_INLINE std::vector<ValueId> Module::operands(OpId op) const {
  std::vector<ValueId> values;
  values.reserve(num_operands(op));
  for (std::size_t index = 0; index < num_operands(op); ++index) {
    values.push_back(operand(op, index));
  }
  return values;
}

SHARDY_INLINE std::vector<ValueId> Module::results(OpId op) const {
  std::vector<ValueId> values;
  values.reserve(num_results(op));
  for (std::size_t index = 0; index < num_results(op); ++index) {
    values.push_back(result(op, index));
  }
  return values;
}

SHARDY_INLINE std::vector<Use> Module::uses(ValueId value) const {
  std::vector<Use> found;
  found.reserve(num_uses(value));
  for (uint32_t slot = uses_.first(value); slot != UseTable::kEnd; slot = uses_.next(slot)) {
    const OpId op = uses_.op(slot);
    found.push_back(Use{op, slot - at(op).first_operand});
  }
  return found;
}

// ---- Functions and symbols ----------------------------------------------------------------------

SHARDY_INLINE std::string_view Module::symbol_name(OpId op) const {
  const auto* name = attribute<std::string>(op, attr::kSymName);
  return name ? std::string_view(*name) : std::string_view();
}

SHARDY_INLINE void Module::set_symbol_name(OpId op, std::string name) {
  if (names_symbol(op)) symbols_.remove(symbol_name(op), op);
  attributes(op).set(attr::kSymName, std::move(name));
  if (names_symbol(op)) symbols_.add(symbol_name(op), op);
}

SHARDY_INLINE std::optional<Mesh> Module::find_mesh(std::string_view name) const {
  const std::optional<OpId> op = find_symbol(name);
  if (!op || !is(*op, OpKind::SdyMesh)) return std::nullopt;
  const Mesh* mesh = attribute<Mesh>(*op, attr::kMesh);
  return mesh ? std::optional(*mesh) : std::nullopt;
}

SHARDY_INLINE std::vector<OpId> Module::top_level_ops(OpKind kind) const {
  std::vector<OpId> found;
  for (const OpId op : ops(body())) {
    if (is(op, kind)) found.push_back(op);
  }
  return found;
}

SHARDY_INLINE std::vector<OpId> Module::functions() const { return top_level_ops(OpKind::Func); }

SHARDY_INLINE std::vector<OpId> Module::meshes() const { return top_level_ops(OpKind::SdyMesh); }

SHARDY_INLINE std::optional<OpId> Module::main_function() const {
  const std::optional<OpId> named = find_symbol("main");
  if (named && is(*named, OpKind::Func)) return named;
  std::vector<OpId> all = functions();
  if (all.size() == 1) return all.front();
  std::erase_if(all, [&](OpId function) {
    const auto* visibility = attribute<std::string>(function, "sym_visibility");
    return visibility != nullptr && *visibility == "private";
  });
  return all.size() == 1 ? std::optional(all.front()) : std::nullopt;
}

SHARDY_INLINE OpId Module::add_mesh(std::string name, Mesh mesh) {
  OpSpec spec{.kind = OpKind::SdyMesh};
  spec.attributes.set(attr::kSymName, std::move(name));
  spec.attributes.set(attr::kMesh, std::move(mesh));
  const OpId op = create(std::move(spec));
  append(body(), op);
  return op;
}

SHARDY_INLINE OpId Module::add_function(std::string name, std::span<const Type> args,
                                        std::vector<Type> results) {
  OpSpec spec{.kind = OpKind::Func, .regions = {new_region()}};
  new_block(spec.regions.front(), args);
  spec.attributes.set(attr::kSymName, std::move(name));
  const OpId op = create(std::move(spec));
  FunctionData& data = function(op);
  data.arg_attributes.resize(args.size());
  data.result_attributes.resize(results.size());
  data.result_types = std::move(results);
  append(body(), op);
  return op;
}

SHARDY_INLINE OpId Module::declare_function(std::string name, std::vector<Type> args,
                                            std::vector<Type> results) {
  OpSpec spec{.kind = OpKind::Func, .regions = {new_region()}};
  spec.attributes.set(attr::kSymName, std::move(name));
  const OpId op = create(std::move(spec));
  FunctionData& data = function(op);
  data.arg_attributes.resize(args.size());
  data.declared_arg_types = std::move(args);
  data.result_attributes.resize(results.size());
  data.result_types = std::move(results);
  append(body(), op);
  return op;
}

SHARDY_INLINE std::vector<Type> Module::arg_types(OpId function) const {
  if (is_external(function)) return this->function(function).declared_arg_types;
  std::vector<Type> types;
  for (const ValueId arg : args(entry(function))) types.push_back(type(arg));
  return types;
}

// ---- Making parts -------------------------------------------------------------------------------

SHARDY_INLINE RegionId Module::new_region() {
  regions_.emplace_back();
  return RegionId(static_cast<uint32_t>(regions_.size() - 1));
}

SHARDY_INLINE BlockId Module::new_block(RegionId region, std::span<const Type> args) {
  SHARDY_EXPECTS(region.index() < regions_.size());
  const BlockId block(static_cast<uint32_t>(blocks_.size()));
  blocks_.emplace_back();
  at(block).parent = region;
  at(region).blocks.push_back(block);
  for (const Type& type : args) add_argument(block, type);
  return block;
}

SHARDY_INLINE ValueId Module::add_argument(BlockId block, Type type) {
  const auto index = static_cast<uint32_t>(at(block).args.size());
  const ValueId value =
      new_value({.type = std::move(type), .owner = block.value | kArgument, .index = index});
  at(block).args.push_back(value);
  return value;
}

SHARDY_INLINE void Module::erase_argument(BlockId block, std::size_t index) {
  std::vector<ValueId>& args = at(block).args;
  SHARDY_EXPECTS(index < args.size() && num_uses(args[index]) == 0);
  args.erase(args.begin() + static_cast<std::ptrdiff_t>(index));
  for (; index < args.size(); ++index) at(args[index]).index = static_cast<uint32_t>(index);
}

SHARDY_INLINE ValueId Module::new_value(ValueData data) {
  data.type = recent_.shared(std::move(data.type));
  shardy::detail::push_row(values_, std::move(data));
  uses_.add_value();
  return ValueId(static_cast<uint32_t>(values_.size() - 1));
}

SHARDY_INLINE OpId Module::create(OpSpec spec) {
  // Operands are checked before any change, because a contract handler may throw and leave the
  // module in use.
  for (const ValueId value : spec.operands) SHARDY_EXPECTS(value.index() < values_.size());
  for (const RegionId region : spec.regions) SHARDY_EXPECTS(!at(region).parent.valid());
  const OpId op(static_cast<uint32_t>(ops_.size()));
  shardy::detail::push_row(ops_, OpData());
  const auto first_result = static_cast<uint32_t>(values_.size());
  for (std::size_t index = 0; index < spec.result_types.size(); ++index) {
    new_value({.type = std::move(spec.result_types[index]),
               .owner = op.value,
               .index = static_cast<uint32_t>(index)});
  }
  for (const RegionId region : spec.regions) at(region).parent = op;
  OpData& data = at(op);
  data.kind = spec.kind;
  data.has_regions = !spec.regions.empty();
  data.first_result = first_result;
  data.num_results = static_cast<uint32_t>(spec.result_types.size());
  data.first_operand = uses_.add_operands(op, spec.operands);
  data.num_operands = static_cast<uint32_t>(spec.operands.size());
  const uint32_t side = add_side(spec);
  AttributeMap attributes = recent_.shared(std::move(spec.attributes), spec.kind);
  shardy::detail::push_row(details_, OpDetails{std::move(attributes), spec.location, side});
  return op;
}

/// Adds the fields that few ops have. Returns their index; kNone if the op has none of them.
SHARDY_INLINE uint32_t Module::add_side(OpSpec& spec) {
  const bool is_function = spec.kind == OpKind::Func;
  if (spec.regions.empty() && !is_function && spec.kind != OpKind::Unknown) return kNone;
  const auto function = static_cast<uint32_t>(functions_.size());
  if (is_function) functions_.emplace_back();
  sides_.push_back({std::move(spec.regions), std::move(spec.name), is_function ? function : kNone});
  return static_cast<uint32_t>(sides_.size() - 1);
}

SHARDY_INLINE void Module::add_region(OpId op, RegionId region) {
  SHARDY_EXPECTS(op.index() < ops_.size() && !at(region).parent.valid());
  at(region).parent = op;
  at(op).has_regions = true;
  uint32_t& side = details(op).side;
  if (side == kNone) {
    side = static_cast<uint32_t>(sides_.size());
    sides_.emplace_back();
  }
  sides_[side].regions.push_back(region);
}

// ---- Order --------------------------------------------------------------------------------------

SHARDY_INLINE void Module::append(BlockId block, OpId op) {
  link_between(op, block, at(block).last, OpId());
}

SHARDY_INLINE void Module::insert_before(OpId anchor, OpId op) {
  link_between(op, at(anchor).parent, at(anchor).prev, anchor);
}

SHARDY_INLINE void Module::insert_after(OpId anchor, OpId op) {
  link_between(op, at(anchor).parent, anchor, at(anchor).next);
}

SHARDY_INLINE void Module::link_between(OpId op, BlockId block, OpId prev, OpId next) {
  SHARDY_EXPECTS(!at(op).parent.valid() && !at(op).erased && block.index() < blocks_.size());
  at(op).parent = block;
  at(op).prev = prev;
  at(op).next = next;
  (prev.valid() ? at(prev).next : at(block).first) = op;
  (next.valid() ? at(next).prev : at(block).last) = op;
  number(op);
  if (names_symbol(op)) symbols_.add(symbol_name(op), op);
}

/// Gives `op`, which is in a block, an order number between the numbers of its neighbours.
SHARDY_INLINE void Module::number(OpId op) {
  const OpId prev = at(op).prev;
  const OpId next = at(op).next;
  const int64_t low = prev.valid() ? at(prev).order : 0;
  const int64_t high = next.valid() ? at(next).order : low + 2 * kOrderGap;
  at(op).order = low + (high - low) / 2;
  if (at(op).order == low && (prev.valid() || low == high)) make_room(op);
}

/// Makes room for an op that has the order number of a neighbour: spreads the numbers of the
/// smallest aligned range that is sparse enough. Larger ranges must be sparser, so that n
/// insertions at one position take O(n log n) time. Source: Bender and others, labels of an ordered
/// list, ESA 2002.
SHARDY_INLINE void Module::make_room(OpId op) {
  OpId first = op;
  OpId last = op;
  int64_t count = 1;
  for (int bits = 2;; ++bits) {
    const int64_t size = int64_t{1} << bits;
    const int64_t begin = at(op).order / size * size;
    for (OpId prev = at(first).prev; prev.valid() && at(prev).order >= begin; ++count) {
      first = std::exchange(prev, at(prev).prev);
    }
    for (OpId next = at(last).next; next.valid() && at(next).order < begin + size; ++count) {
      last = std::exchange(next, at(next).next);
    }
    if (count > int64_t{1} << (3 * bits / 4)) continue;
    const int64_t gap = size / count;
    int64_t order = begin + gap / 2;
    for (OpId each = first;; each = at(each).next, order += gap) {
      at(each).order = order;
      if (each == last) return;
    }
  }
}

SHARDY_INLINE void Module::remove(OpId op) {
  OpData& data = at(op);
  if (!data.parent.valid()) return;
  (data.prev.valid() ? at(data.prev).next : at(data.parent).first) = data.next;
  (data.next.valid() ? at(data.next).prev : at(data.parent).last) = data.prev;
  if (names_symbol(op)) symbols_.remove(symbol_name(op), op);
  data.parent = BlockId();
  data.prev = data.next = OpId();
}

SHARDY_INLINE void Module::erase(OpId op) {
  remove(op);
  std::vector<OpId> pending = {op};
  std::vector<OpId> doomed;
  while (!pending.empty()) {
    const OpId current = pending.back();
    pending.pop_back();
    doomed.push_back(current);
    for (const RegionId region : regions(current)) {
      for (const BlockId block : at(region).blocks) {
        for (const OpId inner : ops(block)) pending.push_back(inner);
      }
    }
  }
  for (const OpId each : doomed) {
    const OpData& data = at(each);
    for (uint32_t slot = 0; slot < data.num_operands; ++slot) {
      uses_.remove(data.first_operand + slot);
    }
    at(each).num_operands = 0;
    at(each).erased = true;
    if (!names_of_values_.empty()) transfer_names(each);
  }
}

SHARDY_INLINE void Module::splice(BlockId from, BlockId to) {
  SHARDY_EXPECTS(from != to);
  while (at(from).first.valid()) {
    const OpId op = at(from).first;
    remove(op);
    append(to, op);
  }
}

// ---- Uses ---------------------------------------------------------------------------------------

SHARDY_INLINE void Module::set_operand(OpId op, std::size_t index, ValueId value) {
  SHARDY_EXPECTS(index < at(op).num_operands && value.index() < values_.size());
  const uint32_t slot = at(op).first_operand + static_cast<uint32_t>(index);
  if (uses_.value(slot) != value) uses_.replace(slot, value);
}

SHARDY_INLINE void Module::set_operands(OpId op, std::span<const ValueId> values) {
  const std::vector<ValueId> copy(values.begin(), values.end());
  for (uint32_t slot = 0; slot < at(op).num_operands; ++slot) {
    uses_.remove(at(op).first_operand + slot);
  }
  const uint32_t first = uses_.add_operands(op, copy);
  at(op).first_operand = first;
  at(op).num_operands = static_cast<uint32_t>(copy.size());
}

/// Gives the names of the op's values to the values that replaced them. A replacement of another
/// type, such as a shard, gets no name here; the printer derives one.
SHARDY_INLINE void Module::transfer_names(OpId erased) {
  const auto pass_on = [&](ValueId from) {
    const ValueId replacement = names_of_values_.take_replacement(from);
    if (!replacement.valid() || !names_of_values_.has(from) || names_of_values_.has(replacement))
      return;
    if (type(from) == type(replacement)) copy_value_name(replacement, *this, from);
  };
  for (std::size_t index = 0; index < num_results(erased); ++index) pass_on(result(erased, index));
  for (const RegionId region : regions(erased)) {
    for (const BlockId block : at(region).blocks) {
      for (const ValueId arg : at(block).args) pass_on(arg);
    }
  }
}
SHARDY_INLINE void Module::copy_value_name(ValueId value, const Module& from, ValueId source) {
  SHARDY_EXPECTS(value.index() < values_.size() && source.index() < from.values_.size());
  if (!from.has_value_name(source) || has_value_name(value)) return;
  const bool shared = from.shares_value_name(source) && owner(value).is_result() &&
                      at(value).index == from.at(source).index &&
                      num_results(owner(value).op) == from.num_results(from.owner(source).op);
  names_of_values_.set(value, shared ? from.value_base_name(source) : from.value_name(source),
                       shared);
}
SHARDY_INLINE void Module::replace_all_uses(ValueId from, ValueId to) {
  if (from == to) return;
  if (!names_of_values_.empty()) names_of_values_.set_replacement(from, to);
  while (uses_.num_uses(from) != 0) uses_.replace(uses_.first(from), to);
}

SHARDY_INLINE std::string_view Module::name(OpId op) const {
  return at(op).kind == OpKind::Unknown ? std::string_view(sides_[details(op).side].name)
                                        : info(at(op).kind).name;
}

SHARDY_INLINE bool Module::names_symbol(OpId op) const {
  return at(op).parent == body() && ir::has_trait(at(op).kind, kSymbol) &&
         attribute<std::string>(op, attr::kSymName);
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES

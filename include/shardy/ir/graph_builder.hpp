// Creation of ops at an insertion point, and of programs in C++: ops with inferred types, sharding
// annotations, and one error at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace shardy::ir {

/// An insertion point in a module. Callers pass the result types of an op; GraphBuilder infers
/// result types.
class Builder {
 public:
  /// Sets the insertion point at the end of `block`.
  Builder(Module& module, BlockId block) : module_(&module), block_(block) {}
  /// Returns a builder that inserts before `op`. Requires: `op` is in a block.
  static Builder before(Module& module, OpId op) { return {module, module.parent_block(op), op}; }
  /// Returns a builder that inserts after `op`. Requires: `op` is in a block.
  static Builder after(Module& module, OpId op) {
    return {module, module.parent_block(op), module.next(op)};
  }
  /// Returns a builder that inserts at the beginning of `block`.
  static Builder at_start(Module& module, BlockId block) {
    return {module, block, module.first_op(block)};
  }

  /// Returns the module of the insertion point.
  Module& module() const { return *module_; }
  /// Returns the block of the insertion point.
  BlockId block() const { return block_; }
  /// Sets the location of the ops that this builder creates from now on.
  void set_location(LocationId location) { location_ = location; }

  /// Creates an op at the insertion point; the next op is inserted after this op. Requires: as
  /// Module::create.
  OpId create(OpSpec spec);
  /// Creates an op with one result and returns the result.
  ValueId create_value(OpKind kind, std::vector<ValueId> operands, Type type,
                       AttributeMap attributes = {});

 private:
  Builder(Module& module, BlockId block, OpId next)
      : module_(&module), block_(block), next_(next) {}

  Module* module_;
  BlockId block_;
  OpId next_;  // op after the insertion point; invalid: the end of the block
  LocationId location_;
};

/// An optional sharding that is passed as a value or as text.
///
/// Text has the form of algebra 10.2, `<@m, [{"x"}, {?}]>`, or only the part after the mesh,
/// `[{"x"}, {?}], replicated={"y"}`. A text without a mesh refers to the first mesh of the builder.
class ShardingSpec {
 public:
  ShardingSpec() = default;
  /// A sharding by value, with its mesh.
  ShardingSpec(TensorSharding sharding)  // NOLINT(google-explicit-constructor)
      : value_(std::move(sharding)) {}
  ShardingSpec(std::string text)
      : value_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  /// A sharding as text. The text is parsed by the function that gets the spec.
  ShardingSpec(const char* text)  // NOLINT(google-explicit-constructor)
      : value_(std::string(text)) {}

  /// Returns true if the spec has no sharding.
  bool empty() const { return std::holds_alternative<std::monostate>(value_); }
  /// Returns the sharding passed by value, or null.
  const TensorSharding* sharding() const { return std::get_if<TensorSharding>(&value_); }
  /// Returns the sharding passed as text, or null.
  const std::string* text() const { return std::get_if<std::string>(&value_); }

 private:
  std::variant<std::monostate, TensorSharding, std::string> value_;
};

/// A builder of a module, op by op, with result types from infer_result_types.
///
/// The builder keeps the first error. After an error, calls do nothing and return values that are
/// not valid(); finish() returns the error, with the name of the op. Example:
///
///   GraphBuilder g;
///   g.mesh("m", {{"x", 2}, {"y", 4}});
///   g.function("main");
///   const ValueId a = g.argument(Type::tensor({8, 16}, ElementType::F32), "[{\"x\"}, {}]");
///   const ValueId b = g.argument(Type::tensor({16, 32}, ElementType::F32), "[{}, {\"y\"}]");
///   g.ret({g.tanh(g.dot(a, b))});
///   const Result<Module> module = g.finish();
class GraphBuilder {
 public:
  using Values = std::vector<ValueId>;  // operands or results, in order
  using Dims = std::vector<int64_t>;    // one number for each dim, or dim numbers
  /// A function that builds a region: the argument has the block arguments, the result has the
  /// values to yield.
  using Body = std::function<Values(std::span<const ValueId>)>;

  GraphBuilder() = default;

  // ---- Program ----------------------------------------------------------------------------------
  /// Adds a mesh. Shardings without a mesh name refer to the first mesh of the builder.
  void mesh(std::string name, std::vector<MeshAxis> axes, std::vector<int64_t> device_ids = {});
  /// Adds a mesh that exists as a value.
  void mesh(std::string name, const Mesh& mesh);
  /// Begins a function; the ops that follow are added to it.
  OpId function(std::string name, bool is_private = false);
  /// Adds an argument to the current function. `sharding` is the argument's annotation.
  ValueId argument(const Type& type, const ShardingSpec& sharding = {});
  /// Ends the function and returns `values`. `shardings` is empty or has one sharding per result.
  void ret(const Values& values, const std::vector<ShardingSpec>& shardings = {});
  /// Sets the source location of the next ops, which diagnostics print: "12:7".
  void location(const Location& at);
  /// Sets an attribute of the op that defines `value`.
  void set_attribute(ValueId value, std::string_view name, Attribute attribute);

  /// Returns the first error; std::nullopt if no call failed.
  const std::optional<Error>& error() const { return error_; }
  /// Returns the module built so far, not verified.
  const Module& module() const { return module_; }
  /// Returns the type of a value; the token type if the value is not valid().
  Type type(ValueId value) const { return is_value(value) ? module_.type(value) : Type(); }
  /// Returns the verified module, and leaves the builder empty. Errors: the first error of any
  /// call; otherwise the first error of the verifier, with the number of further errors as a note.
  Result<Module> finish();

  // ---- Any op -----------------------------------------------------------------------------------
  /// Adds an op and returns its results. infer_result_types determines the result types.
  Values op(OpSpec spec);
  /// Adds an op with one result and returns the result.
  ValueId value_of(OpSpec spec);
  /// Adds an unregistered op with the given result types.
  Values custom(std::string name, Values operands, std::vector<Type> result_types,
                AttributeMap attributes = {});
  /// Makes a region of one block. `body` builds its ops, and a terminator of kind `terminator`
  /// yields the values that `body` returns.
  RegionId region(std::span<const Type> args, const Body& body, OpKind terminator);

  // ---- Constants --------------------------------------------------------------------------------
  /// Adds a constant of the literal's type.
  ValueId constant(Literal value);
  /// Adds a constant whose elements are all `value`, converted to the element type. Errors: `type`
  /// is not a static tensor.
  ValueId splat(const Type& type, double value);
  /// Adds an integer constant whose elements are all `value`. Errors: `value` does not fit the
  /// element type.
  ValueId int_splat(const Type& type, int64_t value);
  /// Adds a constant of `values`, row-major. `type` is a static tensor type.
  ValueId constant(const Type& type, std::span<const double> values);
  /// Adds a constant of `values`, row-major. `type` is a static tensor type.
  ValueId constant(const Type& type, std::initializer_list<double> values);
  /// Adds a tensor whose elements are their index along `dim`. Errors: `dim` is not a dim of
  /// `type`.
  ValueId iota(const Type& type, int64_t dim);

  // ---- Elementwise ------------------------------------------------------------------------------
  /// Adds an op of one operand. The result has the operand's type, or the fixed result type of the
  /// op kind.
  ValueId unary(OpKind kind, ValueId x) { return value_of({.kind = kind, .operands = {x}}); }
  /// Adds an op of two operands of equal shape.
  ValueId binary(OpKind kind, ValueId a, ValueId b) {
    return value_of({.kind = kind, .operands = {a, b}});
  }
  ValueId abs(ValueId x) { return unary(OpKind::Abs, x); }
  ValueId cbrt(ValueId x) { return unary(OpKind::Cbrt, x); }
  ValueId ceil(ValueId x) { return unary(OpKind::Ceil, x); }
  ValueId cosine(ValueId x) { return unary(OpKind::Cosine, x); }
  ValueId count_leading_zeros(ValueId x) { return unary(OpKind::CountLeadingZeros, x); }
  ValueId exponential(ValueId x) { return unary(OpKind::Exponential, x); }
  ValueId exponential_minus_one(ValueId x) { return unary(OpKind::ExponentialMinusOne, x); }
  ValueId floor(ValueId x) { return unary(OpKind::Floor, x); }
  ValueId imag(ValueId x) { return unary(OpKind::Imag, x); }
  ValueId is_finite(ValueId x) { return unary(OpKind::IsFinite, x); }
  ValueId log(ValueId x) { return unary(OpKind::Log, x); }
  ValueId log_plus_one(ValueId x) { return unary(OpKind::LogPlusOne, x); }
  ValueId logistic(ValueId x) { return unary(OpKind::Logistic, x); }
  ValueId negate(ValueId x) { return unary(OpKind::Negate, x); }
  ValueId not_(ValueId x) { return unary(OpKind::Not, x); }
  ValueId popcnt(ValueId x) { return unary(OpKind::PopulationCount, x); }
  ValueId real(ValueId x) { return unary(OpKind::Real, x); }
  ValueId round_nearest_afz(ValueId x) { return unary(OpKind::RoundNearestAfz, x); }
  ValueId round_nearest_even(ValueId x) { return unary(OpKind::RoundNearestEven, x); }
  ValueId rsqrt(ValueId x) { return unary(OpKind::Rsqrt, x); }
  ValueId sign(ValueId x) { return unary(OpKind::Sign, x); }
  ValueId sine(ValueId x) { return unary(OpKind::Sine, x); }
  ValueId sqrt(ValueId x) { return unary(OpKind::Sqrt, x); }
  ValueId tan(ValueId x) { return unary(OpKind::Tan, x); }
  ValueId tanh(ValueId x) { return unary(OpKind::Tanh, x); }
  ValueId add(ValueId a, ValueId b) { return binary(OpKind::Add, a, b); }
  ValueId and_(ValueId a, ValueId b) { return binary(OpKind::And, a, b); }
  ValueId atan2(ValueId a, ValueId b) { return binary(OpKind::Atan2, a, b); }
  /// Combines real and imaginary parts, both f32 or both f64, to complex numbers.
  ValueId complex(ValueId real_part, ValueId imag_part) {
    return binary(OpKind::Complex, real_part, imag_part);
  }
  ValueId divide(ValueId a, ValueId b) { return binary(OpKind::Divide, a, b); }
  ValueId maximum(ValueId a, ValueId b) { return binary(OpKind::Maximum, a, b); }
  ValueId minimum(ValueId a, ValueId b) { return binary(OpKind::Minimum, a, b); }
  ValueId multiply(ValueId a, ValueId b) { return binary(OpKind::Multiply, a, b); }
  ValueId or_(ValueId a, ValueId b) { return binary(OpKind::Or, a, b); }
  ValueId power(ValueId a, ValueId b) { return binary(OpKind::Power, a, b); }
  ValueId remainder(ValueId a, ValueId b) { return binary(OpKind::Remainder, a, b); }
  ValueId shift_left(ValueId a, ValueId b) { return binary(OpKind::ShiftLeft, a, b); }
  /// Shifts each element of `a` right by the element of `b`, and fills with the sign bit.
  ValueId shift_right_arithmetic(ValueId a, ValueId b) {
    return binary(OpKind::ShiftRightArithmetic, a, b);
  }
  /// Shifts each element of `a` right by the element of `b`, and fills with zeros.
  ValueId shift_right_logical(ValueId a, ValueId b) {
    return binary(OpKind::ShiftRightLogical, a, b);
  }
  ValueId subtract(ValueId a, ValueId b) { return binary(OpKind::Subtract, a, b); }
  ValueId xor_(ValueId a, ValueId b) { return binary(OpKind::Xor, a, b); }
  /// Compares elements. `direction` is EQ, NE, GE, GT, LE or LT; `type` is FLOAT, TOTALORDER,
  /// SIGNED, UNSIGNED or empty.
  ValueId compare(ValueId a, ValueId b, std::string direction, std::string type = {});
  /// Selects elements of `on_true` or `on_false`. `predicate` has element type i1, and the
  /// operands' shape or rank 0.
  ValueId select(ValueId predicate, ValueId on_true, ValueId on_false) {
    return value_of({.kind = OpKind::Select, .operands = {predicate, on_true, on_false}});
  }
  /// Limits elements to [low, high]. Each bound has the type of `x`, or its element type and rank
  /// 0.
  ValueId clamp(ValueId low, ValueId x, ValueId high) {
    return value_of({.kind = OpKind::Clamp, .operands = {low, x, high}});
  }
  /// Converts the elements to element type `element`.
  ValueId convert(ValueId x, ElementType element);
  /// Rounds floats to fewer exponent and mantissa bits. The type is unchanged.
  ValueId reduce_precision(ValueId x, int64_t exponent_bits, int64_t mantissa_bits);

  // ---- Shapes -----------------------------------------------------------------------------------
  /// Broadcasts `x`: dim k of `x` becomes dim `dims[k]` of the result.
  ValueId broadcast_in_dim(ValueId x, Dims result_shape, Dims dims);
  /// Broadcasts a scalar to all elements of `result_shape`.
  ValueId broadcast(ValueId scalar, Dims result_shape) {
    return broadcast_in_dim(scalar, std::move(result_shape), {});
  }
  /// Returns the elements of `x`, row-major, with another shape. Errors: the number of elements
  /// differs.
  ValueId reshape(ValueId x, Dims shape);
  /// Permutes dims: dim i of the result is dim `permutation[i]` of `x`.
  ValueId transpose(ValueId x, Dims permutation);
  /// Reverses the order of the elements along `dims`.
  ValueId reverse(ValueId x, Dims dims);
  /// Returns the elements from `starts` to before `limits`, with steps `strides` (1 by default).
  ValueId slice(ValueId x, Dims starts, Dims limits, Dims strides = {});
  /// Concatenates the operands along `dim`.
  ValueId concatenate(const Values& values, int64_t dim);
  /// Pads each dim with `value`, of rank 0: before (`low`), after (`high`) and between (`interior`)
  /// elements. Negative `low` and `high` remove elements.
  ValueId pad(ValueId x, ValueId value, Dims low, Dims high, Dims interior = {});
  /// Returns the slice of shape `sizes` whose first element is at the scalar indices `starts`.
  ValueId dynamic_slice(ValueId x, const Values& starts, Dims sizes);
  /// Returns `x` with `update` written at the scalar indices `starts`.
  ValueId dynamic_update_slice(ValueId x, ValueId update, const Values& starts);

  // ---- Contractions and reductions --------------------------------------------------------------
  /// Adds a dot_general. `element` is the element type of the result; std::nullopt: the element
  /// type of the operands.
  ValueId dot_general(ValueId lhs, ValueId rhs, const DotDims& dims,
                      std::optional<ElementType> element = std::nullopt);
  /// Contracts the last dim of `lhs` with the first dim of `rhs`.
  ValueId dot(ValueId lhs, ValueId rhs);
  /// Reduces `inputs` over `dims`. The arguments of `body` are all accumulators, then one element
  /// of each input; `body` returns the new accumulators.
  Values reduce(const Values& inputs, const Values& inits, Dims dims, const Body& body);
  /// Reduces `x` over `dims` with the binary op `combiner`.
  ValueId reduce(ValueId x, ValueId init, Dims dims, OpKind combiner);
  ValueId reduce_sum(ValueId x, Dims dims);      // sum over the dims
  ValueId reduce_product(ValueId x, Dims dims);  // product over the dims
  /// Reduces by maximum. The initial value is -inf if the element type has it, else the least
  /// value.
  ValueId reduce_max(ValueId x, Dims dims);
  /// Reduces by minimum. The initial value is +inf if the element type has it, else the greatest
  /// value.
  ValueId reduce_min(ValueId x, Dims dims);
  /// Reduces `i1` or integers over the dims by `and`.
  ValueId reduce_and(ValueId x, Dims dims);
  /// Reduces `i1` or integers over the dims by `or`.
  ValueId reduce_or(ValueId x, Dims dims);

  // ---- Control flow -----------------------------------------------------------------------------
  /// Repeats `body` while `condition` yields true. `condition` yields an `i1` of rank 0.
  Values while_loop(const Values& inits, const Body& condition, const Body& body);
  /// Runs branch `index`, an operand of rank 0; the last branch if `index` is out of range.
  Values case_of(ValueId index, const std::vector<std::function<Values()>>& branches);
  /// Runs `on_true` or `on_false`. `predicate` is an `i1` of rank 0.
  Values if_else(ValueId predicate, const std::function<Values()>& on_true,
                 const std::function<Values()>& on_false);
  /// Calls the function named `callee`. Errors: the module has no such function when finish() is
  /// called.
  Values call(const std::string& callee, const Values& operands);
  /// Returns the operands; passes move no op across the barrier.
  Values optimization_barrier(const Values& operands);

  // ---- Shardings: the GShard annotations, and the ops of the sdy dialect ------------------------
  // Annotations change no value. Spec: partitioning, appendix A.

  /// Annotates `x` as replicated.
  ValueId replicate(ValueId x);
  /// Annotates dim `dim` of `x` as sharded along `axes` of the first mesh, and all other dims as
  /// replicated. `axes` are axis names or axis refs (`"y":(1)2`).
  ValueId split(ValueId x, int64_t dim, const std::vector<std::string>& axes);
  /// Adds a sharding constraint, as sharding_constraint does.
  ValueId shard(ValueId x, const ShardingSpec& sharding) {
    return sharding_constraint(x, sharding);
  }
  /// Adds `sdy.sharding_constraint` with this sharding.
  ValueId sharding_constraint(ValueId x, const ShardingSpec& sharding);
  /// Adds `sdy.reshard` to this sharding. Propagation does not cross a reshard.
  ValueId reshard(ValueId x, const ShardingSpec& sharding);
  /// Adds `x` to a sharding group. All values of a group get equal shardings.
  void sharding_group(ValueId x, int64_t group_id);
  /// Adds `sdy.propagation_barrier`. `direction` is NONE, FORWARD or BACKWARD.
  ValueId propagation_barrier(ValueId x, std::string direction);
  /// Stores the sharding of `value` where dialect 2.2 specifies.
  void annotate(ValueId value, const ShardingSpec& sharding);
  /// Adds `sdy.named_computation`. `body` gets one argument per operand, of the operand's type.
  Values named_computation(std::string name, const Values& operands, const Body& body);
  /// Operand and result shardings of a manual computation.
  struct ManualShardings {
    std::vector<ShardingSpec> in;          // one for each operand
    std::vector<ShardingSpec> out;         // one for each result
    std::vector<std::string> manual_axes;  // axes along which the body is per device
  };
  /// Adds `sdy.manual_computation`. The arguments of `body` are local shards along the manual axes.
  Values manual_computation(const Values& operands, const ManualShardings& shardings,
                            const Body& body);

 private:
  bool is_value(ValueId value) const { return value.index() < module_.num_values(); }
  void fail_with(std::string_view op_name, Error error);
  /// Records an error with the name of the op kind, unless an error is already recorded.
  void fail_with(OpKind kind, std::string message);
  bool check_place(std::string_view op_name);
  bool check_operands(std::string_view op_name, std::span<const ValueId> operands);
  std::optional<Type> tensor_type(OpKind kind, ValueId value);
  std::optional<Type> make_type(OpKind kind, Dims dims, ElementType element);
  std::optional<TensorSharding> resolve(std::string_view op_name, const ShardingSpec& spec,
                                        const Type& type);
  Result<TensorSharding> resolved(const ShardingSpec& spec, const Type& type) const;
  ValueId annotated(OpKind kind, ValueId x, const ShardingSpec& sharding);
  using InitialValue = double (*)(ElementType);
  ValueId reduce_from(ValueId x, Dims dims, OpKind combiner, InitialValue initial);
  std::vector<TensorSharding> resolve_all(OpKind kind, const std::vector<ShardingSpec>& specs,
                                          std::span<const Type> types);
  std::vector<Type> types_of(std::span<const ValueId> values) const;

  Module module_;
  std::optional<Error> error_;
  std::optional<std::string> first_mesh_;
  OpId function_;
  BlockId block_;  // insertion point; invalid outside of functions
  LocationId location_;
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES

namespace shardy::ir {

SHARDY_INLINE OpId Builder::create(OpSpec spec) {
  if (!spec.location.valid()) spec.location = location_;
  const OpId op = module_->create(std::move(spec));
  if (next_.valid()) {
    module_->insert_before(next_, op);
  } else {
    module_->append(block_, op);
  }
  return op;
}

SHARDY_INLINE ValueId Builder::create_value(OpKind kind, std::vector<ValueId> operands, Type type,
                                            AttributeMap attributes) {
  return module_->result(create(OpSpec{.kind = kind,
                                       .operands = std::move(operands),
                                       .result_types = {std::move(type)},
                                       .attributes = std::move(attributes)}));
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES

// Writing programs in C++: ops with inferred types, sharding annotations, one error at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace shardy::ir {

/// A sharding as a caller writes it: none, a value, or text.
///
/// Text is that of algebra 10.2, `<@m, [{"x"}, {?}]>`, or only the part after the mesh,
/// `[{"x"}, {?}], replicated={"y"}`, which is read on the first mesh of the builder.
class ShardingSpec {
 public:
  ShardingSpec() = default;
  /// A value, on a mesh of its own.
  ShardingSpec(TensorSharding sharding)  // NOLINT(google-explicit-constructor)
      : value_(std::move(sharding)) {}
  ShardingSpec(std::string text)
      : value_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  /// Text, read where it is used.
  ShardingSpec(const char* text)  // NOLINT(google-explicit-constructor)
      : value_(std::string(text)) {}

  /// Returns true without a sharding.
  bool empty() const { return std::holds_alternative<std::monostate>(value_); }
  /// The value, or null.
  const TensorSharding* sharding() const { return std::get_if<TensorSharding>(&value_); }
  /// The text, or null.
  const std::string* text() const { return std::get_if<std::string>(&value_); }

 private:
  std::variant<std::monostate, TensorSharding, std::string> value_;
};

/// Builds a module op by op, with the result types of infer.hpp.
///
/// The first error is kept: later calls do nothing and return values that are not valid(), and
/// finish() returns it, with the name of the op. Example:
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
  /// Fills a region: gets the block arguments, returns the yielded values.
  using Body = std::function<Values(std::span<const ValueId>)>;

  GraphBuilder() = default;

  // ---- Program ----------------------------------------------------------------------------------
  /// Adds a mesh. Shardings without a mesh name refer to the first one.
  void mesh(std::string name, std::vector<MeshAxis> axes, std::vector<int64_t> device_ids = {});
  /// Adds a mesh by value.
  void mesh(std::string name, const Mesh& mesh);
  /// Begins a function; the ops that follow are added to it.
  OpId function(std::string name, bool is_private = false);
  /// Adds an argument to the function that is being built. Its sharding is an annotation.
  ValueId argument(const Type& type, const ShardingSpec& sharding = {});
  /// Ends the function. `shardings` are those of the results, if any, one each.
  void ret(const Values& values, const std::vector<ShardingSpec>& shardings = {});
  /// Sets the location of the ops that follow, for messages: "12:7".
  void location(const Location& at);
  /// Attribute of the op that defines `value`.
  void set_attribute(ValueId value, std::string_view name, Attribute attribute);

  /// The first error; nothing as long as all is well.
  const std::optional<Error>& error() const { return error_; }
  /// Returns the module built so far, not verified.
  const Module& module() const { return module_; }
  /// Type of a value, the token type if it is not valid().
  Type type(ValueId value) const { return is_value(value) ? module_.type(value) : Type(); }
  /// The module, verified. The builder is empty afterwards. Errors: the first one of any call; the
  /// first one of the verifier, with the number of others as a note.
  Result<Module> finish();

  // ---- Any op -----------------------------------------------------------------------------------
  /// Results of an op made from `spec`; see infer_result_types for its result types.
  Values op(OpSpec spec);
  /// The same for an op with one result.
  ValueId value_of(OpSpec spec);
  /// An op of a kind unknown to this library.
  Values custom(std::string name, Values operands, std::vector<Type> result_types,
                AttributeMap attributes = {});
  /// A region with one block that `body` fills and a terminator of that kind ends.
  RegionId region(std::span<const Type> args, const Body& body, OpKind terminator);

  // ---- Constants --------------------------------------------------------------------------------
  /// A constant. Its type is that of the literal.
  ValueId constant(Literal value);
  /// All elements `value`, converted to the element type of `type`, a static tensor.
  ValueId splat(const Type& type, double value);
  /// All elements `value`; of an integer type. Errors: the value does not fit the element type.
  ValueId int_splat(const Type& type, int64_t value);
  /// The elements of a static tensor, row-major.
  ValueId constant(const Type& type, std::span<const double> values);
  /// The elements of a static tensor, row-major.
  ValueId constant(const Type& type, std::initializer_list<double> values);
  /// Counts along `dim`. Errors: no dim of the type.
  ValueId iota(const Type& type, int64_t dim);

  // ---- Elementwise ------------------------------------------------------------------------------
  /// An op of one operand. Its result has the operand's type, or the fixed type of the op.
  ValueId unary(OpKind kind, ValueId x) { return value_of({.kind = kind, .operands = {x}}); }
  /// An op of two operands of one shape.
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
  /// Elements from real and imaginary parts, both f32 or both f64.
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
  /// Shifts elementwise by the second operand; the sign is kept.
  ValueId shift_right_arithmetic(ValueId a, ValueId b) {
    return binary(OpKind::ShiftRightArithmetic, a, b);
  }
  /// Shifts elementwise by the second operand; zeros are shifted in.
  ValueId shift_right_logical(ValueId a, ValueId b) {
    return binary(OpKind::ShiftRightLogical, a, b);
  }
  ValueId subtract(ValueId a, ValueId b) { return binary(OpKind::Subtract, a, b); }
  ValueId xor_(ValueId a, ValueId b) { return binary(OpKind::Xor, a, b); }
  /// `direction` is EQ, NE, GE, GT, LE or LT; `type` FLOAT, TOTALORDER, SIGNED, UNSIGNED or empty.
  ValueId compare(ValueId a, ValueId b, std::string direction, std::string type = {});
  /// Elements of one of two tensors. `predicate` is `i1`, of their shape or a scalar.
  ValueId select(ValueId predicate, ValueId on_true, ValueId on_false) {
    return value_of({.kind = OpKind::Select, .operands = {predicate, on_true, on_false}});
  }
  /// Elements kept between two bounds, each of the tensor's type or a scalar.
  ValueId clamp(ValueId low, ValueId x, ValueId high) {
    return value_of({.kind = OpKind::Clamp, .operands = {low, x, high}});
  }
  /// The elements as another element type.
  ValueId convert(ValueId x, ElementType element);
  /// Floats rounded to fewer bits, of the same type.
  ValueId reduce_precision(ValueId x, int64_t exponent_bits, int64_t mantissa_bits);

  // ---- Shapes -----------------------------------------------------------------------------------
  /// `dims[k]` is the result dim that dim k of `x` becomes.
  ValueId broadcast_in_dim(ValueId x, Dims result_shape, Dims dims);
  /// A scalar in all positions.
  ValueId broadcast(ValueId scalar, Dims result_shape) {
    return broadcast_in_dim(scalar, std::move(result_shape), {});
  }
  /// The same elements, row-major, in another shape. Errors: another number of elements.
  ValueId reshape(ValueId x, Dims shape);
  /// Dim i of the result is dim `permutation[i]` of `x`.
  ValueId transpose(ValueId x, Dims permutation);
  /// Elements in reversed order along the dims.
  ValueId reverse(ValueId x, Dims dims);
  /// Elements from `starts` to below `limits`, with steps `strides` (1 by default).
  ValueId slice(ValueId x, Dims starts, Dims limits, Dims strides = {});
  /// Concatenates the operands along `dim`.
  ValueId concatenate(const Values& values, int64_t dim);
  /// Pads with `value`, of rank 0, before, after and between elements of each dim; negative numbers
  /// remove elements.
  ValueId pad(ValueId x, ValueId value, Dims low, Dims high, Dims interior = {});
  /// A slice of `sizes` elements, starting at scalar indices.
  ValueId dynamic_slice(ValueId x, const Values& starts, Dims sizes);
  /// `x` with `update` written over it, starting at scalar indices.
  ValueId dynamic_update_slice(ValueId x, ValueId update, const Values& starts);

  // ---- Contractions and reductions --------------------------------------------------------------
  /// The element type of the result is that of the operands unless it is given.
  ValueId dot_general(ValueId lhs, ValueId rhs, const DotDims& dims,
                      std::optional<ElementType> element = std::nullopt);
  /// Contracts the last dim of `lhs` with the first of `rhs`.
  ValueId dot(ValueId lhs, ValueId rhs);
  /// `body` gets all accumulators, then all elements, and returns the new accumulators.
  Values reduce(const Values& inputs, const Values& inits, Dims dims, const Body& body);
  /// Reduces with one binary op as the body.
  ValueId reduce(ValueId x, ValueId init, Dims dims, OpKind combiner);
  ValueId reduce_sum(ValueId x, Dims dims);      // sum over the dims
  ValueId reduce_product(ValueId x, Dims dims);  // product over the dims
  /// Starts from the least value of the element type, -inf where it has one.
  ValueId reduce_max(ValueId x, Dims dims);
  /// Starts from the greatest value of the element type, +inf where it has one.
  ValueId reduce_min(ValueId x, Dims dims);
  /// Reduces `i1` or integers over the dims.
  ValueId reduce_and(ValueId x, Dims dims);
  /// Reduces `i1` or integers over the dims.
  ValueId reduce_or(ValueId x, Dims dims);

  // ---- Control flow -----------------------------------------------------------------------------
  /// Runs `body` on the values as long as `condition` yields true, an `i1` of rank 0.
  Values while_loop(const Values& inits, const Body& condition, const Body& body);
  /// Runs one of the branches, chosen by a scalar `index`; the last one if it is out of range.
  Values case_of(ValueId index, const std::vector<std::function<Values()>>& branches);
  /// Runs one of two branches, by an `i1` of rank 0.
  Values if_else(ValueId predicate, const std::function<Values()>& on_true,
                 const std::function<Values()>& on_false);
  /// Calls a function by name. Errors: the function is unknown when finish runs.
  Values call(const std::string& callee, const Values& operands);
  /// The same values, which passes do not move across.
  Values optimization_barrier(const Values& operands);

  // ---- Shardings: the GShard annotations, and the ops of the sdy dialect ------------------------
  // Annotations change no value. Spec: partitioning, appendix A.

  /// Annotates `x` as replicated.
  ValueId replicate(ValueId x);
  /// Annotates dim `dim` as sharded along `axes` of the first mesh, names or axis refs
  /// (`"y":(1)2`); all other dims are replicated.
  ValueId split(ValueId x, int64_t dim, const std::vector<std::string>& axes);
  /// The same as sharding_constraint.
  ValueId shard(ValueId x, const ShardingSpec& sharding) {
    return sharding_constraint(x, sharding);
  }
  /// Adds a constraint, whose result has this sharding.
  ValueId sharding_constraint(ValueId x, const ShardingSpec& sharding);
  /// Reshards to a sharding; a boundary for propagation.
  ValueId reshard(ValueId x, const ShardingSpec& sharding);
  /// All values of one group have equal shardings.
  void sharding_group(ValueId x, int64_t group_id);
  /// `direction` is NONE, FORWARD or BACKWARD.
  ValueId propagation_barrier(ValueId x, std::string direction);
  /// Stores the sharding of `value` as dialect 2.2 specifies.
  void annotate(ValueId value, const ShardingSpec& sharding);
  /// `body` gets as many arguments, of the same types.
  Values named_computation(std::string name, const Values& operands, const Body& body);
  /// Operand and result shardings of a manual computation.
  struct ManualShardings {
    std::vector<ShardingSpec> in;          // one for each operand
    std::vector<ShardingSpec> out;         // one for each result
    std::vector<std::string> manual_axes;  // axes over which the body is written per device
  };
  /// `body` works on the local shard along the manual axes.
  Values manual_computation(const Values& operands, const ManualShardings& shardings,
                            const Body& body);

 private:
  bool is_value(ValueId value) const { return value.index() < module_.num_values(); }
  void fail_with(std::string_view op_name, Error error);
  /// Prefixes the name of the kind and keeps the first one.
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
  BlockId block_;  // insertion point; not valid() outside of functions
  LocationId location_;
};

}  // namespace shardy::ir

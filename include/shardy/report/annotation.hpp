// Annotations: the shardings that a program is written with. Finding, changing, removing one.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <shardy/text/written_values.hpp>
#include <string>
#include <string_view>

namespace shardy::report {

/// A place of an annotation: an argument or a result of a function, or a value other than an
/// argument of a function. Of one module: another one with the same ids has the same places.
struct AnnotationPlace {
  /// Role of the annotated value in its function.
  enum class Kind : uint8_t { Argument, Result, Value };

  Kind kind = Kind::Value;  // what the value is to its function
  ir::OpId function = {};   // of Argument and Result
  uint32_t index = 0;       // of Argument and Result
  ir::ValueId value = {};   // of Argument and Value

  friend bool operator==(const AnnotationPlace&, const AnnotationPlace&) = default;
};

/// Returns the place of a value. Errors: it is not a tensor, or is inside of an op, like a
/// reduction, whose regions take no shardings.
Result<AnnotationPlace> annotation_place(const ir::Module& module, ir::ValueId value);

/// The place that a name means: of a value as explain takes it (`%arg0`, `%16`, `%4#0`, `@f:%x`,
/// `model.py:31`), or of a result of a function, `result 0`, `@main result 0` or `@main:result 0`.
/// Errors: no such value, with those that there are; several values of that name; those above.
Result<AnnotationPlace> find_annotation_place(const text::WrittenValues& names,
                                              std::string_view name);

/// Returns the name of the place: `%arg0`, `result 0`; with the function unless it is main.
/// Requires: a place of the module.
std::string place_name(const text::WrittenValues& names, const AnnotationPlace& place);

/// Returns the type of the annotated value. Requires: a place of the module.
const ir::Type& type_of(const ir::Module& module, const AnnotationPlace& place);

/// Where the annotation of a place is stored, or would be.
struct AnnotationSite {
  /// How the annotation is written in the program.
  enum class Kind : uint8_t {
    Argument,    // an attribute of the argument of a function
    Result,      // an attribute of the result of a function
    Constraint,  // a `sdy.sharding_constraint` or `sdy.reshard`: the value, or all that reads it
    Op,          // `sdy.sharding` of the op that makes it
    None,        // none yet: a constraint would be inserted after it
  };
  Kind kind = Kind::None;  // how the annotation is written there
  ir::OpId op =
      {};  // the function, the constraint or the op that makes it; invalid: block argument
};
/// Returns the site of the annotation, existing or new. Requires: a place of the module.
AnnotationSite site_of(const ir::Module& module, const AnnotationPlace& place);

/// Returns the sharding of a place, if it has one. Requires: a place of the module.
std::optional<TensorSharding> annotation(const ir::Module& module, const AnnotationPlace& place);

/// A sharding for a place, or `none`: `<@mesh, [{"x"}, {}]>`, `#sdy.sharding<..>`, or without a
/// mesh `[{"x"}, {}]` where the program has one. Errors: those of the text, unknown meshes and axes
/// with what was meant, another rank. Requires: a place of the module.
Result<std::optional<TensorSharding>> parse_annotation(const ir::Module& module,
                                                       const AnnotationPlace& place,
                                                       std::string_view text);

/// Writes or removes the sharding of a place: at its existing site, otherwise as a
/// constraint after the value, which all its uses read then. Values keep their ids, and
/// places stay valid but those of a constraint that is taken away. Errors: a sharding that does not
/// fit the type; the module is as it was then. Requires: a place of the module.
Status annotate(ir::Module& module, const AnnotationPlace& place,
                const std::optional<TensorSharding>& sharding);

}  // namespace shardy::report

// Annotations: the shardings in a source program. Finding, changing and removing one.
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

/// A place for an annotation: an argument or a result of a function, or a value other than an
/// argument. Valid for one module and for modules with the same ids.
struct AnnotationPlace {
  /// Role of the annotated value in its function.
  enum class Kind : uint8_t { Argument, Result, Value };

  Kind kind = Kind::Value;  // role of the value in its function
  ir::OpId function = {};   // of Argument and Result
  uint32_t index = 0;       // of Argument and Result
  ir::ValueId value = {};   // of Argument and Value

  friend bool operator==(const AnnotationPlace&, const AnnotationPlace&) = default;
};

/// Returns the place of a value. Errors: a value that is not a tensor, or is in a region without
/// shardings, as in a reduction.
Result<AnnotationPlace> annotation_place(const ir::Module& module, ir::ValueId value);

/// Returns the place for a name: a value as for explain (`%arg0`, `%16`, `%4#0`, `@f:%x`,
/// `model.py:31`), or a function result, `result 0`, `@main result 0` or `@main:result 0`. Errors:
/// an unknown name, with the known ones; an ambiguous name; those of annotation_place.
Result<AnnotationPlace> find_annotation_place(const text::WrittenValues& names,
                                              std::string_view name);

/// Returns the name of the place: `%arg0`, `result 0`; with the function unless it is main.
/// Requires: a place of the module.
std::string place_name(const text::WrittenValues& names, const AnnotationPlace& place);

/// Returns the type of the annotated value. Requires: a place of the module.
const ir::Type& type_of(const ir::Module& module, const AnnotationPlace& place);

/// The attribute or op that stores the annotation of a place.
struct AnnotationSite {
  /// Storage of the annotation in the program.
  enum class Kind : uint8_t {
    Argument,    // an attribute of the argument of a function
    Result,      // an attribute of the result of a function
    Constraint,  // an `sdy.sharding_constraint` or `sdy.reshard`: the value, or its only user
    Op,          // `sdy.sharding` of the defining op
    None,        // no annotation; a constraint would be inserted after the value
  };
  Kind kind = Kind::None;  // kind of site
  ir::OpId op =
      {};  // the function, the constraint or the defining op; invalid for a block argument
};
/// Returns the site of the annotation, existing or new. Requires: a place of the module.
AnnotationSite site_of(const ir::Module& module, const AnnotationPlace& place);

/// Returns the sharding of a place, if it has one. Requires: a place of the module.
std::optional<TensorSharding> annotation(const ir::Module& module, const AnnotationPlace& place);

/// Parses a sharding for a place, or `none`: `<@mesh, [{"x"}, {}]>`, `#sdy.sharding<..>`, or
/// `[{"x"}, {}]` if the program has one mesh. Errors: syntax errors, unknown meshes and axes with
/// the closest known name, another rank. Requires: a place of the module.
Result<std::optional<TensorSharding>> parse_annotation(const ir::Module& module,
                                                       const AnnotationPlace& place,
                                                       std::string_view text);

/// Sets or removes the sharding of a place: at its existing site, otherwise by a constraint after
/// the value, which all its users then use. Values keep their ids, and places stay valid, except
/// those of a removed constraint. Errors: a sharding that does not fit the type; the module is then
/// unchanged. Requires: a place of the module.
Status annotate(ir::Module& module, const AnnotationPlace& place,
                const std::optional<TensorSharding>& sharding);

}  // namespace shardy::report

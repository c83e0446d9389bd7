// The only unit of a program without the library that compiles the function bodies of shardy++. The
// other units of the program link shardy::headers and compile declarations alone. It includes every
// header of the other units. The program: examples/embed.cpp.
#define SHARDY_BODIES
#include <shardy/algebra/partition_spec.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
#include <shardy/rules/dot.hpp>
#include <shardy/rules/shape.hpp>

// Compiles the function bodies of the headers of this layer for users that link the library.

#define SHARDY_BODIES
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/number_set.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>

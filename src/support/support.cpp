// The bodies of the headers of this layer, for those who link the library.
#include <shardy/support/detail/closest_inl.hpp>
#include <shardy/support/detail/contract_inl.hpp>
#include <shardy/support/detail/number_set_inl.hpp>
#include <shardy/support/detail/quote_inl.hpp>
#include <shardy/support/detail/scanner_inl.hpp>

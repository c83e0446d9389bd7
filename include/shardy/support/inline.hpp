// Bodies of the layers that a compiler can vendor come in two forms: inline in each unit that
// includes them, with SHARDY_HEADER_ONLY, as the CMake target shardy::algebra gives them; or
// compiled once, into shardy::shardy.
#pragma once

#ifdef SHARDY_HEADER_ONLY
#define SHARDY_INLINE inline
#else
#define SHARDY_INLINE
#endif

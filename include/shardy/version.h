// The version of the library as macros for C and C++. CMake reads the version from this file.
#ifndef SHARDY_VERSION_H
#define SHARDY_VERSION_H

#define SHARDY_VERSION_MAJOR 0
#define SHARDY_VERSION_MINOR 2
#define SHARDY_VERSION_PATCH 0

/// The version as one number that increases: `#if SHARDY_VERSION >= 200` checks for 0.2.0 or later.
#define SHARDY_VERSION \
  (SHARDY_VERSION_MAJOR * 10000 + SHARDY_VERSION_MINOR * 100 + SHARDY_VERSION_PATCH)

#define SHARDY_VERSION_TEXT_(part) #part
#define SHARDY_VERSION_TEXT(part) SHARDY_VERSION_TEXT_(part)

/// The version as text: "0.2.0".
#define SHARDY_VERSION_STRING               \
  SHARDY_VERSION_TEXT(SHARDY_VERSION_MAJOR) \
  "." SHARDY_VERSION_TEXT(SHARDY_VERSION_MINOR) "." SHARDY_VERSION_TEXT(SHARDY_VERSION_PATCH)

#endif

# What the project needs from outside. Libraries of the system are found; tree-sitter's core and the CUDA grammar are
# fetched at configure time, pinned by version and hash (or taken from a local copy).

find_package(PkgConfig REQUIRED)
# In a package for other machines, what is linked is part of the program; only the C library is shared.
set(shared_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(CUWARP_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1) # configuration files; Debian: libyaml-dev
set(CMAKE_FIND_LIBRARY_SUFFIXES ${shared_suffixes})

include(TreeSitter)
find_package(Libclang REQUIRED)
# Loaded when the first file is parsed. Empty: looked for at run time only, as a package for other machines wants it.
file(REAL_PATH "${LIBCLANG_LIBRARY}" libclang_real)
if(CUWARP_PORTABLE)
  set(libclang_real "")
endif()
set(CUWARP_LIBCLANG_FILE "${libclang_real}" CACHE STRING "libclang that is tried before those found at run time")

# libgit2 is loaded at run time, by what asks a repository; only its headers and the name of the
# library are needed here (see analyzer/git/git.h).
pkg_check_modules(LIBGIT2 REQUIRED libgit2)
find_library(LIBGIT2_FILE git2 HINTS ${LIBGIT2_LIBRARY_DIRS} REQUIRED)
file(REAL_PATH ${LIBGIT2_FILE} libgit2_real)
get_filename_component(libgit2_name ${libgit2_real} NAME)
string(REGEX MATCH "^libgit2\\.so\\.[0-9]+\\.[0-9]+" LIBGIT2_SONAME ${libgit2_name})

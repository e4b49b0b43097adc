# What the project needs from outside. Libraries of the system are found; tree-sitter's core and the CUDA grammar are
# fetched at configure time, pinned by version and hash (or taken from a local copy).

find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

include(TreeSitter)

# libclang (the C API), LLVM 17 or later; the newest found wins. Gives the targets
# Libclang::Libclang and, for who loads it at run time, Libclang::Headers.
set(versions 19 20 21 18 17)
set(hints)
foreach(v ${versions})
  list(APPEND hints /usr/lib/llvm-${v} /usr/local/opt/llvm@${v})
endforeach()
find_path(LIBCLANG_INCLUDE_DIR clang-c/Index.h HINTS ${LIBCLANG_ROOT} ${hints} PATH_SUFFIXES include NO_DEFAULT_PATH)
find_path(LIBCLANG_INCLUDE_DIR clang-c/Index.h)
get_filename_component(libclang_prefix "${LIBCLANG_INCLUDE_DIR}" DIRECTORY)
find_library(LIBCLANG_LIBRARY NAMES clang libclang clang-19 clang-18 clang-17 HINTS ${libclang_prefix}/lib
             NO_DEFAULT_PATH)
find_library(LIBCLANG_LIBRARY NAMES clang libclang)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libclang REQUIRED_VARS LIBCLANG_LIBRARY LIBCLANG_INCLUDE_DIR)
mark_as_advanced(LIBCLANG_LIBRARY LIBCLANG_INCLUDE_DIR)

if(Libclang_FOUND AND NOT TARGET Libclang::Libclang)
  # Binary and unary operator kinds came with LLVM 17; without them no expression can be lowered.
  file(STRINGS ${LIBCLANG_INCLUDE_DIR}/clang-c/Index.h operators REGEX "clang_getCursorBinaryOperatorKind")
  if(NOT operators)
    message(FATAL_ERROR "libclang in ${libclang_prefix} is older than LLVM 17")
  endif()
  add_library(Libclang::Headers INTERFACE IMPORTED)
  set_target_properties(Libclang::Headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${LIBCLANG_INCLUDE_DIR}")
  add_library(Libclang::Libclang UNKNOWN IMPORTED)
  set_target_properties(Libclang::Libclang PROPERTIES IMPORTED_LOCATION "${LIBCLANG_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${LIBCLANG_INCLUDE_DIR}")
endif()

# Targets tree_sitter (the core) and tree_sitter_cuda (the grammar), from pinned source archives or from local copies.
# They are other people's code: built without this project's warning flags and, being large generated tables, without
# sanitizers (their own project fuzzes them).

include(FetchSdist)

set(CUWARP_TREE_SITTER_SOURCE_DIR "" CACHE PATH "Unpacked tree-sitter sources (holds lib/src/lib.c); empty: fetch")
set(CUWARP_TREE_SITTER_CUDA_SOURCE_DIR "" CACHE PATH "Unpacked tree-sitter-cuda (holds src/parser.c); empty: fetch")

set(core ${CUWARP_TREE_SITTER_SOURCE_DIR})
if(NOT core)
  cuwarp_fetch_sdist(sdist tree-sitter 0.25.2 tree-sitter-0.25.2.tar.gz
                     fe43c158555da46723b28b52e058ad444195afd1db3ca7720c59a254544e9c20)
  set(core ${sdist}/tree_sitter/core)
endif()
set(grammar ${CUWARP_TREE_SITTER_CUDA_SOURCE_DIR})
if(NOT grammar)
  cuwarp_fetch_sdist(grammar tree-sitter-cuda 0.21.1 tree_sitter_cuda-0.21.1.tar.gz
                     fb00bf6620f04c2bc1366d46fdd6d81e15330dba53c6794e318365e354480577)
endif()
foreach(needed ${core}/lib/src/lib.c ${core}/lib/include/tree_sitter/api.h ${grammar}/src/parser.c)
  if(NOT EXISTS ${needed})
    message(FATAL_ERROR "${needed} is missing; check CUWARP_TREE_SITTER_SOURCE_DIR and "
                        "CUWARP_TREE_SITTER_CUDA_SOURCE_DIR")
  endif()
endforeach()

add_library(tree_sitter STATIC ${core}/lib/src/lib.c)
target_include_directories(tree_sitter SYSTEM PUBLIC ${core}/lib/include PRIVATE ${core}/lib/src)
target_compile_definitions(tree_sitter PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE)

add_library(tree_sitter_cuda STATIC ${grammar}/src/parser.c ${grammar}/src/scanner.c)
target_include_directories(tree_sitter_cuda PRIVATE ${grammar}/src)

# Optimised in debug builds too: the scan is on the path of every test.
foreach(target tree_sitter tree_sitter_cuda)
  target_compile_options(${target} PRIVATE -w -O2 -g0)
endforeach()

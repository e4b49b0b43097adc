# One static library per layer of the analyzer. The link line of each layer names the layers it may use, so a wrong
# include shows up as a missing symbol as well as in tests/layering.

add_library(cuwarp_flags INTERFACE)
# Where a packager publishes the documentation: the default of --docs-url.
set(CUWARP_DOCS_URL "" CACHE STRING "Address of the published documentation, for SARIF's links to the rules")
target_compile_definitions(cuwarp_flags INTERFACE _GNU_SOURCE CUWARP_VERSION="${PROJECT_VERSION}"
                                                  CUWARP_DOCS_URL="${CUWARP_DOCS_URL}")
target_compile_options(cuwarp_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wvla)
target_link_options(cuwarp_flags INTERFACE -Wl,--build-id=sha1) # base/build_id: part of the cache's keys
if(CUWARP_WERROR)
  target_compile_options(cuwarp_flags INTERFACE -Werror)
endif()
if(CUWARP_SANITIZE)
  target_compile_options(cuwarp_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                                -fno-omit-frame-pointer)
  target_link_options(cuwarp_flags INTERFACE -fsanitize=address,undefined)
endif()
if(CUWARP_FUZZ)
  target_compile_options(cuwarp_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CUWARP_VERIFY)
  target_compile_definitions(cuwarp_flags INTERFACE CUWARP_VERIFY)
endif()
target_include_directories(cuwarp_flags INTERFACE ${CMAKE_SOURCE_DIR}/analyzer ${CMAKE_SOURCE_DIR})

# cuwarp_layer(NAME DIR [deps…]): every *.c in DIR (not its sub-folders) as library cuwarp_NAME.
function(cuwarp_layer name dir)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.c)
  if(NOT sources)
    add_library(cuwarp_${name} INTERFACE)
    target_link_libraries(cuwarp_${name} INTERFACE cuwarp_flags ${ARGN})
  else()
    add_library(cuwarp_${name} STATIC ${sources})
    target_link_libraries(cuwarp_${name} PUBLIC cuwarp_flags ${ARGN})
  endif()
endfunction()

# The man page and the shells' completions, printed by the program itself.
# As a script:  cmake -DTOOL=FILE -DWHAT=man -DOUT=FILE -P Generated.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${TOOL} --generate ${WHAT} OUTPUT_FILE ${OUT} COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

set(CUWARP_GENERATED ${CMAKE_BINARY_DIR}/generated)
set(generated)
function(cuwarp_generate what file destination)
  add_custom_command(
    OUTPUT ${CUWARP_GENERATED}/${file}
    COMMAND ${CMAKE_COMMAND} -DTOOL=$<TARGET_FILE:cuwarp-lint> -DWHAT=${what} -DOUT=${CUWARP_GENERATED}/${file}
            -P ${CMAKE_SOURCE_DIR}/cmake/Generated.cmake
    DEPENDS cuwarp-lint ${CMAKE_SOURCE_DIR}/cmake/Generated.cmake
    VERBATIM)
  set(generated ${generated} ${CUWARP_GENERATED}/${file} PARENT_SCOPE)
  install(FILES ${CUWARP_GENERATED}/${file} DESTINATION ${destination} COMPONENT cuwarp-lint)
endfunction()

include(GNUInstallDirs)
# A wheel puts the same folders below the environment's prefix.
if(SKBUILD)
  set(share ${SKBUILD_DATA_DIR}/share)
  set(man ${share}/man)
else()
  set(share ${CMAKE_INSTALL_DATADIR})
  set(man ${CMAKE_INSTALL_MANDIR})
endif()
file(MAKE_DIRECTORY ${CUWARP_GENERATED})
cuwarp_generate(man cuwarp-lint.1 ${man}/man1)
cuwarp_generate(bash cuwarp-lint ${share}/bash-completion/completions)
cuwarp_generate(zsh _cuwarp-lint ${share}/zsh/site-functions)
cuwarp_generate(fish cuwarp-lint.fish ${share}/fish/vendor_completions.d)
# Fuzzing builds are not installed, and their program is instrumented.
if(NOT CUWARP_FUZZ)
  set(all ALL)
endif()
add_custom_target(generated ${all} DEPENDS ${generated})

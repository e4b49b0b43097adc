# requires: libgit2 (its file), folder (where its like go, below the prefix), patchelf. Installs libgit2 and all that it
# needs but the C library, each looking for the others beside itself – what auditwheel does for extension modules; a program
# it would wrap in a Python script, and every start would pay for an interpreter.
file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${libgit2} RESOLVED_DEPENDENCIES_VAR needed UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|resolv|gcc_s)\\.so" "^ld-linux")
if(missing)
  message(FATAL_ERROR "libgit2 needs ${missing}")
endif()
set(target "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${folder}")
if(IS_ABSOLUTE "${folder}")
  set(target "${folder}")
endif()
foreach(file IN LISTS libgit2 needed)
  execute_process(COMMAND ${patchelf} --print-soname ${file} OUTPUT_VARIABLE soname OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  file(REAL_PATH ${file} real)
  message(STATUS "Installing: ${target}/${soname}")
  configure_file(${real} ${target}/${soname} COPYONLY)
  execute_process(COMMAND ${patchelf} --set-rpath "$ORIGIN" ${target}/${soname} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

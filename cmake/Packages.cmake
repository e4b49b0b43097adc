# What is installed, and the packages made of it: `cmake --install`, CPack's .deb, and the Python wheel (pyproject.toml).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A wheel must run where nothing was installed: it brings libgit2 and what that needs along, in a folder of its own that the
# program finds beside itself, and takes libclang from the PyPI package of that name (front/clang/libclang.c).
if(CUWARP_PORTABLE)
  set_target_properties(cuwarp-lint PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/cuwarp-lint")
  find_program(CUWARP_PATCHELF patchelf REQUIRED)
  install(CODE "set(libgit2 \"${libgit2_real}\")
                set(patchelf \"${CUWARP_PATCHELF}\")
                set(folder \"${CUWARP_LIBRARY_DIR}\")" COMPONENT cuwarp-lint)
  install(SCRIPT ${CMAKE_SOURCE_DIR}/cmake/InstallLibgit2.cmake COMPONENT cuwarp-lint)
endif()

install(TARGETS cuwarp-lint DESTINATION ${CUWARP_SCRIPT_DIR} COMPONENT cuwarp-lint)

# find_package(cuwarp-lint)
set(CUWARP_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/cuwarp-lint)
configure_package_config_file(${CMAKE_SOURCE_DIR}/packages/cmake/cuwarp-lintConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/cuwarp-lintConfig.cmake
                              INSTALL_DESTINATION ${CUWARP_CONFIG_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cuwarp-lintConfigVersion.cmake COMPATIBILITY SameMinorVersion
                                 ARCH_INDEPENDENT)
if(NOT SKBUILD)
  install(FILES ${CMAKE_BINARY_DIR}/cuwarp-lintConfig.cmake ${CMAKE_BINARY_DIR}/cuwarp-lintConfigVersion.cmake
          DESTINATION ${CUWARP_CONFIG_DIR} COMPONENT cuwarp-lint)
  install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT cuwarp-lint)
endif()

# Debian. libclang and libgit2 are loaded at run time, so no tool can see that they are needed.
set(CPACK_PACKAGE_NAME cuwarp-lint)
set(CPACK_PACKAGE_CONTACT "The cuwarp-lint developers <cuwarp-lint@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Linter for CUDA warp-synchronous code")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
string(REGEX REPLACE "^libgit2\\.so\\." "libgit2-" libgit2_package "${LIBGIT2_SONAME}")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libclang1-19 | libclang1-18 | libclang1-17, ${libgit2_package}")
include(CPack)

# cuwarp_fetch_sdist(OUT NAME VERSION FILE SHA256): the folder with the unpacked source archive of a Python package.
#
# The archive comes from whatever index or folder pip is set up to use, is checked against the pinned hash, and is kept
# in CUWARP_DEPS_CACHE, so several build trees fetch it once. Nothing of the archive is executed (sdist_backend/).

set(CUWARP_DEPS_CACHE ${CMAKE_SOURCE_DIR}/.cache/deps CACHE PATH "Where fetched source archives are kept")

# Downloads into a folder of its own and moves the file, so that two configure runs at once do no harm.
function(cuwarp_download_sdist name version file sha256)
  find_program(CUWARP_PYTHON python3 REQUIRED)
  string(RANDOM LENGTH 12 suffix)
  set(scratch ${CUWARP_DEPS_CACHE}/download-${suffix})
  file(WRITE ${scratch}/requirements.txt "${name}==${version} --hash=sha256:${sha256}\n")
  message(STATUS "Fetching ${name} ${version}")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${CMAKE_SOURCE_DIR}/cmake/sdist_backend PYTHONDONTWRITEBYTECODE=1
            SETUPTOOLS_USE_DISTUTILS=stdlib
            ${CUWARP_PYTHON} -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all:
            --no-build-isolation --require-hashes --dest ${scratch} -r ${scratch}/requirements.txt
    RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(NOT failed AND EXISTS ${scratch}/${file})
    file(RENAME ${scratch}/${file} ${CUWARP_DEPS_CACHE}/${file})
  endif()
  file(REMOVE_RECURSE ${scratch})
  if(NOT EXISTS ${CUWARP_DEPS_CACHE}/${file})
    message(FATAL_ERROR "Could not fetch ${name} ${version} with pip:\n${log}\n"
                        "Without a network, put ${file} into ${CUWARP_DEPS_CACHE}, or name an unpacked copy with "
                        "-DCUWARP_TREE_SITTER_SOURCE_DIR=… and -DCUWARP_TREE_SITTER_CUDA_SOURCE_DIR=….")
  endif()
endfunction()

function(cuwarp_fetch_sdist out name version file sha256)
  set(archive ${CUWARP_DEPS_CACHE}/${file})
  if(NOT EXISTS ${archive})
    cuwarp_download_sdist(${name} ${version} ${file} ${sha256})
  endif()
  file(SHA256 ${archive} actual)
  if(NOT actual STREQUAL sha256)
    message(FATAL_ERROR "${archive} has SHA-256 ${actual}, expected ${sha256}; remove it and configure again.")
  endif()
  string(REPLACE ".tar.gz" "" folder ${file})
  set(unpacked ${CMAKE_BINARY_DIR}/deps/${folder})
  if(NOT EXISTS ${unpacked}/.complete)
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${CMAKE_BINARY_DIR}/deps)
    file(TOUCH ${unpacked}/.complete)
  endif()
  set(${out} ${unpacked} PARENT_SCOPE)
endfunction()

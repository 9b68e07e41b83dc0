# SPDX-License-Identifier: BSD-3-Clause
# Finds FLINT with its GMP and MPFR: FLINT_FOUND, FLINT_VERSION and the target FLINT::FLINT.

find_path(FLINT_INCLUDE_DIR flint/flint.h)
find_path(FLINT_GMP_INCLUDE_DIR gmp.h)
find_path(FLINT_MPFR_INCLUDE_DIR mpfr.h)
find_library(FLINT_LIBRARY flint)
find_library(FLINT_MPFR_LIBRARY mpfr)
find_library(FLINT_GMP_LIBRARY gmp)
set(variables FLINT_LIBRARY FLINT_MPFR_LIBRARY FLINT_GMP_LIBRARY FLINT_INCLUDE_DIR
              FLINT_GMP_INCLUDE_DIR FLINT_MPFR_INCLUDE_DIR)
mark_as_advanced(${variables})

if(FLINT_INCLUDE_DIR)
  file(STRINGS "${FLINT_INCLUDE_DIR}/flint/flint.h" line REGEX "define FLINT_VERSION +\"")
  string(REGEX REPLACE ".*\"([^\"]*)\".*" "\\1" FLINT_VERSION "${line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FLINT REQUIRED_VARS ${variables} VERSION_VAR FLINT_VERSION)

if(FLINT_FOUND AND NOT TARGET FLINT::FLINT)
  add_library(FLINT::FLINT UNKNOWN IMPORTED)
  set_target_properties(
    FLINT::FLINT PROPERTIES
    IMPORTED_LOCATION "${FLINT_LIBRARY}"
    INTERFACE_LINK_LIBRARIES "${FLINT_MPFR_LIBRARY};${FLINT_GMP_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES
    "${FLINT_INCLUDE_DIR};${FLINT_GMP_INCLUDE_DIR};${FLINT_MPFR_INCLUDE_DIR}")
endif()

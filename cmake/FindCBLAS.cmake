# SPDX-License-Identifier: BSD-3-Clause
# Finds a CBLAS: CBLAS_FOUND, CBLAS_LIBRARY, CBLAS_IS_OPENMP and the target CBLAS::CBLAS. OpenBLAS
# comes first, and of its flavours the one whose threads are OpenMP's.

set(flavours openblas-openmp openblas-pthread openblas-serial openblas)
find_path(CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES ${flavours})
find_library(CBLAS_LIBRARY NAMES openblas PATH_SUFFIXES ${flavours})
find_library(CBLAS_LIBRARY NAMES mkl_rt blis cblas)
mark_as_advanced(CBLAS_INCLUDE_DIR CBLAS_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CBLAS REQUIRED_VARS CBLAS_LIBRARY CBLAS_INCLUDE_DIR)

if(CBLAS_FOUND)
  set(CBLAS_IS_OPENMP FALSE)
  if(CBLAS_LIBRARY MATCHES "openmp")
    set(CBLAS_IS_OPENMP TRUE)
  endif()
  if(NOT TARGET CBLAS::CBLAS)
    add_library(CBLAS::CBLAS UNKNOWN IMPORTED)
    set_target_properties(CBLAS::CBLAS PROPERTIES IMPORTED_LOCATION "${CBLAS_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${CBLAS_INCLUDE_DIR}")
  endif()
endif()

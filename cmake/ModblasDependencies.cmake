# SPDX-License-Identifier: BSD-3-Clause
# Finds what the options allow. Sets MODBLAS_WITH_*, and the libraries and definitions of the core.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(MODBLAS_CORE_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)
set(MODBLAS_CORE_DEFINITIONS "")

# ---- host products -------------------------------------------------------------------------

find_package(CBLAS QUIET)
set(no_cblas "floating-point products on the host run in plain C, which is slow")
modblas_settle(CBLAS "${CBLAS_FOUND}" "${CBLAS_LIBRARY}" "${no_cblas}")
if(MODBLAS_WITH_CBLAS)
  list(APPEND MODBLAS_CORE_LIBRARIES CBLAS::CBLAS)
  list(APPEND MODBLAS_CORE_DEFINITIONS MODBLAS_HAVE_CBLAS=1)
  if(CBLAS_LIBRARY MATCHES "openblas" AND NOT CBLAS_IS_OPENMP)
    message(WARNING "This OpenBLAS does not take its threads from OpenMP, so workers on the host "
                    "cannot each bound them; libopenblas0-openmp does.")
  endif()
endif()

find_package(DNNL QUIET)
set(no_dnnl "INT8 products on the host run in plain C, which is slow")
modblas_settle(ONEDNN "${DNNL_FOUND}" "oneDNN ${DNNL_VERSION}" "${no_dnnl}")
if(MODBLAS_WITH_ONEDNN)
  list(APPEND MODBLAS_CORE_LIBRARIES DNNL::DNNL)
  list(APPEND MODBLAS_CORE_DEFINITIONS MODBLAS_HAVE_DNNL=1)
endif()

# Of OpenMP only the run-time settings are called: they bound the threads of these libraries.
# So it must be their run time, GNU's, also when clang compiles.
if(MODBLAS_WITH_CBLAS OR MODBLAS_WITH_ONEDNN)
  set(openmp -fopenmp)
  if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    set(openmp -fopenmp=libgomp)
  endif()
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS ${openmp})
  check_c_source_compiles("#include <omp.h>
    int main(void) { omp_set_num_threads(1); return 0; }" MODBLAS_WITH_OPENMP)
  unset(CMAKE_REQUIRED_FLAGS)
  if(MODBLAS_WITH_OPENMP)
    add_library(modblas_openmp INTERFACE)
    target_compile_options(modblas_openmp INTERFACE "$<$<COMPILE_LANGUAGE:C>:${openmp}>")
    target_link_options(modblas_openmp INTERFACE ${openmp})
    list(APPEND MODBLAS_CORE_LIBRARIES modblas_openmp)
    list(APPEND MODBLAS_CORE_DEFINITIONS MODBLAS_HAVE_OPENMP=1)
  else()
    message(WARNING "No omp.h: workers on the host cannot bound the threads of each product.")
  endif()
endif()

# ---- CUDA ----------------------------------------------------------------------------------

set(cuda_found FALSE)
set(cuda_what "nvcc and cuBLAS")
if(NOT MODBLAS_CUDA STREQUAL "OFF")
  # NVIDIA's installer does not put its standard place into PATH.
  find_program(MODBLAS_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH PATHS /usr/local/cuda
               PATH_SUFFIXES bin)
  if(MODBLAS_NVCC AND NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} "${MODBLAS_NVCC}")
  endif()
  if(MODBLAS_NVCC AND NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    execute_process(COMMAND "${MODBLAS_NVCC}" --version OUTPUT_VARIABLE nvcc_version)
    string(REGEX REPLACE ".*release ([0-9.]+).*" "\\1" nvcc_version "${nvcc_version}")
    if(nvcc_version VERSION_GREATER_EQUAL 12.8)
      set(architectures 80-real 90-real 100) # the last with PTX, for chips to come
    else()
      set(architectures 80-real 90)
    endif()
    set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "CUDA architectures")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_STANDARD 17)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    enable_language(CUDA)
    find_package(CUDAToolkit QUIET)
    if(TARGET CUDA::cublas AND TARGET CUDA::cudart_static)
      set(cuda_found TRUE)
      string(REPLACE ";" " " architectures "${CMAKE_CUDA_ARCHITECTURES}")
      set(cuda_what "CUDA ${CUDAToolkit_VERSION} for ${architectures}")
    endif()
  endif()
endif()
modblas_settle(CUDA ${cuda_found} "${cuda_what}" "no CUDA backend is built, so the host computes")

# ---- tests, bench --------------------------------------------------------------------------

find_package(FLINT QUIET)
set(no_flint "no comparison with FLINT in tests and bench, and no nmod_mat_t entry points")
modblas_settle(FLINT "${FLINT_FOUND}" "FLINT ${FLINT_VERSION}" "${no_flint}")

find_package(Check QUIET)
modblas_settle(TESTS "${Check_FOUND}" "Check ${Check_VERSION}" "no tests are built")

file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.c")
set(bench_found FALSE)
if(bench_sources)
  set(bench_found TRUE)
endif()
modblas_settle(BENCH ${bench_found} "modblas-bench" "modblas-bench is not built")

# SPDX-License-Identifier: BSD-3-Clause
# The target modblas_flags: what all code here is compiled with.

set(warnings -Wall -Wextra -Wshadow -Wconversion -Werror)
# A product and a sum stay two roundings unless fma() is written, on every compiler: the host twins
# of the kernels then compute what the kernels compute, bit for bit.
# Nobody looks at the exceptions of comparisons, which would keep them out of vectors.
set(floating -ffp-contract=off -fno-trapping-math)
# nvcc writes host code of its own, which does not survive -Wconversion.
set(cuda_flags -Xcompiler=-Wall,-Wextra,-Wshadow,-Werror -Werror=all-warnings --fmad=false)

add_library(modblas_flags INTERFACE)
target_include_directories(modblas_flags INTERFACE "${PROJECT_SOURCE_DIR}/include"
                                                   "${PROJECT_SOURCE_DIR}")
target_compile_options(modblas_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${warnings};${floating}>"
                                               "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>")

if(MODBLAS_SANITIZE)
  set(sanitize -fsanitize=${MODBLAS_SANITIZE} -fno-omit-frame-pointer -g)
  target_compile_options(modblas_flags INTERFACE "$<$<COMPILE_LANGUAGE:C>:${sanitize}>")
  target_link_options(modblas_flags INTERFACE -fsanitize=${MODBLAS_SANITIZE})
else()
  # The sanitizers' run time is only in the program, so that their builds cannot have this.
  target_link_options(modblas_flags INTERFACE "LINKER:--no-undefined")
endif()

# SPDX-License-Identifier: BSD-3-Clause
# What the Python package carries, beside its modules: the library under its plain name (a wheel has
# no symbolic links), the CUDA module and modblas-bench, where they are built.

set_property(TARGET modblas PROPERTY VERSION)
set_property(TARGET modblas PROPERTY SOVERSION)
install(TARGETS modblas LIBRARY DESTINATION . COMPONENT python)
foreach(name IN ITEMS modblas_cuda modblas-bench modblas_bench_cuda)
  if(TARGET ${name})
    install(TARGETS ${name} DESTINATION . COMPONENT python)
  endif()
endforeach()

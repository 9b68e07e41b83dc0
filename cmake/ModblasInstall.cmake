# SPDX-License-Identifier: BSD-3-Clause
# Libraries, headers, bench; find_package(modblas) and modblas.pc.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/modblas")

install(TARGETS modblas EXPORT modblasTargets)
install(FILES "${PROJECT_SOURCE_DIR}/include/modblas.h" TYPE INCLUDE)
if(TARGET modblas_flint)
  # Not exported: the package file would name this machine's FLINT. modblasConfig.cmake finds it.
  install(TARGETS modblas_flint)
  install(FILES "${PROJECT_SOURCE_DIR}/include/modblas_flint.h" TYPE INCLUDE)
endif()

install(EXPORT modblasTargets NAMESPACE modblas:: DESTINATION "${package_dir}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/modblasConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/modblasConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}"
                              PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/modblasConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/modblasConfig.cmake"
              "${PROJECT_BINARY_DIR}/modblasConfigVersion.cmake"
        DESTINATION "${package_dir}")

# Relative to the file itself, so that an installed tree can be moved.
set(pc_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pc_prefix "${pc_dir}" "${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH pc_libdir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_LIBDIR}")
file(RELATIVE_PATH pc_includedir "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
foreach(name IN ITEMS modblas modblas_flint)
  if(TARGET ${name})
    configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc"
                   @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${name}.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  endif()
endforeach()

# SPDX-License-Identifier: BSD-3-Clause
# Finds the unit test framework Check: Check_FOUND, Check_VERSION and the target Check::Check. Done
# by hand, since its own files name the folder of installation and need pkg-config.

find_path(Check_INCLUDE_DIR check.h)
find_library(Check_LIBRARY NAMES check_pic check)
find_library(Check_SUBUNIT_LIBRARY subunit)
mark_as_advanced(Check_INCLUDE_DIR Check_LIBRARY Check_SUBUNIT_LIBRARY)

if(Check_INCLUDE_DIR)
  file(STRINGS "${Check_INCLUDE_DIR}/check.h" lines
       REGEX "define CHECK_(MAJOR|MINOR|MICRO)_VERSION +\\(")
  string(REGEX MATCHALL "\\([0-9]+\\)" lines "${lines}")
  string(REGEX REPLACE "[()]" "" lines "${lines}")
  string(REPLACE ";" "." Check_VERSION "${lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Check REQUIRED_VARS Check_LIBRARY Check_INCLUDE_DIR
                                  VERSION_VAR Check_VERSION)

if(Check_FOUND AND NOT TARGET Check::Check)
  find_package(Threads REQUIRED)
  set(libraries Threads::Threads rt m)
  if(Check_SUBUNIT_LIBRARY)
    list(PREPEND libraries "${Check_SUBUNIT_LIBRARY}")
  endif()
  add_library(Check::Check UNKNOWN IMPORTED)
  set_target_properties(Check::Check PROPERTIES IMPORTED_LOCATION "${Check_LIBRARY}"
                        INTERFACE_LINK_LIBRARIES "${libraries}"
                        INTERFACE_INCLUDE_DIRECTORIES "${Check_INCLUDE_DIR}")
endif()

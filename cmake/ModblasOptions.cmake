# SPDX-License-Identifier: BSD-3-Clause
# Options with three values: AUTO takes what is there, ON fails without it, OFF leaves it out.

function(modblas_option name doc)
  set(MODBLAS_${name} AUTO CACHE STRING "${doc} (AUTO, ON, OFF)")
  set_property(CACHE MODBLAS_${name} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# Sets MODBLAS_WITH_<name> from the option and from <found>, and notes a line for the summary:
# <what> was found, or, without it, <consequence>.
function(modblas_settle name found what consequence)
  set(with FALSE)
  if(MODBLAS_${name} STREQUAL "AUTO" OR MODBLAS_${name})
    set(with "${found}")
  endif()
  if(with)
    set(line "${what}")
  elseif(MODBLAS_${name} STREQUAL "AUTO")
    set(line "not found: ${consequence}")
  elseif(MODBLAS_${name})
    message(FATAL_ERROR "MODBLAS_${name} is ON, but what it needs was not found: ${what}")
  else()
    set(line "switched off: ${consequence}")
  endif()
  string(SUBSTRING "${name}       " 0 7 label)
  set_property(GLOBAL APPEND PROPERTY MODBLAS_SUMMARY "${label} ${line}")
  # Kept in the cache for scripts/test.sh, which names what it skips.
  set(MODBLAS_WITH_${name} "${with}" CACHE INTERNAL "MODBLAS_${name} as settled")
endfunction()

function(modblas_print_summary)
  get_property(lines GLOBAL PROPERTY MODBLAS_SUMMARY)
  message(STATUS "modblas ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, ${CMAKE_C_COMPILER_ID} "
                 "${CMAKE_C_COMPILER_VERSION}")
  foreach(line IN LISTS lines)
    message(STATUS "  ${line}")
  endforeach()
endfunction()

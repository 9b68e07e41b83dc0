# SPDX-License-Identifier: BSD-3-Clause
# Run at every build: cmake -DSOURCE=<tree> -DOUTPUT=<header> -P commit.cmake
# The commit comes from MODBLAS_COMMIT in the environment, from git, or from .deps/commit in a copy
# of the tree that has no .git.

set(commit "$ENV{MODBLAS_COMMIT}")
if(NOT commit AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git -C "${SOURCE}" rev-parse HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "")
  else()
    execute_process(COMMAND git -C "${SOURCE}" status --porcelain OUTPUT_VARIABLE changes
                    ERROR_QUIET)
    if(changes)
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()
if(NOT commit AND EXISTS "${SOURCE}/.deps/commit")
  file(STRINGS "${SOURCE}/.deps/commit" commit LIMIT_COUNT 1)
endif()
if(NOT commit)
  set(commit "unknown-dirty")
endif()

set(text "/* Generated. */\n#define MODBLAS_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()

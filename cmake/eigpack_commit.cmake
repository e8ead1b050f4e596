# Run at build time: writes OUT with the commit of SOURCE, and leaves it alone where that has not changed.
#   cmake -DSOURCE=... -DOUT=... [-DCOMMIT=...] -P eigpack_commit.cmake
cmake_minimum_required(VERSION 3.20)
if(NOT COMMIT)
    set(COMMIT unknown)
    find_program(GIT git)
    if(GIT AND EXISTS ${SOURCE}/.git)
        execute_process(COMMAND ${GIT} --no-optional-locks describe --always --dirty --abbrev=12
            WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE described RESULT_VARIABLE failed
            OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(NOT failed)
            set(COMMIT ${described})
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define EIG_COMMIT \"@COMMIT@\"\n" @ONLY)

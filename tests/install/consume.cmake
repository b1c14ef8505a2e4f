# Installs the built project, then configures, builds and runs the examples that use it, as a user would.
#   cmake -DBUILD=… -DSOURCE=… -DGENERATOR=… -DCOMPILER=… -DMOLD=… -P consume.cmake
set(prefix ${BUILD}/installed)
file(REMOVE_RECURSE ${prefix})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV} failed:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

set(linker "")
if(MOLD)   # a tenth of the time of twelve programs that hold the library
  set(linker -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=mold)
endif()

# Builds examples/<name> in ${build}, which it sets.
function(build_example name)
  set(build ${BUILD}/${name})
  file(REMOVE_RECURSE ${build})
  run(${CMAKE_COMMAND} -S ${SOURCE}/examples/${name} -B ${build} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix} ${linker})
  run(${CMAKE_COMMAND} --build ${build})
  set(build ${build} PARENT_SCOPE)
endfunction()

# Builds examples/<name>, runs its program and expects a text in what that prints.
function(example name program text)
  build_example(${name})
  run(${CMAKE_COMMAND} -E chdir ${build} ./${program})
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "Unexpected output:\n${output}")
  endif()
  message("${output}")
endfunction()

example(consumer consumer "the ground carries 100.0 % of the weight")
example(controller controller "each finger presses it with 8.0 N and carries 3.47 N of its weight and pull")
example(own-law own_law "forward 2.000 m: free gliding is 2.000 m")

# The programs of the tutorial check themselves, and write films.
build_example(tutorial)
run(${CMAKE_CTEST_COMMAND} --test-dir ${build} --output-on-failure)
run(${CMAKE_COMMAND} -E chdir ${build} ./step-7 film.html)
file(SIZE ${build}/film.html size)
if(size LESS 100000)
  message(FATAL_ERROR "The film of step 7 has only ${size} bytes.")
endif()

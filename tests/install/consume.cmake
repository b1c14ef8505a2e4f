# Installs the built project, then configures, builds and runs the example that uses it, as a user would.
#   cmake -DBUILD=… -DSOURCE=… -DGENERATOR=… -DCOMPILER=… -P consume.cmake
set(prefix ${BUILD}/installed)
set(consumer ${BUILD}/consumer)
file(REMOVE_RECURSE ${prefix} ${consumer})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV} failed:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/consumer -B ${consumer} -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix})
run(${CMAKE_COMMAND} --build ${consumer})
run(${consumer}/consumer)
if(NOT output MATCHES "the ground carries 100.0 % of the weight")
  message(FATAL_ERROR "Unexpected output:\n${output}")
endif()
message("${output}")

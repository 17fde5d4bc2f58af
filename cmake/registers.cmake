# Writes the register maps of rtl/regs as C and C++ to DCCVP_GENERATED, an include folder of all targets. The files are
# written while configuring, so that they are there before any compiler starts; the build configures again when a map or
# the generator has changed. A file whose text stays the same is not written, and what includes it is not compiled.
set(DCCVP_GENERATED ${PROJECT_BINARY_DIR}/generated)
file(GLOB DCCVP_REGISTER_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rtl/regs/*.yaml
     ${PROJECT_SOURCE_DIR}/rtl/regs/*.json ${PROJECT_SOURCE_DIR}/python/dccvp/regtool/*.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${DCCVP_REGISTER_SOURCES})
execute_process(
  COMMAND /usr/bin/python3 -IB ${PROJECT_SOURCE_DIR}/python/tool.py regtool --code ${DCCVP_GENERATED}
  OUTPUT_QUIET RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "The registers' sources are not written, for the reason above; "
                      "'cmake/install_packages.sh run' installs missing packages")
endif()

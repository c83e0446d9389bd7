# cmake -DSCRIPT=.../cmake_install.cmake -P installs_nothing.cmake
file(READ ${SCRIPT} script)
if(script MATCHES "file\\(INSTALL")
  message(FATAL_ERROR "shardy installs although nobody asked: ${SCRIPT}")
endif()

# find_package(eigpack), pkg-config, and the files of an installation.  (Filled in with the packaging.)

# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Eigpack(CMakePackage, CudaPackage):
    """Eigenvalues and eigenvectors, many at a time, on CPUs and GPUs: batches of small matrices
    and symmetric tridiagonal matrices of any size."""

    homepage = "@HOME@"
    url = "@URL@"
    git = "@REPOSITORY@"

    license("BSD-3-Clause")

    version("@VERSION@", sha256="@SHA256@")

    variant("mpi", default=False, description="Build eigpack_mpi, and the program's ranks")
    variant("matio", default=True, description="Read and write .mat files")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.20:", type="build")
    depends_on("mpi@3:", when="+mpi")
    depends_on("matio", when="+matio")

    conflicts("platform=darwin", msg="eigpack is for Linux")
    conflicts("platform=windows", msg="eigpack is for Linux")

    def cmake_args(self):
        args = [
            self.define_from_variant("EIG_CUDA", "cuda"),
            self.define_from_variant("EIG_MPI", "mpi"),
            self.define("EIG_BUILD_TESTS", False),
            self.define("EIG_COMMIT", "v@VERSION@"),
        ]
        if "+cuda" in self.spec:
            archs = self.spec.variants["cuda_arch"].value
            if "none" not in archs:
                args.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(archs)))
        return args

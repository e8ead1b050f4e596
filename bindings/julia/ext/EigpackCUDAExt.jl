# Arrays of CUDA.jl: computed on their device, in the order of the task's stream.
module EigpackCUDAExt

using CUDA: CUDA, CuArray
using Eigpack: Eigpack, LibEigpack

Eigpack.device_of(a::CuArray) = "cuda:$(CUDA.deviceid(CUDA.device(a)))"
Eigpack.address(a::CuArray) = reinterpret(Ptr{Cvoid}, pointer(a))
Eigpack.prepare(context, ::CuArray) = Eigpack.checked(context, LibEigpack.eig_set_stream(context, Ptr{Cvoid}(CUDA.stream().handle)))

end

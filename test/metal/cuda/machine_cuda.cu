// Owns: the machine of machine_cuda.h.
// Must not know: what the tests look for.
#include "machine_cuda.h"

#include <cstdio>
#include <cstdlib>

namespace cuda {

void must(cudaError_t result, const char *what) {
    if (result == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
    exit(3);
}

void launch(const std::string &form, const std::string &kernel, std::vector<void *> buffers,
            const cases::BatchParams *params, uint32_t groups) {
    const auto found = tables()[form].find(kernel);
    if (found == tables()[form].end()) {
        fprintf(stderr, "no kernel '%s' in form '%s'\n", kernel.c_str(), form.c_str());
        exit(3);
    }
    std::vector<void *> arguments;
    for (void *&buffer : buffers) arguments.push_back(&buffer);
    if (params != nullptr) arguments[4] = const_cast<cases::BatchParams *>(params);
    must(cudaLaunchKernel(found->second.function, dim3(groups), dim3(found->second.threads), arguments.data(), 0, nullptr),
         kernel.c_str());
}

void *CudaMachine::allocate(size_t bytes) {
    void *memory = nullptr;
    must(cudaMalloc(&memory, bytes == 0 ? 1 : bytes), "cudaMalloc");
    return memory;
}
void CudaMachine::release(void *memory) { must(cudaFree(memory), "cudaFree"); }
void CudaMachine::upload(void *to, const void *from, size_t bytes) {
    must(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "upload");
}
void CudaMachine::download(void *to, const void *from, size_t bytes) {
    must(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "download");
}
void CudaMachine::fill(void *to, int byte, size_t bytes) { must(cudaMemset(to, byte, bytes), "fill"); }

void CudaMachine::run(const std::string &kernel, const std::vector<void *> &buffers, const cases::BatchParams *params,
                      uint32_t groups) {
    launch(form_, kernel, buffers, params, groups);
    must(cudaDeviceSynchronize(), kernel.c_str());
}

}  // namespace cuda

// Owns: an NVIDIA GPU as a test machine that runs the generated kernels of one form.
// Must not know: what the tests look for.
#pragma once
#include <cuda_runtime.h>

#include "../cases/machine.h"
#include "kernels.h"

namespace cuda {

// Stops the program with the call's words unless it went well.
void must(cudaError_t result, const char *what);

// Puts one dispatch on the default stream.
void launch(const std::string &form, const std::string &kernel, std::vector<void *> buffers,
            const cases::BatchParams *params, uint32_t groups);

class CudaMachine : public cases::Machine {
public:
    explicit CudaMachine(std::string form) : form_(std::move(form)) {}
    void *allocate(size_t bytes) override;
    void release(void *memory) override;
    void upload(void *to, const void *from, size_t bytes) override;
    void download(void *to, const void *from, size_t bytes) override;
    void fill(void *to, int byte, size_t bytes) override;
    void run(const std::string &kernel, const std::vector<void *> &buffers, const cases::BatchParams *params,
             uint32_t groups) override;

private:
    std::string form_;
};

}  // namespace cuda

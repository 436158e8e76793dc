// Owns: the compiled kernels of a device. For Objective-C++ alone.
// Must not know: buffers, commands, what a kernel decodes.
#pragma once
#import <Metal/Metal.h>

#include <map>
#include <string>

#include "backends/metal/device.h"

namespace framelab::metal {

/** What Metal says of an error, or else `otherwise`. */
std::string words(NSError* error, const char* otherwise);

class Pipelines {
 public:
  struct Entry {
    id<MTLComputePipelineState> state;
    unsigned threads;
  };

  /** Compiles `source` and makes every pipeline of `kKernels`, each checked. False, and why. */
  bool compile(id<MTLDevice> device, const char* source, std::string& why);
  /** Null for a name that is no kernel. */
  const Entry* find(const std::string& kernel) const;

 private:
  bool make(id<MTLDevice> device, id<MTLLibrary> library, const KernelFacts& kernel, std::string& why);

  std::map<std::string, Entry> entries_;
};

}  // namespace framelab::metal

// Owns: compiling the kernels (ARC), and what is checked of each before it may run.
// Must not know: buffers, commands, what a kernel decodes.
#import "backends/metal/pipelines.h"

#if !__has_feature(objc_arc)
#error "pipelines.mm needs -fobjc-arc"
#endif

namespace framelab::metal {

const std::vector<KernelFacts> kKernels = {
    {"fused_uniform_u8", 32},    {"fused_uniform_u16", 32},   {"fused_uniform_u32", 32},   {"fused_windowed_u8", 32},
    {"fused_windowed_u16", 32},  {"fused_windowed_u32", 32},  {"decode_scratch", 256},     {"unshuffle_whole_u8", 32},
    {"unshuffle_whole_u16", 32}, {"unshuffle_whole_u32", 32}, {"unshuffle_short_u8", 256}, {"unshuffle_short_u16", 256},
    {"unshuffle_short_u32", 256}, {"copy_raw", 32},           {"probe_simd", 32},
};

namespace {
constexpr NSUInteger kSimdWidth = 32;
}  // namespace

std::string words(NSError* error, const char* otherwise) {
  if (error == nil) return otherwise;
  const char* text = [[error localizedDescription] UTF8String];
  return text == nullptr ? otherwise : text;
}

bool Pipelines::compile(id<MTLDevice> device, const char* source, std::string& why) {
  MTLCompileOptions* options = [MTLCompileOptions new];
  options.languageVersion = MTLLanguageVersion2_4;
  NSError* error = nil;
  id<MTLLibrary> library = [device newLibraryWithSource:[NSString stringWithUTF8String:source]
                                                 options:options
                                                   error:&error];
  // Warnings fill `error` beside a good library: the library decides.
  if (library == nil) {
    why = "the kernels do not compile: " + words(error, "no reason given");
    return false;
  }
  for (const KernelFacts& kernel : kKernels)
    if (!make(device, library, kernel, why)) return false;
  return true;
}

bool Pipelines::make(id<MTLDevice> device, id<MTLLibrary> library, const KernelFacts& kernel,
                     std::string& why) {
  id<MTLFunction> function = [library newFunctionWithName:[NSString stringWithUTF8String:kernel.name]];
  if (function == nil) {
    why = std::string("kernel ") + kernel.name + " is not in the library";
    return false;
  }
  NSError* error = nil;
  id<MTLComputePipelineState> pipeline = [device newComputePipelineStateWithFunction:function error:&error];
  if (pipeline == nil) {
    why = std::string("kernel ") + kernel.name + ": " + words(error, "no pipeline");
    return false;
  }
  if ([pipeline threadExecutionWidth] != kSimdWidth) {
    why = std::string("kernel ") + kernel.name + ": SIMD groups of " +
          std::to_string([pipeline threadExecutionWidth]) + " threads, not 32";
    return false;
  }
  // A dispatch over this limit would not run and would report nothing.
  if ([pipeline maxTotalThreadsPerThreadgroup] < kernel.threads) {
    why = std::string("kernel ") + kernel.name + ": at most " +
          std::to_string([pipeline maxTotalThreadsPerThreadgroup]) + " threads a threadgroup";
    return false;
  }
  entries_[kernel.name] = {pipeline, kernel.threads};
  return true;
}

const Pipelines::Entry* Pipelines::find(const std::string& kernel) const {
  const auto found = entries_.find(kernel);
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace framelab::metal

// Owns: device.h in Objective-C++ (ARC): the only file that calls Metal.
// Must not know: chunks, files, Node-API; what a kernel decodes.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>

#include "backends/metal/device.h"

#if !__has_feature(objc_arc)
#error "device.mm needs -fobjc-arc"
#endif

namespace framelab::metal {

const std::vector<KernelFacts> kKernels = {
    {"fused_uniform_u8", 32},    {"fused_uniform_u16", 32},   {"fused_uniform_u32", 32},   {"fused_windowed_u8", 32},
    {"fused_windowed_u16", 32},  {"fused_windowed_u32", 32},  {"decode_scratch", 256},     {"unshuffle_whole_u8", 32},
    {"unshuffle_whole_u16", 32}, {"unshuffle_whole_u32", 32}, {"unshuffle_short_u8", 256}, {"unshuffle_short_u16", 256},
    {"unshuffle_short_u32", 256}, {"copy_raw", 32},           {"probe_simd", 32},
};

std::size_t page_bytes() { return static_cast<std::size_t>(getpagesize()); }

namespace {

constexpr NSUInteger kSimdWidth = 32;
constexpr std::size_t kLongestSetBytes = 4095;
constexpr std::size_t kBindingAlignment = 256;
constexpr std::size_t kParamsIndex = 4;
constexpr std::size_t kMostBuffers = 31;

std::string words(NSError* error, const char* otherwise) {
  if (error == nil) return otherwise;
  const char* text = [[error localizedDescription] UTF8String];
  return text == nullptr ? otherwise : text;
}

class SharedBuffer : public Buffer {
 public:
  explicit SharedBuffer(id<MTLBuffer> metal_buffer) : buffer(metal_buffer) {}
  void* contents() const override { return [buffer contents]; }
  std::size_t bytes() const override { return [buffer length]; }
  id<MTLBuffer> const buffer;
};

/** The end of one command buffer, told by its completion handler on a thread of Metal's. */
struct Completion {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;

  void tell() {
    const std::lock_guard<std::mutex> lock(mutex);
    done = true;
    ended.notify_all();
  }
  bool wait(double seconds) {
    std::unique_lock<std::mutex> lock(mutex);
    return ended.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return done; });
  }
};

/** Ends its encoder whatever happens: Metal aborts when an encoder is released open. */
class Encoder {
 public:
  explicit Encoder(id<MTLComputeCommandEncoder> metal_encoder) : encoder(metal_encoder) {}
  ~Encoder() { [encoder endEncoding]; }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  id<MTLComputeCommandEncoder> const encoder;
};

class MetalDevice : public Device {
 public:
  MetalDevice(id<MTLDevice> device, id<MTLCommandQueue> queue) : device_(device), queue_(queue) {
    facts_.name = [[device name] UTF8String];
    facts_.max_buffer_bytes = [device maxBufferLength];
    facts_.working_set_bytes = [device recommendedMaxWorkingSetSize];
  }

  const DeviceFacts& facts() const override { return facts_; }
  bool compile(const char* source, std::string& why);
  std::unique_ptr<Buffer> allocate(std::size_t bytes) override;
  std::unique_ptr<Buffer> wrap(void* memory, std::size_t bytes) override;
  RunOutcome run(const std::vector<Dispatch>& dispatches, double seconds) override;

 private:
  bool make_pipeline(id<MTLLibrary> library, const KernelFacts& kernel, std::string& why);
  bool encode(id<MTLCommandBuffer> commands, const std::vector<Dispatch>& dispatches, std::string& why);
  RunOutcome run_once(const std::vector<Dispatch>& dispatches, double seconds, bool& victim);

  id<MTLDevice> device_;
  id<MTLCommandQueue> queue_;
  std::map<std::string, id<MTLComputePipelineState>> pipelines_;
  std::map<std::string, unsigned> threads_;
  DeviceFacts facts_;
  std::string lost_;
};

/** A plain process may see no default device: the list of all is asked too. */
id<MTLDevice> first_device() {
  NSArray<id<MTLDevice>>* all = MTLCopyAllDevices();
  if (all != nil && [all count] > 0) return [all objectAtIndex:0];
  return MTLCreateSystemDefaultDevice();
}

bool MetalDevice::compile(const char* source, std::string& why) {
  MTLCompileOptions* options = [MTLCompileOptions new];
  options.languageVersion = MTLLanguageVersion2_4;
  NSError* error = nil;
  id<MTLLibrary> library = [device_ newLibraryWithSource:[NSString stringWithUTF8String:source]
                                                 options:options
                                                   error:&error];
  // Warnings fill `error` beside a good library: the library decides.
  if (library == nil) {
    why = "the kernels do not compile: " + words(error, "no reason given");
    return false;
  }
  for (const KernelFacts& kernel : kKernels)
    if (!make_pipeline(library, kernel, why)) return false;
  return true;
}

bool MetalDevice::make_pipeline(id<MTLLibrary> library, const KernelFacts& kernel, std::string& why) {
  id<MTLFunction> function = [library newFunctionWithName:[NSString stringWithUTF8String:kernel.name]];
  if (function == nil) {
    why = std::string("kernel ") + kernel.name + " is not in the library";
    return false;
  }
  NSError* error = nil;
  id<MTLComputePipelineState> pipeline = [device_ newComputePipelineStateWithFunction:function error:&error];
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
  pipelines_[kernel.name] = pipeline;
  threads_[kernel.name] = kernel.threads;
  return true;
}

std::unique_ptr<Buffer> MetalDevice::allocate(std::size_t bytes) {
  @autoreleasepool {
    if (bytes == 0 || bytes > facts_.max_buffer_bytes) return nullptr;
    id<MTLBuffer> buffer = [device_ newBufferWithLength:bytes options:MTLResourceStorageModeShared];
    return buffer == nil ? nullptr : std::make_unique<SharedBuffer>(buffer);
  }
}

std::unique_ptr<Buffer> MetalDevice::wrap(void* memory, std::size_t bytes) {
  @autoreleasepool {
    const std::size_t page = page_bytes();
    if (bytes == 0 || bytes > facts_.max_buffer_bytes || bytes % page != 0 ||
        reinterpret_cast<std::uintptr_t>(memory) % page != 0)
      return nullptr;
    id<MTLBuffer> buffer = [device_ newBufferWithBytesNoCopy:memory
                                                      length:bytes
                                                     options:MTLResourceStorageModeShared
                                                 deallocator:nil];
    // Some systems answer with a buffer of length 0 where others give nil.
    if (buffer == nil || [buffer length] != bytes || [buffer contents] != memory) return nullptr;
    return std::make_unique<SharedBuffer>(buffer);
  }
}

bool MetalDevice::encode(id<MTLCommandBuffer> commands, const std::vector<Dispatch>& dispatches, std::string& why) {
  id<MTLComputeCommandEncoder> opened = [commands computeCommandEncoder];
  if (opened == nil) {
    why = "no command encoder";
    return false;
  }
  const Encoder scope(opened);
  for (const Dispatch& dispatch : dispatches) {
    const auto pipeline = pipelines_.find(dispatch.kernel);
    if (pipeline == pipelines_.end() || dispatch.groups == 0 || dispatch.params_bytes > kLongestSetBytes ||
        dispatch.buffers.size() > kMostBuffers) {
      why = "a dispatch of " + dispatch.kernel + " that Metal cannot take";
      return false;
    }
    [opened setComputePipelineState:pipeline->second];
    for (std::size_t i = 0; i < dispatch.buffers.size(); ++i) {
      const Binding& binding = dispatch.buffers[i];
      if (binding.buffer == nullptr) continue;
      if (binding.offset % kBindingAlignment != 0 || binding.offset >= binding.buffer->bytes()) {
        why = "a buffer offset that Metal cannot take";
        return false;
      }
      [opened setBuffer:static_cast<const SharedBuffer*>(binding.buffer)->buffer offset:binding.offset atIndex:i];
    }
    if (dispatch.params_bytes > 0) [opened setBytes:dispatch.params length:dispatch.params_bytes atIndex:kParamsIndex];
    [opened dispatchThreadgroups:MTLSizeMake(dispatch.groups, 1, 1)
           threadsPerThreadgroup:MTLSizeMake(threads_.at(dispatch.kernel), 1, 1)];
  }
  return true;
}

RunOutcome MetalDevice::run_once(const std::vector<Dispatch>& dispatches, double seconds, bool& victim) {
  RunOutcome outcome;
  victim = false;
  @autoreleasepool {
    id<MTLCommandBuffer> commands = [queue_ commandBuffer];
    if (commands == nil) {
      outcome.message = "no command buffer";
      return outcome;
    }
    if (!encode(commands, dispatches, outcome.message)) return outcome;
    const auto completion = std::make_shared<Completion>();
    [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
      completion->tell();
    }];
    [commands commit];
    if (!completion->wait(seconds)) {
      // The GPU may still use the buffers, which the command buffer keeps alive.
      lost_ = "the GPU did not answer within " + std::to_string(static_cast<int>(seconds)) + " s";
      outcome.message = lost_;
      return outcome;
    }
    outcome.gpu_seconds = [commands GPUEndTime] - [commands GPUStartTime];
    if ([commands status] == MTLCommandBufferStatusCompleted && [commands error] == nil) {
      outcome.ok = true;
      return outcome;
    }
    outcome.message = words([commands error], "the command buffer failed without a reason");
    // The code beside it is not reliable; the text is.
    victim = outcome.message.find("victim") != std::string::npos;
    return outcome;
  }
}

RunOutcome MetalDevice::run(const std::vector<Dispatch>& dispatches, double seconds) {
  if (!lost_.empty()) {
    RunOutcome outcome;
    outcome.message = lost_;
    return outcome;
  }
  bool victim = false;
  RunOutcome outcome = run_once(dispatches, seconds, victim);
  return victim ? run_once(dispatches, seconds, victim) : outcome;
}

}  // namespace

std::unique_ptr<Device> Device::open(const char* source, std::string& why) {
  @autoreleasepool {
    id<MTLDevice> device = first_device();
    if (device == nil) {
      why = "no Metal device";
      return nullptr;
    }
    if (![device hasUnifiedMemory]) {
      why = std::string([[device name] UTF8String]) + " does not share its memory with the CPU";
      return nullptr;
    }
    id<MTLCommandQueue> queue = [device newCommandQueue];
    if (queue == nil) {
      why = "no command queue";
      return nullptr;
    }
    auto opened = std::make_unique<MetalDevice>(device, queue);
    if (!opened->compile(source, why)) return nullptr;
    return opened;
  }
}

}  // namespace framelab::metal

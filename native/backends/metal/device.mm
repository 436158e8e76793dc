// Owns: device.h in Objective-C++ (ARC): buffers, command buffers and their end.
// Must not know: chunks, files, Node-API; what a kernel decodes.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "backends/metal/device.h"
#include "backends/metal/pipelines.h"

#if !__has_feature(objc_arc)
#error "device.mm needs -fobjc-arc"
#endif

namespace framelab::metal {

std::size_t page_bytes() { return static_cast<std::size_t>(getpagesize()); }

namespace {

constexpr std::size_t kLongestSetBytes = 4095;
constexpr std::size_t kBindingAlignment = 256;
constexpr std::size_t kParamsIndex = 4;
constexpr std::size_t kMostBuffers = 31;

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
  static std::unique_ptr<Device> open_on(id<MTLDevice> device, const char* source, std::string& why);
  MetalDevice(id<MTLDevice> device, id<MTLCommandQueue> queue) : device_(device), queue_(queue) {
    facts_.name = [[device name] UTF8String];
    facts_.max_buffer_bytes = [device maxBufferLength];
    facts_.working_set_bytes = [device recommendedMaxWorkingSetSize];
  }

  std::unique_ptr<Device> open_beside(const char* source, std::string& why) override {
    return open_on(device_, source, why);
  }
  const DeviceFacts& facts() const override { return facts_; }
  std::unique_ptr<Buffer> allocate(std::size_t bytes) override;
  std::unique_ptr<Buffer> wrap(void* memory, std::size_t bytes) override;
  std::unique_ptr<Commands> commit(std::vector<Dispatch> dispatches) override;
  std::string lost() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lost_;
  }
  void lose(const std::string& why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    lost_ = why;
  }
  /** A command buffer with its work, not committed; nil, and why. */
  id<MTLCommandBuffer> record(const std::vector<Dispatch>& dispatches, std::string& why);

 private:
  bool encode(id<MTLCommandBuffer> commands, const std::vector<Dispatch>& dispatches, std::string& why);

  id<MTLDevice> device_;
  id<MTLCommandQueue> queue_;
  Pipelines pipelines_;
  DeviceFacts facts_;
  mutable std::mutex mutex_;
  std::string lost_;
};

/** One piece of work, which can be committed again. */
class MetalCommands : public Commands {
 public:
  MetalCommands(MetalDevice& device, std::vector<Dispatch> dispatches)
      : device_(device), dispatches_(std::move(dispatches)) {
    commit();
  }
  RunOutcome wait(double seconds) override;

 private:
  void commit();
  RunOutcome wait_once(double seconds, bool& victim);

  MetalDevice& device_;
  const std::vector<Dispatch> dispatches_;
  /** Nil: it was not committed, for this reason. */
  id<MTLCommandBuffer> commands_ = nil;
  std::string why_;
  std::shared_ptr<Completion> completion_;
};

std::unique_ptr<Device> MetalDevice::open_on(id<MTLDevice> device, const char* source, std::string& why) {
  @autoreleasepool {
    id<MTLCommandQueue> queue = [device newCommandQueue];
    if (queue == nil) {
      why = "no command queue";
      return nullptr;
    }
    auto opened = std::make_unique<MetalDevice>(device, queue);
    if (!opened->pipelines_.compile(device, source, why)) return nullptr;
    return opened;
  }
}

/** A plain process may see no default device: the list of all is asked too. */
id<MTLDevice> first_device() {
  NSArray<id<MTLDevice>>* all = MTLCopyAllDevices();
  if (all != nil && [all count] > 0) return [all objectAtIndex:0];
  return MTLCreateSystemDefaultDevice();
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
    const Pipelines::Entry* const pipeline = pipelines_.find(dispatch.kernel);
    if (pipeline == nullptr || dispatch.groups == 0 || dispatch.params.size() > kLongestSetBytes ||
        dispatch.buffers.size() > kMostBuffers) {
      why = "a dispatch of " + dispatch.kernel + " that Metal cannot take";
      return false;
    }
    [opened setComputePipelineState:pipeline->state];
    for (std::size_t i = 0; i < dispatch.buffers.size(); ++i) {
      const Binding& binding = dispatch.buffers[i];
      if (binding.buffer == nullptr) continue;
      if (binding.offset % kBindingAlignment != 0 || binding.offset >= binding.buffer->bytes()) {
        why = "a buffer offset that Metal cannot take";
        return false;
      }
      [opened setBuffer:static_cast<const SharedBuffer*>(binding.buffer)->buffer offset:binding.offset atIndex:i];
    }
    if (!dispatch.params.empty())
      [opened setBytes:dispatch.params.data() length:dispatch.params.size() atIndex:kParamsIndex];
    [opened dispatchThreadgroups:MTLSizeMake(dispatch.groups, 1, 1)
           threadsPerThreadgroup:MTLSizeMake(pipeline->threads, 1, 1)];
  }
  return true;
}

id<MTLCommandBuffer> MetalDevice::record(const std::vector<Dispatch>& dispatches, std::string& why) {
  why = lost();
  if (!why.empty()) return nil;
  id<MTLCommandBuffer> commands = [queue_ commandBuffer];
  if (commands == nil) {
    why = "no command buffer";
    return nil;
  }
  return encode(commands, dispatches, why) ? commands : nil;
}

std::unique_ptr<Commands> MetalDevice::commit(std::vector<Dispatch> dispatches) {
  return std::make_unique<MetalCommands>(*this, std::move(dispatches));
}

void MetalCommands::commit() {
  @autoreleasepool {
    commands_ = device_.record(dispatches_, why_);
    if (commands_ == nil) return;
    completion_ = std::make_shared<Completion>();
    const std::shared_ptr<Completion> completion = completion_;
    [commands_ addCompletedHandler:^(id<MTLCommandBuffer>) {
      completion->tell();
    }];
    [commands_ commit];
  }
}

RunOutcome MetalCommands::wait_once(double seconds, bool& victim) {
  RunOutcome outcome;
  victim = false;
  if (commands_ == nil) {
    outcome.message = why_;
    return outcome;
  }
  @autoreleasepool {
    if (!completion_->wait(seconds)) {
      // The GPU may still use the buffers, which the command buffer keeps alive.
      outcome.message = "the GPU did not answer within " + std::to_string(static_cast<int>(seconds)) + " s";
      device_.lose(outcome.message);
      return outcome;
    }
    outcome.gpu_seconds = [commands_ GPUEndTime] - [commands_ GPUStartTime];
    if ([commands_ status] == MTLCommandBufferStatusCompleted && [commands_ error] == nil) {
      outcome.ok = true;
      return outcome;
    }
    outcome.message = words([commands_ error], "the command buffer failed without a reason");
    // The code beside it is not reliable; the text is.
    victim = outcome.message.find("victim") != std::string::npos;
    return outcome;
  }
}

RunOutcome MetalCommands::wait(double seconds) {
  bool victim = false;
  RunOutcome outcome = wait_once(seconds, victim);
  if (!victim) return outcome;
  commit();
  return wait_once(seconds, victim);
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
    return MetalDevice::open_on(device, source, why);
  }
}

}  // namespace framelab::metal

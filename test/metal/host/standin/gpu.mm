// Owns: the stand-in device: its facts, buffers, libraries and pipelines, with the faults of faults.h.
// Must not know: the host, how command buffers run.
#import "objects.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "faults.h"
#include "runtime.h"

namespace {
// Memory of the buffers that are alive, by where it starts.
std::mutex mutex;
std::map<const char *, size_t> shared;
std::vector<standin::Window> no_copy;
void share(const void *memory, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    shared[static_cast<const char *>(memory)] = bytes;
}
void unshare(const void *memory) {
    const std::lock_guard<std::mutex> lock(mutex);
    shared.erase(static_cast<const char *>(memory));
}
void open_window(const void *memory, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    no_copy.push_back({static_cast<const char *>(memory), bytes});
}
void close_window(const void *memory, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto is_it = [&](const standin::Window &window) { return window.begin == memory && window.bytes == bytes; };
    no_copy.erase(std::find_if(no_copy.begin(), no_copy.end(), is_it));
}
}  // namespace

bool standin::is_shared(const void *memory, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex);
    const char *const at = static_cast<const char *>(memory);
    auto found = shared.upper_bound(at);
    if (found == shared.begin()) return false;
    --found;
    const size_t before = size_t(at - found->first);
    return before <= found->second && bytes <= found->second - before;
}

std::vector<standin::Window> standin::windows() {
    const std::lock_guard<std::mutex> lock(mutex);
    return no_copy;
}

@implementation MTLCompileOptions
@synthesize languageVersion;
@end

@implementation StandInBuffer
- (NSUInteger)length {
    return bytes;
}
- (void *)contents {
    return memory;
}
- (void)dealloc {
    if (!owned) return close_window(memory, bytes);
    unshare(memory);
    free(memory);
}
@end

@implementation StandInFunction
- (NSString *)name {
    return function_name;
}
@end

@interface StandInLibrary : NSObject <MTLLibrary> {
  @public
    std::string prefix;
}
@end
@implementation StandInLibrary
- (id<MTLFunction>)newFunctionWithName:(NSString *)name {
    const std::string whole = prefix + [name UTF8String];
    for (const simt::Kernel &kernel : simt::registry()) {
        if (whole != kernel.name) continue;
        StandInFunction *made = [StandInFunction new];
        made->function_name = name;
        made->code = kernel;
        return made;
    }
    return nil;
}
@end

@implementation StandInPipeline
- (NSUInteger)maxTotalThreadsPerThreadgroup {
    return NSUInteger(standin::faults().most_threads);
}
- (NSUInteger)threadExecutionWidth {
    return NSUInteger(standin::faults().simd_width);
}
@end

@interface StandInDevice : NSObject <MTLDevice>
@end
@implementation StandInDevice
- (NSString *)name {
    return @"CPU stand-in";
}
- (BOOL)hasUnifiedMemory {
    return standin::faults().separate_memory ? NO : YES;
}
- (uint64_t)recommendedMaxWorkingSetSize {
    const unsigned long ordered = standin::faults().working_set_bytes;
    return ordered != 0 ? ordered : uint64_t(8) << 30;
}
- (NSUInteger)maxBufferLength {
    const unsigned long ordered = standin::faults().most_buffer_bytes;
    return ordered != 0 ? ordered : NSUInteger(1) << 32;
}
- (id<MTLCommandQueue>)newCommandQueue {
    return [StandInQueue new];
}
- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
    if (options != MTLResourceStorageModeShared) standin::rule("a storage mode that the CPU cannot read");
    if (standin::faults().refuse_buffers) return nil;
    StandInBuffer *made = [StandInBuffer new];
    made->memory = aligned_alloc(16384, (length + 16383) / 16384 * 16384);
    memset(made->memory, 0, length);
    made->bytes = length;
    made->owned = true;
    share(made->memory, length);
    return made;
}
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void *)pointer
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(void (^)(void *, NSUInteger))deallocator {
    if (deallocator != nil || options != MTLResourceStorageModeShared) standin::rule("a no-copy buffer that the host does not make");
    const uintptr_t page = 4096;
    if (standin::faults().refuse_no_copy || reinterpret_cast<uintptr_t>(pointer) % page != 0 || length % page != 0 || length == 0)
        return nil;
    StandInBuffer *made = [StandInBuffer new];
    made->memory = pointer;
    made->bytes = standin::faults().empty_no_copy ? 0 : length;
    open_window(made->memory, made->bytes);
    return made;
}
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                               options:(MTLCompileOptions *)options
                                 error:(NSError *__autoreleasing *)error {
    if (options == nil || options.languageVersion == 0) standin::rule("no language version: it must be set");
    const standin::Text *known = nullptr;
    for (const standin::Text &text : standin::texts())
        if (strcmp([source UTF8String], text.source) == 0) known = &text;
    if (standin::faults().compile_error || known == nullptr) {
        *error = standin::error_of("program_source:1:1: error: not a text that the kernels were made from");
        return nil;
    }
    if (standin::faults().warning_beside_library) *error = standin::error_of("program_source:9:9: warning: only a warning");
    StandInLibrary *made = [StandInLibrary new];
    made->prefix = known->prefix;
    return made;
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                                             error:(NSError *__autoreleasing *)error {
    if (standin::faults().no_pipeline) {
        *error = standin::error_of("Compiler encountered an internal error");
        return nil;
    }
    StandInPipeline *made = [StandInPipeline new];
    made->code = ((StandInFunction *)function)->code;
    return made;
}
@end

id<MTLDevice> MTLCreateSystemDefaultDevice(void) { return standin::faults().no_device ? nil : [StandInDevice new]; }
NSArray<id<MTLDevice>> *MTLCopyAllDevices(void) {
    const bool listed = !standin::faults().no_device && !standin::faults().no_list;
    return standin::array_of(listed ? [StandInDevice new] : nil);
}

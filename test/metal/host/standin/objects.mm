// Owns: the stand-in device: runs the kernels of the lane engine, keeps Metal's rules, shows the faults of faults.h.
// Must not know: the host. A broken rule aborts: Metal's validation layer does the same, the driver alone might not.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../../simt/lanes.h"
#include "faults.h"
#include "runtime.h"

namespace standin {
Faults &faults() {
    static Faults all;
    return all;
}
static std::atomic<long> committed{0};
// The queue is serial, as a GPU's is; `running` counts command buffers that have not ended.
static std::mutex counting;
static std::condition_variable ended;
static int running = 0;
static long turns_given = 0, turns_done = 0;
long commands_committed() { return committed; }
void settle() {
    std::unique_lock<std::mutex> lock(counting);
    ended.wait(lock, [] { return running == 0; });
}
}  // namespace standin

namespace {
[[noreturn]] void rule(const char *what) {
    fprintf(stderr, "Metal rule broken: %s\n", what);
    abort();
}
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
constexpr NSUInteger kMostBuffers = 31;
}  // namespace

@implementation NSObject
+ (instancetype)alloc {
    return (__bridge_transfer id)standin_alloc((__bridge void *)self);
}
+ (instancetype)new {
    return [[self alloc] init];
}
- (instancetype)init {
    return self;
}
- (void)dealloc {
    standin_free((__bridge void *)self);
}
@end

@implementation NSString {
  @public
    std::string _text;
}
+ (instancetype)stringWithUTF8String:(const char *)bytes {
    NSString *made = [[NSString alloc] init];
    made->_text = bytes;
    return made;
}
- (const char *)UTF8String {
    return _text.c_str();
}
- (NSUInteger)length {
    return _text.size();
}
@end

// @"..." literals: isa, flags, bytes, length.
@interface StandInLiteral : NSString
@end
@implementation StandInLiteral
- (const char *)UTF8String {
    return ((const char **)(__bridge void *)self)[2];
}
- (NSUInteger)length {
    return ((NSUInteger *)(__bridge void *)self)[3];
}
@end
asm(".globl __CFConstantStringClassReference\n.set __CFConstantStringClassReference, OBJC_CLASS_$_StandInLiteral\n");

@implementation NSError {
  @public
    NSString *_words;
}
- (NSInteger)code {
    return 1;
}
- (NSString *)localizedDescription {
    return _words;
}
@end
static NSError *error_of(const char *text) {
    NSError *made = [NSError new];
    made->_words = [NSString stringWithUTF8String:text];
    return made;
}

@implementation NSArray {
  @public
    std::vector<id> _items;
}
- (NSUInteger)count {
    return _items.size();
}
- (id)objectAtIndex:(NSUInteger)index {
    if (index >= _items.size()) rule("objectAtIndex: beyond the end");
    return _items[index];
}
@end

@implementation MTLCompileOptions
@synthesize languageVersion;
@end

@interface StandInBuffer : NSObject <MTLBuffer> {
  @public
    void *memory;
    NSUInteger bytes;
    bool owned;
}
@end
@implementation StandInBuffer
- (NSUInteger)length {
    return bytes;
}
- (void *)contents {
    return memory;
}
- (void)dealloc {
    if (owned) free(memory);
}
@end

@interface StandInFunction : NSObject <MTLFunction> {
  @public
    NSString *function_name;
    simt::Kernel code;
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

@interface StandInPipeline : NSObject <MTLComputePipelineState> {
  @public
    simt::Kernel code;
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

struct Recorded {
    simt::Kernel code;
    std::vector<void *> buffers;
    std::vector<std::unique_ptr<char[]>> bytes;
    MTLSize groups, threads;
};

@interface StandInCommands : NSObject <MTLCommandBuffer> {
  @public
    std::vector<Recorded> work;
    std::vector<MTLCommandBufferHandler> handlers;
    std::vector<id> retained;
    MTLCommandBufferStatus state;
    NSError *failure;
    double began, ended;
    bool open;
}
@end
@interface StandInEncoder : NSObject <MTLComputeCommandEncoder> {
  @public
    StandInCommands *commands;
    StandInPipeline *pipeline;
    void *buffers[kMostBuffers];
    std::vector<std::unique_ptr<char[]>> bytes;
    bool ended;
}
@end

@implementation StandInEncoder
- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
    pipeline = (StandInPipeline *)state;
}
- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
    if (index >= kMostBuffers) rule("a buffer index above 30");
    if (offset >= [buffer length]) rule("a buffer offset that is not below the length");
    buffers[index] = static_cast<char *>([buffer contents]) + offset;
    commands->retained.push_back((id)buffer);
}
- (void)setBytes:(const void *)from length:(NSUInteger)length atIndex:(NSUInteger)index {
    if (index >= kMostBuffers) rule("a buffer index above 30");
    if (length == 0 || length >= 4096) rule("setBytes of no bytes or of 4096 and more");
    bytes.emplace_back(new char[length]);
    memcpy(bytes.back().get(), from, length);
    buffers[index] = bytes.back().get();
}
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {
    if (pipeline == nil) rule("a dispatch without a pipeline");
    if (ended) rule("a dispatch after endEncoding");
    if (groups.width == 0 || threads.width == 0) rule("an empty dispatch");
    if (groups.height != 1 || groups.depth != 1 || threads.height != 1 || threads.depth != 1) rule("a grid that is not one-dimensional");
    if (threads.width > [pipeline maxTotalThreadsPerThreadgroup]) rule("more threads than the pipeline takes: nothing would run");
    Recorded one;
    one.code = pipeline->code;
    one.buffers.assign(buffers, buffers + kMostBuffers);
    one.bytes = std::move(bytes);
    one.groups = groups;
    one.threads = threads;
    commands->work.push_back(std::move(one));
    bytes.clear();
}
- (void)endEncoding {
    if (ended) rule("endEncoding twice");
    ended = true;
    commands->open = false;
}
- (void)dealloc {
    if (!ended) rule("an encoder released before endEncoding");
}
@end

@implementation StandInCommands
- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
    if (open) rule("two open encoders");
    if (state >= MTLCommandBufferStatusCommitted) rule("an encoder after commit");
    StandInEncoder *made = [StandInEncoder new];
    made->commands = self;
    open = true;
    return made;
}
- (void)addCompletedHandler:(MTLCommandBufferHandler)handler {
    if (state >= MTLCommandBufferStatusCommitted) rule("addCompletedHandler after commit");
    handlers.push_back((__bridge_transfer MTLCommandBufferHandler)_Block_copy((__bridge void *)handler));
}
- (void)commit {
    if (open) rule("commit with an open encoder");
    if (state >= MTLCommandBufferStatusCommitted) rule("commit twice");
    state = MTLCommandBufferStatusCommitted;
    ++standin::committed;
    long turn = 0;
    {
        const std::lock_guard<std::mutex> lock(standin::counting);
        ++standin::running;
        turn = standin::turns_given++;
    }
    std::thread([kept = self, turn]() mutable {
        {
            std::unique_lock<std::mutex> lock(standin::counting);
            standin::ended.wait(lock, [turn] { return standin::turns_done == turn; });
        }
        @autoreleasepool {
            [kept execute];
            kept = nil;
        }
        const std::lock_guard<std::mutex> lock(standin::counting);
        ++standin::turns_done;
        --standin::running;
        standin::ended.notify_all();
    }).detach();
}
- (void)execute {
    standin::Faults &faults = standin::faults();
    began = now();
    for (Recorded &one : work) {
        if (faults.wrong_kernel != nullptr && strcmp(faults.wrong_kernel, one.code.name) == 0) continue;
        simt::Engine engine(static_cast<unsigned>(one.threads.width));
        engine.dispatch(one.code.thunk, one.buffers.data(), static_cast<uint32_t>(one.groups.width));
    }
    ended = now();
    if (faults.failing_commands > 0) {
        --faults.failing_commands;
        failure = error_of(faults.failure);
        state = MTLCommandBufferStatusError;
    } else {
        state = MTLCommandBufferStatusCompleted;
    }
    if (!faults.never_ends)
        for (MTLCommandBufferHandler handler : handlers) handler(self);
    handlers.clear();
    retained.clear();
}
- (void)waitUntilCompleted {
    if (state < MTLCommandBufferStatusCommitted) rule("a wait before commit");
    standin::settle();
}
- (MTLCommandBufferStatus)status {
    return state;
}
- (NSError *)error {
    return failure;
}
- (CFTimeInterval)GPUStartTime {
    return began;
}
- (CFTimeInterval)GPUEndTime {
    return ended;
}
@end

@interface StandInQueue : NSObject <MTLCommandQueue>
@end
@implementation StandInQueue
- (id<MTLCommandBuffer>)commandBuffer {
    return [StandInCommands new];
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
    if (options != MTLResourceStorageModeShared) rule("a storage mode that the CPU cannot read");
    if (standin::faults().refuse_buffers) return nil;
    StandInBuffer *made = [StandInBuffer new];
    made->memory = aligned_alloc(16384, (length + 16383) / 16384 * 16384);
    memset(made->memory, 0, length);
    made->bytes = length;
    made->owned = true;
    return made;
}
- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void *)pointer
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(void (^)(void *, NSUInteger))deallocator {
    if (deallocator != nil || options != MTLResourceStorageModeShared) rule("a no-copy buffer that the host does not make");
    const uintptr_t page = 4096;
    if (standin::faults().refuse_no_copy || reinterpret_cast<uintptr_t>(pointer) % page != 0 || length % page != 0 || length == 0)
        return nil;
    StandInBuffer *made = [StandInBuffer new];
    made->memory = pointer;
    made->bytes = standin::faults().empty_no_copy ? 0 : length;
    return made;
}
- (id<MTLLibrary>)newLibraryWithSource:(NSString *)source
                               options:(MTLCompileOptions *)options
                                 error:(NSError *__autoreleasing *)error {
    if (options == nil || options.languageVersion == 0) rule("no language version: it must be set");
    const standin::Text *known = nullptr;
    for (const standin::Text &text : standin::texts())
        if (strcmp([source UTF8String], text.source) == 0) known = &text;
    if (standin::faults().compile_error || known == nullptr) {
        *error = error_of("program_source:1:1: error: not a text that the kernels were made from");
        return nil;
    }
    if (standin::faults().warning_beside_library) *error = error_of("program_source:9:9: warning: only a warning");
    StandInLibrary *made = [StandInLibrary new];
    made->prefix = known->prefix;
    return made;
}
- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function
                                                             error:(NSError *__autoreleasing *)error {
    if (standin::faults().no_pipeline) {
        *error = error_of("Compiler encountered an internal error");
        return nil;
    }
    StandInPipeline *made = [StandInPipeline new];
    made->code = ((StandInFunction *)function)->code;
    return made;
}
@end

id<MTLDevice> MTLCreateSystemDefaultDevice(void) { return standin::faults().no_device ? nil : [StandInDevice new]; }
NSArray<id<MTLDevice>> *MTLCopyAllDevices(void) {
    NSArray *all = [NSArray new];
    if (!standin::faults().no_device && !standin::faults().no_list) all->_items.push_back([StandInDevice new]);
    return all;
}

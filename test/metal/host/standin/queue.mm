// Owns: the stand-in's command buffers: what is encoded, one serial queue that runs it on the lane engine, and their end.
// Must not know: the host, devices, libraries.
#import "objects.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "faults.h"
#include "runtime.h"

namespace standin {
Faults &faults() {
    static Faults all;
    return all;
}
static std::atomic<long> committed{0};
// The queue is serial, as a GPU's is; `unended` counts command buffers that have not ended, `running` those with a thread of
// their own left.
static std::mutex counting;
static std::condition_variable ended;
static int running = 0, unended = 0, most_unended = 0;
static bool held = false;
static long turns_given = 0, turns_done = 0;
long commands_committed() { return committed; }
InFlight in_flight() {
    const std::lock_guard<std::mutex> lock(counting);
    return {unended, most_unended};
}
void hold(bool all) {
    const std::lock_guard<std::mutex> lock(counting);
    held = all;
    if (held) most_unended = unended;
    ended.notify_all();
}
static void ends() {
    const std::lock_guard<std::mutex> lock(counting);
    --unended;
}
void settle() {
    hold(false);
    std::unique_lock<std::mutex> lock(counting);
    ended.wait(lock, [] { return running == 0; });
}
}  // namespace standin

namespace {
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
constexpr NSUInteger kMostBuffers = 31;
}  // namespace

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
    if (index >= kMostBuffers) standin::rule("a buffer index above 30");
    if (offset >= [buffer length]) standin::rule("a buffer offset that is not below the length");
    buffers[index] = static_cast<char *>([buffer contents]) + offset;
    commands->retained.push_back((id)buffer);
}
- (void)setBytes:(const void *)from length:(NSUInteger)length atIndex:(NSUInteger)index {
    if (index >= kMostBuffers) standin::rule("a buffer index above 30");
    if (length == 0 || length >= 4096) standin::rule("setBytes of no bytes or of 4096 and more");
    bytes.emplace_back(new char[length]);
    memcpy(bytes.back().get(), from, length);
    buffers[index] = bytes.back().get();
}
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {
    if (pipeline == nil) standin::rule("a dispatch without a pipeline");
    if (ended) standin::rule("a dispatch after endEncoding");
    if (groups.width == 0 || threads.width == 0) standin::rule("an empty dispatch");
    if (groups.height != 1 || groups.depth != 1 || threads.height != 1 || threads.depth != 1) standin::rule("a grid that is not one-dimensional");
    if (threads.width > [pipeline maxTotalThreadsPerThreadgroup]) standin::rule("more threads than the pipeline takes: nothing would run");
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
    if (ended) standin::rule("endEncoding twice");
    ended = true;
    commands->open = false;
}
- (void)dealloc {
    if (!ended) standin::rule("an encoder released before endEncoding");
}
@end

@implementation StandInCommands
- (id<MTLComputeCommandEncoder>)computeCommandEncoder {
    if (open) standin::rule("two open encoders");
    if (state >= MTLCommandBufferStatusCommitted) standin::rule("an encoder after commit");
    StandInEncoder *made = [StandInEncoder new];
    made->commands = self;
    open = true;
    return made;
}
- (void)addCompletedHandler:(MTLCommandBufferHandler)handler {
    if (state >= MTLCommandBufferStatusCommitted) standin::rule("addCompletedHandler after commit");
    handlers.push_back((__bridge_transfer MTLCommandBufferHandler)_Block_copy((__bridge void *)handler));
}
- (void)commit {
    if (open) standin::rule("commit with an open encoder");
    if (state >= MTLCommandBufferStatusCommitted) standin::rule("commit twice");
    state = MTLCommandBufferStatusCommitted;
    ++standin::committed;
    long turn = 0;
    {
        const std::lock_guard<std::mutex> lock(standin::counting);
        ++standin::running;
        standin::most_unended = std::max(standin::most_unended, ++standin::unended);
        turn = standin::turns_given++;
    }
    std::thread([kept = self, turn]() mutable {
        {
            std::unique_lock<std::mutex> lock(standin::counting);
            standin::ended.wait(lock, [turn] { return standin::turns_done == turn && !standin::held; });
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
        if (faults.no_work) break;
        if (faults.wrong_kernel != nullptr && strcmp(faults.wrong_kernel, one.code.name) == 0) continue;
        simt::Engine engine(static_cast<unsigned>(one.threads.width));
        engine.dispatch(one.code.thunk, one.buffers.data(), static_cast<uint32_t>(one.groups.width));
    }
    ended = now();
    if (faults.failing_commands > 0) {
        --faults.failing_commands;
        failure = standin::error_of(faults.failure);
        state = MTLCommandBufferStatusError;
    } else {
        state = MTLCommandBufferStatusCompleted;
    }
    // Those who hear of the end count what is left.
    standin::ends();
    if (!faults.never_ends)
        for (MTLCommandBufferHandler handler : handlers) handler(self);
    handlers.clear();
    retained.clear();
}
- (void)waitUntilCompleted {
    if (state < MTLCommandBufferStatusCommitted) standin::rule("a wait before commit");
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

@implementation StandInQueue
- (id<MTLCommandBuffer>)commandBuffer {
    return [StandInCommands new];
}
@end


// Owns: the part of <Metal/Metal.h> that the Metal host uses, for building it without Apple's SDK.
// Must not know: the host. Written from public API facts: names, types, enum values, nullability.
#pragma once
#import <Foundation/Foundation.h>

typedef struct {
  NSUInteger width, height, depth;
} MTLSize;
static inline MTLSize MTLSizeMake(NSUInteger width, NSUInteger height, NSUInteger depth) {
  MTLSize size = {width, height, depth};
  return size;
}

typedef enum MTLResourceOptions : NSUInteger {
  MTLResourceStorageModeShared = 0,
  MTLResourceStorageModeManaged = 0x10,
  MTLResourceStorageModePrivate = 0x20,
} MTLResourceOptions;

typedef enum MTLCommandBufferStatus : NSUInteger {
  MTLCommandBufferStatusNotEnqueued = 0,
  MTLCommandBufferStatusEnqueued = 1,
  MTLCommandBufferStatusCommitted = 2,
  MTLCommandBufferStatusScheduled = 3,
  MTLCommandBufferStatusCompleted = 4,
  MTLCommandBufferStatusError = 5,
} MTLCommandBufferStatus;

typedef enum MTLLanguageVersion : NSUInteger {
  MTLLanguageVersion2_4 = (2 << 16) + 4,
  MTLLanguageVersion3_0 = (3 << 16) + 0,
} MTLLanguageVersion;

@protocol MTLCommandBuffer;
typedef void (^MTLCommandBufferHandler)(id<MTLCommandBuffer> _Nonnull);

@protocol MTLBuffer <NSObject>
@property(readonly) NSUInteger length;
- (nullable void *)contents;
@end

@protocol MTLFunction <NSObject>
@property(readonly, nonnull) NSString *name;
@end

@interface MTLCompileOptions : NSObject
@property(readwrite, nonatomic) MTLLanguageVersion languageVersion;
@end

@protocol MTLLibrary <NSObject>
- (nullable id<MTLFunction>)newFunctionWithName:(nonnull NSString *)name;
@end

@protocol MTLComputePipelineState <NSObject>
@property(readonly) NSUInteger maxTotalThreadsPerThreadgroup;
@property(readonly) NSUInteger threadExecutionWidth;
@end

@protocol MTLComputeCommandEncoder <NSObject>
- (void)setComputePipelineState:(nonnull id<MTLComputePipelineState>)state;
- (void)setBuffer:(nullable id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index;
- (void)setBytes:(nonnull const void *)bytes length:(NSUInteger)length atIndex:(NSUInteger)index;
- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads;
- (void)endEncoding;
@end

@protocol MTLCommandBuffer <NSObject>
- (nullable id<MTLComputeCommandEncoder>)computeCommandEncoder;
- (void)addCompletedHandler:(nonnull MTLCommandBufferHandler)handler;
- (void)commit;
- (void)waitUntilCompleted;
@property(readonly) MTLCommandBufferStatus status;
@property(readonly, nullable) NSError *error;
@property(readonly) CFTimeInterval GPUStartTime;
@property(readonly) CFTimeInterval GPUEndTime;
@end

@protocol MTLCommandQueue <NSObject>
- (nullable id<MTLCommandBuffer>)commandBuffer;
@end

@protocol MTLDevice <NSObject>
@property(readonly, nonnull) NSString *name;
@property(readonly) BOOL hasUnifiedMemory;
@property(readonly) uint64_t recommendedMaxWorkingSetSize;
@property(readonly) NSUInteger maxBufferLength;
- (nullable id<MTLCommandQueue>)newCommandQueue;
- (nullable id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options;
- (nullable id<MTLBuffer>)newBufferWithBytesNoCopy:(nonnull void *)pointer
                                            length:(NSUInteger)length
                                           options:(MTLResourceOptions)options
                                       deallocator:(void (^_Nullable)(void *_Nonnull pointer, NSUInteger length))deallocator;
- (nullable id<MTLLibrary>)newLibraryWithSource:(nonnull NSString *)source
                                        options:(nullable MTLCompileOptions *)options
                                          error:(NSError *_Nullable __autoreleasing *_Nullable)error;
- (nullable id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(nonnull id<MTLFunction>)function
                                                                      error:(NSError *_Nullable __autoreleasing *_Nullable)error;
@end

extern "C" id<MTLDevice> _Nullable MTLCreateSystemDefaultDevice(void) __attribute__((ns_returns_retained));
extern "C" NSArray<id<MTLDevice>> *_Nonnull MTLCopyAllDevices(void) __attribute__((ns_returns_retained));

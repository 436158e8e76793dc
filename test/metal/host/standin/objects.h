// Owns: the stand-in's Metal objects as they know each other. For Objective-C++ alone.
// Must not know: the host.
#pragma once
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <string>

#include "../../simt/lanes.h"

namespace standin {

// A broken rule aborts: Metal's validation layer does the same, the driver alone might not.
[[noreturn]] void rule(const char *what);
NSError *error_of(const char *text);
// Of one item, or empty for nil.
NSArray *array_of(id item);

}  // namespace standin

@interface StandInBuffer : NSObject <MTLBuffer> {
  @public
    void *memory;
    NSUInteger bytes;
    bool owned;
}
@end
@interface StandInFunction : NSObject <MTLFunction> {
  @public
    NSString *function_name;
    simt::Kernel code;
}
@end
@interface StandInPipeline : NSObject <MTLComputePipelineState> {
  @public
    simt::Kernel code;
}
@end
@interface StandInQueue : NSObject <MTLCommandQueue>
@end

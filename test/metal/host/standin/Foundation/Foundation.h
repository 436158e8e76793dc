// Owns: the part of <Foundation/Foundation.h> that the Metal host uses, for building it without Apple's SDK.
// Must not know: the host. Written from public API facts; the objects behind it are in foundation.mm.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef unsigned long NSUInteger;
typedef long NSInteger;
#if __OBJC_BOOL_IS_BOOL
typedef bool BOOL;
#else
typedef signed char BOOL;
#endif
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#ifndef nil
#define nil nullptr
#endif
typedef double CFTimeInterval;

@protocol NSObject
@end

__attribute__((objc_root_class)) @interface NSObject<NSObject> { Class isa; }
+ (nonnull instancetype)alloc;
+ (nonnull instancetype)new;
- (nonnull instancetype)init;
- (void)dealloc;
@end

@interface NSString : NSObject
+ (nullable instancetype)stringWithUTF8String:(nonnull const char *)bytes;
@property(readonly, nullable) const char *UTF8String;
@property(readonly) NSUInteger length;
@end

@interface NSError : NSObject
@property(readonly) NSInteger code;
@property(readonly, copy, nonnull) NSString *localizedDescription;
@end

@interface NSArray<__covariant ObjectType> : NSObject
@property(readonly) NSUInteger count;
- (nonnull ObjectType)objectAtIndex:(NSUInteger)index;
@end

// Owns: the few classes of Foundation that the host and the stand-in device use.
// Must not know: Metal, the host.
#import <Foundation/Foundation.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "objects.h"
#include "runtime.h"

void standin::rule(const char *what) {
    fprintf(stderr, "Metal rule broken: %s\n", what);
    abort();
}

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
NSError *standin::error_of(const char *text) {
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
    if (index >= _items.size()) standin::rule("objectAtIndex: beyond the end");
    return _items[index];
}
@end

NSArray *standin::array_of(id item) {
    NSArray *made = [NSArray new];
    if (item != nil) made->_items.push_back(item);
    return made;
}

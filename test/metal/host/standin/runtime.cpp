// Owns: enough of an Objective-C runtime (Apple's ABI, as clang emits it) to run the Metal host on Linux x86-64.
// Must not know: Metal, the host. Counts objects, so that a test can show that none is left.
#include "runtime.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

namespace {

using Selector = const char *;
using Method = void (*)();
struct Class;
struct Object {
    Class *isa;
};
struct MethodEntry {
    Selector name;
    const char *types;
    Method code;
};
struct MethodList {
    uint32_t entry_bytes;
    uint32_t count;
    MethodEntry first[1];
};
struct ClassData {
    uint32_t flags, start, instance_bytes, reserved;
    const void *ivar_layout;
    const char *name;
    MethodList *methods;
};
struct Class {
    Class *isa, *super;
    void *cache, *vtable;
    ClassData *data;
};
struct Header {
    std::atomic<long> references;
    long alive;
};
constexpr long kAlive = 0x6f626a;
constexpr uint32_t kMetaClass = 1;

std::atomic<long> live_objects{0};
thread_local std::vector<Object *> pool;

[[noreturn]] void broken(const char *what, const char *detail) {
    fprintf(stderr, "objective-c: %s %s\n", what, detail);
    abort();
}

Header *header(Object *object) { return reinterpret_cast<Header *>(object) - 1; }

template <typename Visit>
void each_method(Class *cls, Visit visit) {
    MethodList *list = cls->data->methods;
    if (list == nullptr) return;
    const size_t step = list->entry_bytes & ~3u;
    for (uint32_t i = 0; i < list->count; ++i)
        visit(*reinterpret_cast<MethodEntry *>(reinterpret_cast<char *>(list->first) + i * step));
}

Method find_method(Class *cls, Selector selector) {
    Method found = nullptr;
    for (; cls != nullptr && found == nullptr; cls = cls->super)
        each_method(cls, [&](const MethodEntry &m) {
            if (strcmp(m.name, selector) == 0) found = m.code;
        });
    return found;
}

// Runs a compiler-made method of every class on the way up: members' constructors and destructors.
void run_hidden(Object *object, Selector selector) {
    for (Class *cls = object->isa; cls != nullptr; cls = cls->super)
        each_method(cls, [&](const MethodEntry &m) {
            if (strcmp(m.name, selector) == 0) reinterpret_cast<void (*)(Object *, Selector)>(m.code)(object, selector);
        });
}

}  // namespace

extern "C" {

extern Class literal_string_class asm("OBJC_CLASS_$_StandInLiteral");
void *_objc_empty_cache[2];
void *_NSConcreteStackBlock[32], *_NSConcreteGlobalBlock[32], *_NSConcreteMallocBlock[32];

static bool immortal(Object *object) {
    return object->isa == &literal_string_class || (object->isa->data->flags & kMetaClass) != 0;
}
static bool is_block(Object *object) {
    void *isa = object->isa;
    return isa == _NSConcreteStackBlock || isa == _NSConcreteGlobalBlock || isa == _NSConcreteMallocBlock;
}

long standin_live_objects() { return live_objects; }

Method standin_lookup(Object *object, Selector selector) {
    static std::mutex mutex;
    static auto *known = new std::unordered_map<Class *, std::unordered_map<Selector, Method>>;
    const std::lock_guard<std::mutex> lock(mutex);
    Method &method = (*known)[object->isa][selector];
    if (method == nullptr) method = find_method(object->isa, selector);
    if (method == nullptr) broken(object->isa->data->name, selector);
    return method;
}

Method standin_lookup_super(void **super, Selector selector) {
    const Method method = find_method(static_cast<Class *>(super[1])->super, selector);
    if (method == nullptr) broken("super", selector);
    return method;
}

Object *objc_retain(Object *object) {
    if (object == nullptr || is_block(object)) return static_cast<Object *>(_Block_copy(object));
    if (immortal(object)) return object;
    if (header(object)->alive != kAlive) broken("retain of a dead", "object");
    ++header(object)->references;
    return object;
}

void objc_release(Object *object) {
    if (object == nullptr) return;
    if (is_block(object)) return _Block_release(object);
    if (immortal(object)) return;
    if (header(object)->alive != kAlive) broken("release of a dead", "object");
    if (--header(object)->references == 0)
        reinterpret_cast<void (*)(Object *, Selector)>(standin_lookup(object, "dealloc"))(object, "dealloc");
}

Object *objc_alloc(Class *cls) {
    Header *made = new (calloc(1, sizeof(Header) + cls->data->instance_bytes)) Header;
    made->references = 1;
    made->alive = kAlive;
    Object *object = reinterpret_cast<Object *>(made + 1);
    object->isa = cls;
    ++live_objects;
    run_hidden(object, ".cxx_construct");
    return object;
}

void *standin_alloc(void *cls) { return objc_alloc(static_cast<Class *>(cls)); }
void standin_free(void *memory) {
    Object *object = static_cast<Object *>(memory);
    run_hidden(object, ".cxx_destruct");
    header(object)->alive = 0;
    --live_objects;
    free(header(object));
}

Object *objc_alloc_init(Class *cls) {
    Object *object = objc_alloc(cls);
    return reinterpret_cast<Object *(*)(Object *, Selector)>(standin_lookup(object, "init"))(object, "init");
}
Object *objc_opt_new(Class *cls) { return objc_alloc_init(cls); }

void *objc_autoreleasePoolPush() { return reinterpret_cast<void *>(pool.size() + 1); }
void objc_autoreleasePoolPop(void *mark) {
    const size_t keep = reinterpret_cast<size_t>(mark) - 1;
    while (pool.size() > keep) {
        Object *object = pool.back();
        pool.pop_back();
        objc_release(object);
    }
}
Object *objc_autorelease(Object *object) {
    if (object != nullptr) pool.push_back(object);
    return object;
}
Object *objc_autoreleaseReturnValue(Object *object) { return objc_autorelease(object); }
Object *objc_retainAutorelease(Object *object) { return objc_autorelease(objc_retain(object)); }
Object *objc_retainAutoreleaseReturnValue(Object *object) { return objc_autorelease(objc_retain(object)); }
Object *objc_retainAutoreleasedReturnValue(Object *object) { return objc_retain(object); }
Object *objc_unsafeClaimAutoreleasedReturnValue(Object *object) { return object; }
Object *objc_retainBlock(Object *block) { return static_cast<Object *>(_Block_copy(block)); }
void objc_storeStrong(Object **place, Object *value) {
    Object *old = *place;
    if (old == value) return;
    objc_retain(value);
    *place = value;
    objc_release(old);
}
Object *objc_getProperty(Object *object, Selector, ptrdiff_t offset, bool) {
    return objc_autorelease(objc_retain(*reinterpret_cast<Object **>(reinterpret_cast<char *>(object) + offset)));
}
int __objc_personality_v0() { abort(); }

// Blocks: copied to the heap once, then counted in their flags.
struct BlockDescriptor {
    unsigned long reserved, bytes;
    void (*copy)(void *, void *);
    void (*dispose)(void *);
};
struct Block {
    void *isa;
    std::atomic<int> flags;
    int reserved;
    void (*invoke)(void *);
    BlockDescriptor *descriptor;
};
constexpr int kCount = 0xffff, kOnHeap = 1 << 24, kHasCopy = 1 << 25, kGlobal = 1 << 28;

void *_Block_copy(const void *pointer) {
    Block *block = static_cast<Block *>(const_cast<void *>(pointer));
    if (block == nullptr || (block->flags & kGlobal) != 0) return block;
    if ((block->flags & kOnHeap) != 0) {
        block->flags += 2;
        return block;
    }
    Block *copy = static_cast<Block *>(malloc(block->descriptor->bytes));
    memcpy(static_cast<void *>(copy), block, block->descriptor->bytes);
    copy->isa = _NSConcreteMallocBlock;
    copy->flags = (block->flags & ~kCount) | kOnHeap | 2;
    if ((copy->flags & kHasCopy) != 0) block->descriptor->copy(copy, block);
    return copy;
}

void _Block_release(const void *pointer) {
    Block *block = static_cast<Block *>(const_cast<void *>(pointer));
    if (block == nullptr || (block->flags & kGlobal) != 0 || (block->flags & kOnHeap) == 0) return;
    if (((block->flags -= 2) & kCount) != 0) return;
    if ((block->flags & kHasCopy) != 0) block->descriptor->dispose(block);
    free(block);
}

void _Block_object_assign(void *place, const void *object, int kind) {
    if ((kind & 8) != 0) broken("__block variables", "are not supported");
    *static_cast<const void **>(place) =
        (kind & 31) == 7 ? _Block_copy(object) : objc_retain(static_cast<Object *>(const_cast<void *>(object)));
}
void _Block_object_dispose(const void *object, int) { objc_release(static_cast<Object *>(const_cast<void *>(object))); }

}  // extern "C"

#if !defined(__x86_64__)
#error "message sends are written for x86-64"
#endif
// A message send keeps every argument register, looks the method up, and jumps to it. nil answers 0.
#define SEND(NAME, LOOKUP)                                                                                     \
    asm(".text\n.globl " NAME "\n.type " NAME ",@function\n" NAME                                              \
        ":\n testq %rdi, %rdi\n jz 1f\n pushq %rbp\n movq %rsp, %rbp\n subq $192, %rsp\n"                     \
        " movq %rdi, 0(%rsp)\n movq %rsi, 8(%rsp)\n movq %rdx, 16(%rsp)\n movq %rcx, 24(%rsp)\n"              \
        " movq %r8, 32(%rsp)\n movq %r9, 40(%rsp)\n movq %rax, 48(%rsp)\n movaps %xmm0, 64(%rsp)\n"           \
        " movaps %xmm1, 80(%rsp)\n movaps %xmm2, 96(%rsp)\n movaps %xmm3, 112(%rsp)\n"                        \
        " call " LOOKUP "@PLT\n movq %rax, %r11\n movq 0(%rsp), %rdi\n" FIX " movq 8(%rsp), %rsi\n"           \
        " movq 16(%rsp), %rdx\n movq 24(%rsp), %rcx\n movq 32(%rsp), %r8\n movq 40(%rsp), %r9\n"              \
        " movq 48(%rsp), %rax\n movaps 64(%rsp), %xmm0\n movaps 80(%rsp), %xmm1\n movaps 96(%rsp), %xmm2\n"   \
        " movaps 112(%rsp), %xmm3\n leave\n jmpq *%r11\n1:\n xorl %eax, %eax\n xorl %edx, %edx\n"             \
        " xorps %xmm0, %xmm0\n xorps %xmm1, %xmm1\n ret\n.size " NAME ",.-" NAME "\n")
#define FIX ""
SEND("objc_msgSend", "standin_lookup");
#undef FIX
#define FIX " movq (%rdi), %rdi\n"
SEND("objc_msgSendSuper2", "standin_lookup_super");

// Owns: what the stand-in's objects and the tests use of the small Objective-C runtime.
// Must not know: Metal, the host.
#pragma once

extern "C" {
void *standin_alloc(void *cls);
void standin_free(void *object);
// Objects alive now, literals and classes left out.
long standin_live_objects();
void *_Block_copy(const void *);
void _Block_release(const void *);
}

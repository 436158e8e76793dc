// Owns: a planted mistake: a call that no library and no Node-API answers. The strict link must refuse it.
// Must not know: the addon.
extern "C" void framelab_symbol_of_nobody(void);
extern "C" void framelab_planted(void);
void framelab_planted(void) { framelab_symbol_of_nobody(); }

// Owns: whether this process is a tslab notebook kernel. The kernel is found by its shape, never imported.
// Must not know: displays, files, decoders.

/** What the kernel puts into the global scope before the first cell; `require` is that of the running kernel. */
export interface Kernel {
  readonly require: (id: string) => unknown;
}

/** The running kernel, or null outside a notebook. */
export function kernel(): Kernel | null {
  const found = (globalThis as { __tslab__?: { require?: unknown } }).__tslab__;
  return typeof found?.require === "function" ? (found as Kernel) : null;
}

// Owns: the hooks by which hosts print a value as one line: Node's inspector (tslab), Deno's notebook kernel, templates.
// Must not know: what is printed.

/** Makes `value` print as `line()`, never as its members: an array may hold 19 GB. */
export function printAs(value: object, line: () => string): void {
  Object.defineProperty(value, Symbol.for("nodejs.util.inspect.custom"), { value: line });
  Object.defineProperty(value, Symbol.for("Jupyter.display"), { value: () => ({ "text/plain": line() }) });
  Object.defineProperty(value, "toString", { value: line });
}

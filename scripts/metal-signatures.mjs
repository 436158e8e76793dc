// Owns: reading kernel signatures and threadgroup arrays out of MSL text.
// Must not know: which tool wants them.

/** The text with comments blanked out, every character at its place. */
export function withoutComments(text) {
  const blank = (s) => s.replace(/[^\n]/g, " ");
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, blank);
}

/** Splits a parameter list at its commas outside brackets. Returns the parts and the index behind the closing one. */
function splitParameters(text, start) {
  const parts = [];
  let depth = 1;
  let from = start;
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (c === "(" || c === "[" || c === "<") depth++;
    else if (c === ")" || c === "]" || c === ">") depth--;
    if (depth === 0 || (depth === 1 && c === ",")) {
      parts.push(text.slice(from, i).trim());
      from = i + 1;
    }
    if (depth === 0) return { parts: parts.filter(Boolean), end: i + 1 };
  }
  throw new Error("a kernel's parameter list does not end");
}

function parameter(text) {
  const attribute = /\[\[\s*(\w+)\s*(?:\(\s*(\w+)\s*\))?\s*\]\]\s*$/.exec(text);
  const declaration = (attribute ? text.slice(0, attribute.index) : text).trim();
  const name = /(\w+)$/.exec(declaration);
  const type = declaration
    .slice(0, name ? name.index : undefined)
    .replace(/\s+/g, " ")
    .trim();
  return {
    name: name ? name[1] : "",
    type,
    attribute: attribute ? attribute[1] : null,
    index: attribute?.[2] === undefined ? null : Number(attribute[2]),
    pointer: type.includes("*"),
    reference: type.includes("&"),
    space: /\b(device|constant|threadgroup|thread)\b/.exec(type)?.[1] ?? null,
  };
}

/** `[{ name, returns, threads, parameters, line, start, end }]` of every kernel; `threads` from its attribute. */
export function kernels(text) {
  const plain = withoutComments(text);
  const pattern =
    /(?:\[\[\s*max_total_threads_per_threadgroup\s*\(\s*(\d+)\s*\)\s*\]\]\s*)?\bkernel\s+(\w+)\s+(\w+)\s*\(/g;
  const found = [];
  for (let m = pattern.exec(plain); m !== null; m = pattern.exec(plain)) {
    const { parts, end } = splitParameters(plain, pattern.lastIndex);
    found.push({
      name: m[3],
      returns: m[2],
      threads: m[1] === undefined ? null : Number(m[1]),
      parameters: parts.map(parameter),
      line: plain.slice(0, m.index).split("\n").length,
      start: m.index,
      end,
    });
  }
  return found;
}

/** Matches `threadgroup T name[N];`: groups type, name, length. */
export const THREADGROUP_ARRAY = /\bthreadgroup\s+(\w+)\s+(\w+)\s*\[([^\]]+)\]\s*;/g;

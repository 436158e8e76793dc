// Owns: rules of MSL text that its tokens and signatures show, those of the generators included.
// Must not know: types (metal-lint-ast.mjs).
import { kernels, withoutComments } from "./metal-signatures.mjs";

const BUILT_IN_TYPES = {
  thread_position_in_grid: /^(uint|ushort)$/,
  threadgroup_position_in_grid: /^(uint|ushort)$/,
  thread_index_in_simdgroup: /^(uint|ushort)$/,
  thread_index_in_threadgroup: /^(uint|ushort)$/,
  simdgroup_index_in_threadgroup: /^(uint|ushort)$/,
  threads_per_threadgroup: /^(uint|ushort)$/,
  threads_per_simdgroup: /^(uint|ushort)$/,
};

// Words that are types, keywords or functions in Metal: no name of ours may hide them.
const TAKEN =
  /\b(?:uint|ushort|uchar|bool|int|ulong)\s+(half|vertex|fragment|sampler|texture|access|level|bias|min|max|select|clz|ctz|popcount|rotate|clamp|abs)\s*[=;,)]/g;

const TOKENS = [
  [/\bgoto\b/g, "goto is no MSL"],
  [
    /\bswitch\s*\(/g,
    "switch: SIMD functions inside one are miscompiled by some of Apple's compilers; use if and else",
  ],
  [
    /\bwhile\s*\(\s*(?:true|1|1u)\s*\)|\bfor\s*\(\s*;\s*;/g,
    "a loop without a counter: Metal may delete it and the checks it implies",
  ],
  [/\bwhile\s*\(/g, "a while loop: use a for loop with a counter and a limit"],
  [/\bthreadgroup\s+(?:bool|atomic_bool)\b/g, "bool in threadgroup memory"],
  [/#\s*define\b/g, "a macro of our own in kernel text"],
  [/#\s*include\s*<(?!metal_stdlib>)/g, "an include other than <metal_stdlib>"],
  [/#\s*include\s*"/g, "a file include: there is no include path at run time"],
  [/\bstd::/g, "the C++ standard library"],
  [/\basm\b|\b__builtin_\w+/g, "compiler built-ins"],
  [/\bmemory_order_(?!relaxed\b)\w+/g, "an atomic order other than relaxed"],
  [/\batomic_(?!\w*_explicit\b)\w+\s*\(/g, "atomics without _explicit"],
  [/\bstruct\s+\w+\s*:\s*\w/g, "inheritance is no MSL"],
  [/\bthread_local\b/g, "thread_local is no MSL"],
];

/** An array in threadgroup memory that is read as wider elements must be declared with them: arrays are aligned to their own type. */
function narrowViews(plain, complain) {
  for (const m of plain.matchAll(/\bthreadgroup\s+(uchar|ushort)\s+(\w+)\s*\[/g)) {
    const view = new RegExp(
      `\\(threadgroup\\s+(?:const\\s+)?(?:uint|ulong|uint2|uint4)\\s*\\*\\)\\s*${m[2]}\\b`,
    );
    if (view.test(plain)) complain(m.index, `'${m[2]}' is declared as ${m[1]} and read as wider words`);
  }
}

function signature(kernel, complain) {
  const used = { buffer: new Set(), threadgroup: new Set() };
  if (kernel.returns !== "void") complain("must return void");
  if (kernel.threads === null) complain("needs [[max_total_threads_per_threadgroup(n)]]");
  if (kernel.threads > 256) complain("more than 256 threads a threadgroup: not every pipeline takes them");
  for (const p of kernel.parameters) {
    if (p.attribute === null) complain(`parameter '${p.name}' has no [[...]] attribute`);
    else if (p.attribute === "buffer" || p.attribute === "threadgroup") {
      const taken = used[p.attribute];
      if (!(p.index >= 0 && p.index <= 30)) complain(`'${p.name}' needs an index of 0 to 30`);
      if (taken.has(p.index)) complain(`index ${p.index} is bound twice`);
      taken.add(p.index);
      if (!p.pointer && !p.reference) complain(`'${p.name}' must be a pointer or a reference`);
      if (p.attribute === "buffer" && p.space !== "device" && p.space !== "constant")
        complain(`'${p.name}' must be in device or constant memory`);
    } else if (!BUILT_IN_TYPES[p.attribute]) complain(`unknown attribute [[${p.attribute}]]`);
    else if (!BUILT_IN_TYPES[p.attribute].test(p.type))
      complain(`'${p.name}': [[${p.attribute}]] is a uint here, not ${p.type}`);
  }
}

/** `file:line` of a character of a text joined by #line directives. */
function place(plain, index, name) {
  const before = plain.slice(0, index).split("\n");
  for (let i = before.length - 1; i >= 0; i--) {
    const m = /^#line (\d+) "([^"]+)"/.exec(before[i]);
    if (m) return `${m[2]}:${Number(m[1]) + before.length - 2 - i}`;
  }
  return `${name}:${before.length}`;
}

/** Every complaint of these rules about the text. */
export function lintText(text, name) {
  const plain = withoutComments(text);
  const complaints = [];
  const complain = (index, words) => complaints.push(`${place(plain, index, name)}: error: ${words}`);
  for (const [pattern, words] of TOKENS) for (const m of plain.matchAll(pattern)) complain(m.index, words);
  for (const m of plain.matchAll(TAKEN)) complain(m.index, `'${m[1]}' is a name of Metal's own`);
  narrowViews(plain, complain);
  const names = new Set();
  for (const kernel of kernels(text)) {
    const own = (words) => complain(kernel.start, `kernel '${kernel.name}': ${words}`);
    if (names.has(kernel.name)) own("a kernel cannot be overloaded");
    names.add(kernel.name);
    signature(kernel, own);
  }
  return complaints;
}

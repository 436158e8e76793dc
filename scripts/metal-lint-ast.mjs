// Owns: rules of MSL that need types: what clang's C++ for OpenCL mode lets through and Metal does not.
// Must not know: clang's command line; it is handed clang's JSON syntax tree.

const FUNCTIONS = new Set([
  "FunctionDecl",
  "CXXMethodDecl",
  "CXXConstructorDecl",
  "CXXDestructorDecl",
  "CXXConversionDecl",
]);
const FORBIDDEN = new Map([
  ["LambdaExpr", "a lambda"],
  ["CXXNewExpr", "new"],
  ["CXXDeleteExpr", "delete"],
  ["CXXThrowExpr", "throw"],
  ["CXXTryStmt", "try"],
  ["GotoStmt", "goto"],
  ["SwitchStmt", "switch"],
  ["GCCAsmStmt", "asm"],
  ["StmtExpr", "a statement expression"],
  ["CXXDynamicCastExpr", "dynamic_cast"],
  ["CXXTypeidExpr", "typeid"],
]);
const CONVERGENT = /^(simd_(?!vote)\w+|simdgroup_barrier|threadgroup_barrier)$/;
const HOST_FIELD = /^(uint|ulong|ushort|uchar|int|long|packed_\w+)(\[\d+\])?$/;

class Linter {
  constructor(name) {
    this.name = name;
    this.file = null;
    this.line = 0;
    this.complaints = new Set();
    this.functions = new Map(); // first declaration's id -> { name, line, calls, convergent }
    this.first = new Map(); // any declaration's id -> first declaration's id
    this.kernels = new Set();
    this.structs = new Map(); // name -> [{ name, type, line }]
    this.choices = []; // operands of && || ?: with the functions they call
  }

  complain(words, line = this.line) {
    this.complaints.add(`${this.name}:${line}: error: ${words}`);
  }

  /** Clang leaves out file and line where they equal those printed last: follow every location in print order. */
  see(location) {
    if (!location) return;
    for (const at of [location.spellingLoc, location.expansionLoc, location]) {
      if (at?.file) this.file = at.file;
      if (at?.line) this.line = at.presumedLine ?? at.line;
    }
  }

  ours() {
    return this.file?.endsWith("text.metal") ?? false;
  }

  walk(node, context) {
    if (!node || typeof node !== "object") return;
    this.see(node.loc);
    const line = this.line;
    const ours = this.ours();
    this.see(node.range?.begin);
    this.see(node.range?.end);
    const inside = this.visit(node, { ...context, line, ours });
    for (const child of node.inner ?? []) this.walk(child, inside);
  }

  visit(node, context) {
    const { line, ours } = context;
    if (FUNCTIONS.has(node.kind)) return this.enterFunction(node, context);
    if (node.kind === "CXXRecordDecl" && ours && node.completeDefinition && !node.isImplicit) {
      if (node.bases?.length) this.complain(`struct '${node.name}': inheritance is no MSL`, line);
      this.structs.set(node.name, []);
      return { ...context, struct: node.name };
    }
    if (
      ["ParmVarDecl", "VarDecl", "FieldDecl"].includes(node.kind) &&
      ours &&
      !node.isImplicit &&
      !context.implicit
    )
      this.variable(node, context);
    if (FORBIDDEN.has(node.kind) && ours) this.complain(`${FORBIDDEN.get(node.kind)} is no MSL`, line);
    const callee = node.referencedDecl;
    if (node.kind === "DeclRefExpr" && callee?.kind === "FunctionDecl" && context.calls) {
      context.calls.add(callee.id);
      if (CONVERGENT.test(callee.name)) context.convergent.add(callee.name);
    }
    const chooses =
      node.kind === "ConditionalOperator" ||
      (node.kind === "BinaryOperator" && /^(&&|\|\|)$/.test(node.opcode));
    if (chooses && ours && context.fn) return this.enterChoice(node, context);
    return context;
  }

  enterFunction(node, context) {
    const first = node.previousDecl ? (this.first.get(node.previousDecl) ?? node.previousDecl) : node.id;
    this.first.set(node.id, first);
    if (!this.functions.has(first))
      this.functions.set(first, {
        name: node.name,
        line: context.line,
        calls: new Set(),
        convergent: new Set(),
      });
    const isKernel = (node.inner ?? []).some((child) => child.kind === "OpenCLKernelAttr");
    if (isKernel) this.kernels.add(first);
    if (context.ours && !node.isImplicit) {
      const type = node.type?.qualType ?? "";
      if (node.kind !== "FunctionDecl")
        this.complain(`member function '${node.name}': write a free function`, context.line);
      else if (!isKernel && node.storageClass !== "static")
        this.complain(`helper '${node.name}' must begin with static`, context.line);
      if (/__generic/.test(type.split("(")[0]))
        this.complain(`'${node.name}' returns a pointer without an address space`, context.line);
      if (node.virtual) this.complain(`virtual '${node.name}' is no MSL`, context.line);
    }
    const fn = this.functions.get(first);
    return { ...context, fn: first, calls: fn.calls, convergent: fn.convergent, implicit: node.isImplicit };
  }

  variable(node, { line, fn, struct }) {
    const type = node.type?.qualType ?? "";
    const desugared = node.type?.desugaredQualType ?? type;
    if (/__generic/.test(type))
      this.complain(`'${node.name ?? ""}' needs an explicit address space (${type})`, line);
    if (/long long/.test(desugared)) this.complain(`'${node.name}': long long is no MSL type`, line);
    if (/\(\*\)|\(\*const\)|\(__generic \*\)/.test(desugared) || /\(\*\)\s*\(/.test(type))
      this.complain(`'${node.name}' is a function pointer`, line);
    if (node.kind === "FieldDecl" && struct && this.structs.has(struct))
      this.structs.get(struct).push({ name: node.name, type, line });
    if (node.kind !== "VarDecl") return;
    if (!fn && !/__constant/.test(type))
      this.complain(`program-scope '${node.name}' must be in constant memory`, line);
    if (fn && node.storageClass === "static") this.complain(`static local '${node.name}'`, line);
    if (/__local/.test(type) && !/\*/.test(type) && fn && !this.kernels.has(fn))
      this.complain(`threadgroup variable '${node.name}' outside a kernel`, line);
  }

  /** What runs in an operand of && || ?: (all but the first) must not hold a SIMD operation or a barrier. */
  enterChoice(node, context) {
    const [condition, ...operands] = node.inner ?? [];
    this.walk(condition, context);
    for (const operand of operands) {
      const calls = new Set();
      const convergent = new Set();
      this.walk(operand, { ...context, calls, convergent });
      for (const id of calls) context.calls.add(id);
      for (const name of convergent) context.convergent.add(name);
      this.choices.push({ line: context.line, calls, convergent });
    }
    node.inner = [];
    return context;
  }

  reaches(start) {
    const seen = new Set();
    const open = [...start];
    while (open.length > 0) {
      const id = this.first.get(open.at(-1)) ?? open.at(-1);
      open.pop();
      if (seen.has(id)) continue;
      seen.add(id);
      open.push(...(this.functions.get(id)?.calls ?? []));
    }
    return seen;
  }

  finish(boundTypes) {
    for (const [id, fn] of this.functions) {
      const reached = this.reaches(fn.calls);
      if (reached.has(id)) this.complain(`recursion through '${fn.name}'`, fn.line);
      for (const called of fn.calls)
        if (this.kernels.has(this.first.get(called) ?? called))
          this.complain(`'${fn.name}' calls a kernel`, fn.line);
    }
    for (const { line, calls, convergent } of this.choices) {
      const names = new Set(convergent);
      for (const id of this.reaches(calls))
        for (const n of this.functions.get(id)?.convergent ?? []) names.add(n);
      if (names.size > 0) this.complain(`${[...names][0]} in an operand of && || or ?:`, line);
    }
    for (const type of boundTypes)
      for (const field of this.structs.get(type) ?? [])
        if (!HOST_FIELD.test(field.type))
          this.complain(
            `'${type}.${field.name}' (${field.type}) has another size or alignment on the host`,
            field.line,
          );
  }
}

/** Struct names that kernels take through buffers. */
function boundStructs(tree, linter) {
  const types = new Set();
  const visit = (node) => {
    if (node.kind === "FunctionDecl" && (node.inner ?? []).some((child) => child.kind === "OpenCLKernelAttr"))
      for (const p of node.inner ?? [])
        if (p.kind === "ParmVarDecl")
          for (const word of (p.type?.qualType ?? "").match(/\w+/g) ?? []) types.add(word);
    for (const child of node.inner ?? []) visit(child);
  };
  visit(tree);
  return [...types].filter((type) => linter.structs.has(type));
}

/** Every complaint of these rules about clang's tree of one text. */
export function lintAst(tree, name) {
  const linter = new Linter(name);
  const walkable = structuredClone(tree);
  linter.walk(walkable, {});
  linter.finish(boundStructs(tree, linter));
  return [...linter.complaints];
}

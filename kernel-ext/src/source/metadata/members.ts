// Owns: walking everything that one HDF5 file holds, for tables of contents.
// Must not know: what is done with what it finds.
import type { H5Module } from "./h5";

/** Groups that a walk looks into; enough for every detector file, a bound for hostile ones. */
const MAX_GROUPS = 2000;

/** An object of the file by its type (see H5Module), or a link to another file. */
export interface Member {
  readonly path: string;
  readonly type: number | "external";
}

/** What a walk needs of an open file. */
export interface Walked {
  readonly h5: H5Module;
  readonly file: bigint;
  namesIn(group: string): Iterable<string>;
  address(path: string): number;
}

/**
 * Everything behind hard links, breadth first, and the links to other files; an object that was seen under another name
 * is not entered again.
 */
export function* members({ h5, file, namesIn, address }: Walked): Generator<Member> {
  const seen = new Set<number>();
  const queue = ["/"];
  for (let group = queue.shift(); group !== undefined && seen.size < MAX_GROUPS; group = queue.shift()) {
    const at = address(group);
    if (seen.has(at)) continue;
    seen.add(at);
    for (const name of namesIn(group)) {
      // No path leads to it: HDF5 would take it for two names, and follow the first, into another file too.
      if (name.includes("/")) continue;
      const path = `${group === "/" ? "" : group}/${name}`;
      if (h5.get_external_link(file, path).filename !== undefined) {
        yield { path, type: "external" };
        continue;
      }
      if (h5.get_symbolic_link(file, path) !== null) continue;
      const type = h5.get_type(file, path);
      if (type === h5.H5G_GROUP) queue.push(path);
      yield { path, type };
    }
  }
}

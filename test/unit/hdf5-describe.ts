// Owns: opening a file the way the product does, for tests: h5wasm describes a dataset, FrameLab reads its header.
// Must not know: what a test expects.
import { closeSync, fstatSync, openSync } from "node:fs";
import type { DatasetFacts, FilterFact } from "#framelab/source/acquisition";
import { type DatasetDescription, readDatasetFacts } from "#framelab/source/hdf5/dataset-facts";
import type { Dtype } from "#framelab/types";

type H5wasm = typeof import("h5wasm/node", { with: { "resolution-mode": "import" }});

/** h5wasm, which is an ES module. */
export async function loadH5wasm(): Promise<H5wasm> {
  const h5wasm = await import("h5wasm/node");
  await h5wasm.ready;
  return h5wasm;
}

export interface Described {
  readonly headerAddress: number;
  readonly description: DatasetDescription;
}

/** What h5wasm says about one dataset, and the address of its object header. */
export function describe(h5wasm: H5wasm, file: string, dataset: string): Described {
  const h5 = new h5wasm.File(file, "r");
  try {
    const found = h5.get(dataset);
    if (!(found instanceof h5wasm.Dataset)) throw new Error(`${file}: ${dataset} is no dataset`);
    const { shape, maxshape, signed, size, type, littleEndian } = found.metadata;
    const reference = found.create_reference().ref_data;
    return {
      headerAddress: Number(Buffer.from(reference).readBigUInt64LE(0)),
      description: {
        file,
        dataset,
        shape: shape ?? [],
        maxShape: (maxshape ?? shape ?? []).map((extent) => (extent >= 2 ** 64 ? null : extent)),
        dtype: `${type === 1 ? "f" : signed ? "i" : "u"}${size * 8}` as Dtype,
        littleEndian,
        filters: found.filters.map(
          (filter): FilterFact => ({ id: filter.id, name: filter.name, values: filter.cd_values }),
        ),
      },
    };
  } finally {
    h5.close();
  }
}

/** Facts of a described dataset, with the file open for `use`. */
export function withFacts<T>(
  { headerAddress, description }: Described,
  use: (fd: number, facts: DatasetFacts) => T,
  file: string = description.file,
): T {
  const fd = openSync(file, "r");
  try {
    return use(fd, readDatasetFacts(fd, fstatSync(fd).size, headerAddress, description));
  } finally {
    closeSync(fd);
  }
}

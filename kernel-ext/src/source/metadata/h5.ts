// Owns: the few calls of h5wasm's low-level module that the metadata worker makes, as types.
// Must not know: how they are used. Written by hand because h5wasm's own types are an ES module's.

/** Status codes are negative on failure; ids are 64-bit. */
export interface H5Module {
  open(path: string, mode: number, trackOrder: boolean, libverLow: number, libverHigh: number): bigint;
  close_file(file: bigint): number;
  get_names(file: bigint, group: string, recursive: boolean): string[];
  /** Follows every link: call it on hard links only. */
  get_type(file: bigint, path: string): number;
  /** Target of a soft link, null for every other kind of link. */
  get_symbolic_link(file: bigint, path: string): string | null;
  /** Both undefined where the link is not external. */
  get_external_link(file: bigint, path: string): { filename?: string; obj_path?: string };
  get_dataset_metadata(file: bigint, path: string): H5Metadata;
  get_dataset_filters(file: bigint, path: string): { id: number; name: string; cd_values: number[] }[];
  /** Empty, without an error, where attribute storage is damaged. */
  get_attribute_names(file: bigint, path: string): string[];
  get_attribute_metadata(file: bigint, path: string, name: string): H5Metadata;
  get_attribute_data(file: bigint, path: string, name: string, pointer: bigint): number;
  get_dataset_data(
    file: bigint,
    path: string,
    count: null,
    offset: null,
    strides: null,
    pointer: bigint,
  ): number;
  /** Gives back what a read of variable-length values allocated; `attribute` is empty for a dataset. */
  reclaim_vlen_memory(file: bigint, path: string, attribute: string, pointer: bigint): number;
  create_object_reference(file: bigint, path: string): ArrayLike<number>;
  /** From here on every HDF5 error is a JavaScript exception with the library's error stack. */
  activate_throwing_error_handler(): number;
  deactivate_throwing_error_handler(): number;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  readonly HEAPU8: Uint8Array;
  readonly H5G_GROUP: number;
  readonly H5G_DATASET: number;
}

export interface H5Metadata {
  readonly type: number;
  readonly size: number;
  readonly signed: boolean;
  readonly littleEndian: boolean;
  readonly vlen: boolean;
  readonly shape: number[] | null;
  readonly maxshape: number[] | null;
  readonly total_size: number;
}

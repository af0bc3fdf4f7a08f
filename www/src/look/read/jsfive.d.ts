// The part of jsfive that is used here; the package brings no types.
declare module 'jsfive' {
  export interface Group {
    readonly keys: string[];
    readonly attrs: Record<string, unknown>;
    get(path: string): Group | Dataset | null;
  }
  export interface Dataset {
    readonly shape: number[];
    /** "<f4"; a list for what is no number. */
    readonly dtype: unknown;
    readonly attrs: Record<string, unknown>;
    readonly value: ArrayLike<unknown>;
    /** Sides of a chunk; undefined for what lies in one piece. */
    readonly _dataobjects: { readonly chunks: number[] | undefined };
  }
  export const File: new (bytes: ArrayBuffer, name: string) => Group;
}

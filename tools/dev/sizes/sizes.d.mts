export function gzipped(bytes: Uint8Array): number;
export function check(name: string, bytes: number, old?: number): void;

// The values of slices of a bag, one at a time, because those of all may take gigabytes.
import type { Bag } from 'bagscope';

/** Slices that are kept: those around the one in sight. */
const KEPT = 48;

/** Reads slices of a bag and keeps the last ones. */
export class Slices {
  private readonly kept = new Map<number, Promise<Float32Array>>();

  constructor(private readonly bag: Bag) {}

  /** Returns the values of a slice, (channels, rows, columns). */
  values(instance: number): Promise<Float32Array> {
    const known = this.kept.get(instance);
    const values = known ?? this.read(instance);
    this.kept.delete(instance);
    this.kept.set(instance, values);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(oldest);
    }
    values.catch(() => this.kept.delete(instance));
    return values;
  }

  private async read(instance: number): Promise<Float32Array> {
    const one = await this.bag.select([instance]);
    try {
      return await one.values();
    } finally {
      one.close();
    }
  }
}

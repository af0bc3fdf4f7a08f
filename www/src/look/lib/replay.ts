// A file that brings an explanation back: which model and data by their hashes, and everything that
// was asked.
import type { PatchOptions } from 'bagscope';

/** Marks such a file among other JSON files. */
const FORMAT = 'bagscope-replay';

export interface Named {
  name: string;
  /** Null where the browser does not hash, as on pages that came over an open connection. */
  sha256: string | null;
}

export interface Replay {
  format: typeof FORMAT;
  engine: string;
  model: Named;
  /** A model card that was given beside the model, or null. */
  card: string | null;
  data: Named[];
  /** How a picture was cut, or null. */
  patch: PatchOptions | null;
  /** The name of the array of features that was chosen, or null. */
  array: string | null;
  /**
   * The state as the address holds it: method, settings, seed, classes, bag, instances that are
   * out.
   */
  link: string;
  /** Options as the form has them, those too that no address holds. */
  options: Record<string, string>;
}

export function replayJSON(replay: Omit<Replay, 'format'>): string {
  return JSON.stringify({ format: FORMAT, ...replay }, null, 1) + '\n';
}

/** Reads such a file: null for any other JSON, an error for one with parts missing. */
export function readReplay(text: string): Replay | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!value || typeof value !== 'object' || (value as { format?: unknown }).format !== FORMAT)
    return null;
  const r = value as Partial<Replay>;
  const named = (x: unknown): x is Named => {
    const { name, sha256 } = (x ?? {}) as Partial<Named>;
    return typeof name === 'string' && (sha256 === null || /^[0-9a-f]{64}$/.test(String(sha256)));
  };
  const texts =
    r.options &&
    typeof r.options === 'object' &&
    Object.values(r.options).every((v) => typeof v === 'string');
  if (
    !named(r.model) ||
    !Array.isArray(r.data) ||
    r.data.length === 0 ||
    !r.data.every(named) ||
    typeof r.link !== 'string' ||
    !texts
  )
    throw new Error('parts missing');
  const p = r.patch;
  const whole = (n: unknown) => n === undefined || (Number.isFinite(n) && (n as number) >= 0);
  if (p && !(whole(p.size) && whole(p.stride) && whole(p.background)))
    throw new Error('parts missing');
  return {
    format: FORMAT,
    engine: String(r.engine),
    model: r.model,
    card: typeof r.card === 'string' ? r.card : null,
    data: r.data,
    patch: p ?? null,
    array: typeof r.array === 'string' ? r.array : null,
    link: r.link,
    options: r.options!,
  };
}

/** What of a replay is not what is open: hashes decide where there are any, else names. */
export function differing(
  replay: Replay,
  model: Named | null,
  data: readonly Named[],
): { model: boolean; data: boolean } {
  const same = (a: Named, b: Named | undefined | null) =>
    !!b && (a.sha256 && b.sha256 ? a.sha256 === b.sha256 : a.name === b.name);
  return {
    model: !same(replay.model, model),
    data:
      replay.data.length !== data.length || !replay.data.every((d) => data.some((o) => same(d, o))),
  };
}

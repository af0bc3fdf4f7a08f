// The address's hash is the state of the article, seed included, so that a picture is a link.
import { bagOf, first } from './bags';
import { DRAWS, usual, type Settings } from './results';

export interface Link extends Settings {
  bag: string;
  face: number;
  /** Instances that are out, in the order in which they were taken. */
  out: number[];
  /** How many coalitions the surrogate is fitted to. */
  shown: number;
  /** The method whose ranking is tried, and how many instances it has taken away. */
  method: string;
  gone: number;
  /** The bag that the reader composed, see compose.ts. */
  own: string;
}

export const METHOD = 'milli';

export function start(key: string = first.key): Link {
  const { face } = bagOf(key);
  return {
    bag: bagOf(key).key,
    face,
    out: [],
    shown: DRAWS,
    method: METHOD,
    gone: 0,
    own: '',
    ...usual,
  };
}

/** Writes what differs from the start of its bag, in a fixed order; "" for the start itself. */
export function encode(link: Link): string {
  const from = start(link.bag);
  const parts: string[] = [];
  if (link.bag !== first.key) parts.push(`bag=${link.bag}`);
  if (link.face !== from.face) parts.push(`class=${link.face}`);
  if (link.out.length > 0) parts.push(`out=${link.out.join('.')}`);
  for (const key of ['seed', 'alpha', 'beta', 'shown', 'method', 'gone'] as const)
    if (link[key] !== from[key]) parts.push(`${key}=${link[key]}`);
  if (link.own) parts.push(`own=${link.own}`);
  return parts.join('&');
}

/** Letters of the longest link: a composed bag of drawings. */
const LONGEST = 10_000;

/** Reads a link. What makes no sense is left out: a link is written by anybody. */
export function decode(hash: string): Link {
  const given = new URLSearchParams(hash.length < LONGEST ? hash.replace(/^#/, '') : '');
  const link = start(given.get('bag') ?? undefined);
  const whole = (key: string, top: number) => {
    const text = given.get(key) ?? '';
    return /^\d{1,9}$/.test(text) && Number(text) <= top ? Number(text) : undefined;
  };
  const real = (key: string, low: number, high: number) => {
    const text = given.get(key) ?? '';
    const x = Number(text);
    return /^-?[\d.]{1,8}$/.test(text) && x >= low && x <= high ? x : undefined;
  };
  const out = (given.get('out') ?? '').split('.').filter((text) => /^\d{1,4}$/.test(text));
  const method = given.get('method') ?? '';
  return {
    ...link,
    face: whole('class', 99) ?? link.face,
    out: [...new Set(out.map(Number))],
    seed: whole('seed', 999_999_999) ?? link.seed,
    alpha: real('alpha', 0.01, 0.99) ?? link.alpha,
    beta: real('beta', -1, 1) ?? link.beta,
    shown: Math.max(whole('shown', DRAWS) ?? link.shown, 2),
    method: /^[a-z_]{1,20}$/.test(method) ? method : link.method,
    gone: whole('gone', 9999) ?? link.gone,
    own: /^[\w.~-]*$/.exec(given.get('own') ?? '')?.[0] ?? '',
  };
}

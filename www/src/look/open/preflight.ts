// Before anything is explained: what the model expects, what the bag offers, whether the two fit
// and what it will cost.
import type { Explanation, MethodInfo, ModelInfo, Plan } from 'bagscope';
import { instanceShape } from '../state/instanceshape';

/** What the bag is to the model. */
export interface Offer {
  instances: number;
  shape: readonly number[];
  raw: boolean;
  placed: boolean;
}

/**
 * Whether a shape can be one that a model wants: sides of one may come and go, and a vector may be
 * folded.
 */
export function fits(have: readonly number[], want: readonly number[]): boolean {
  if (want.length === 0) return true;
  const bare = (s: readonly number[]) => s.filter((n) => n !== 1);
  const [a, b] = [bare(have), bare(want)];
  const product = (s: readonly number[]) => s.reduce((n, side) => n * side, 1);
  if (b.some((n) => n < 1))
    return have.length === want.length
      ? have.every((n, i) => want[i]! < 1 || want[i] === n)
      : have.length === want.length - 1;
  return a.length === b.length
    ? a.every((n, i) => n === b[i])
    : (a.length <= 1 || b.length <= 1) && product(a) === product(b);
}

/** What an instance has to be, as the model's input says it. */
export const wanted = (info: ModelInfo) => instanceShape(info);

/**
 * How many coalitions of k instances a method evaluates at most: n is as its explanation has it, as
 * it is asked for, or the default. A method that takes no n and stops by itself has evaluated as
 * many as its explanation says.
 */
export function mostAsked(
  method: Pick<MethodInfo, 'name' | 'cost' | 'options'>,
  explained: Pick<Explanation, 'method' | 'settings' | 'evaluations'> | undefined,
  samples: string | undefined,
  k: number,
): number {
  const same = explained?.method === method.name ? explained : null;
  if (!method.options.includes('samples'))
    return same?.evaluations ?? evaluations(method.cost, k, NaN);
  if (same)
    return Math.max(
      evaluations(method.cost, k, Number(same.settings.samples ?? NaN)),
      same.evaluations,
    );
  return evaluations(method.cost, k, Number(samples) || Math.min(1000, Math.max(200, 4 * k)));
}

/**
 * How many times a method evaluates the model, at most where its formula in k instances and n
 * samples begins with "up to". NaN where that is not known.
 */
export function evaluations(cost: string, k: number, n: number): number {
  const terms = cost
    .replace(/^up to /, '')
    .replace(/\s/g, '')
    .split('+');
  let sum = 0;
  for (const term of terms) {
    const match = /^(\d*)(k|n)?$/.exec(term);
    if (!match || term === '') return NaN;
    sum +=
      (match[1] === '' ? 1 : Number(match[1])) * (match[2] === 'k' ? k : match[2] === 'n' ? n : 1);
  }
  return sum;
}

/** Operators with how many times each runs, in the order of their first: "Conv ×2, Relu". */
export function tally(operators: readonly string[]): [op: string, times: number][] {
  const seen = new Map<string, number>();
  for (const op of operators.flatMap((o) => o.split('+'))) seen.set(op, (seen.get(op) ?? 0) + 1);
  return [...seen];
}

export const pooled = ({ strategy }: Plan) => !['members', 'gathered', 'plain'].includes(strategy);

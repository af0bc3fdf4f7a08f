// Before anything is explained: what the model expects, what the bag offers, whether the two fit and what it will cost.
import type { Explanation, MethodInfo, ModelInfo, Plan } from 'bagscope';
import { instanceShape } from './prepare';

/** What the bag is to the model. */
export interface Offer {
  instances: number;
  shape: readonly number[];
  raw: boolean;
  placed: boolean;
}

/** Whether a shape can be one that a model wants: sides of one may come and go, and a vector may be folded. */
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
 * How many coalitions of k instances a method asks for at most: n is as its explanation has it, as it is asked for, or the
 * default. NaN of a method that sets n itself and has explained nothing yet. The formula leaves out what a method tries on
 * single classes; what has been explained tells it.
 */
export function mostAsked(
  method: Pick<MethodInfo, 'name' | 'cost' | 'options'>,
  explained: Pick<Explanation, 'method' | 'settings' | 'evaluations'> | undefined,
  samples: string | undefined,
  k: number,
): number {
  if (explained?.method === method.name) {
    const n = Number(explained.settings.samples ?? NaN);
    return Math.max(evaluations(method.cost, k, n), explained.evaluations);
  }
  if (!method.options.includes('samples')) return evaluations(method.cost, k, NaN);
  return evaluations(method.cost, k, Number(samples) || Math.min(1000, Math.max(200, 4 * k)));
}

/** How many times a method asks the model, from its formula in k instances and n samples; NaN where that is not known. */
export function evaluations(cost: string, k: number, n: number): number {
  const terms = cost.replace(/\s/g, '').split('+');
  let sum = 0;
  for (const term of terms) {
    const match = /^(\d*)(k|n)?$/.exec(term);
    if (!match || term === '') return NaN;
    sum += (match[1] === '' ? 1 : Number(match[1])) * (match[2] === 'k' ? k : match[2] === 'n' ? n : 1);
  }
  return sum;
}

/** Operators with how many times each runs, in the order of their first: "Conv ×2, Relu". */
export function tally(operators: readonly string[]): [op: string, times: number][] {
  const seen = new Map<string, number>();
  for (const op of operators.flatMap((o) => o.split('+'))) seen.set(op, (seen.get(op) ?? 0) + 1);
  return [...seen];
}

export const pooled = ({ strategy }: Plan) => strategy !== 'gathered' && strategy !== 'plain';

// What inputs of the model beside the instances take: as the user states it, else as the file of the
// bag or the model's card does.
import { visible, type Report } from 'bagscope';
import { plain, signed } from '../../lib/format';
import { look as words } from '../../strings';
import { brief } from '../state/brief';
import { go } from './openbag';
import { loaded, stateFor, statedFor } from '../state/document.svelte';

/** An input beside the instances, with what it takes for the open bag. */
export interface CovariateField {
  readonly name: string;
  /** How many numbers it takes. */
  readonly size: number;
  /** The numbers, separated by commas; '' if none are stated. */
  readonly text: string;
  /** Who states them. */
  readonly from: 'user' | 'file' | 'card' | 'none';
}

/** The inputs of the model beside the instances, for the open bag; none without one. */
export function covariateFields(): CovariateField[] {
  const { model, bag, bagSource, index } = loaded;
  if (!model || !bag || !bagSource) return [];
  const stated = statedFor(bagSource.files, index);
  return model.info.covariates.map(({ name, size, default: usual }) => {
    const own = bag.covariates.find((c) => c.name === name)?.values;
    const from = Object.hasOwn(stated, name)
      ? 'user'
      : own
        ? 'file'
        : usual.length > 0
          ? 'card'
          : 'none';
    return { name, size, text: [...(own ?? usual)].join(', '), from };
  });
}

/** Sentences on what inputs that are compared with a reference add for a class. */
export function addedTexts(report: Report, c: number, className: string): string[] {
  return report.covariates
    .filter(({ adds }) => adds.length > 0)
    .map(({ name, values, reference, adds, units }) =>
      words.inputs.adds(
        `${visible(brief(name))} ${numbersText(values)}`,
        `${signed(adds[c])} ${units[c] ?? ''}`,
        className,
        numbersText(reference),
      ),
    );
}

/** The numbers that an input takes, in the signs of the page's language. */
export const numbersText = (numbers: readonly number[]): string =>
  numbers.map((n) => plain(n)).join('; ');

/** The numbers of a text that separates them by commas; null for another number of them. */
export function numbersOf(text: string, size: number): number[] | null {
  const words = text.split(',').map((word) => word.trim());
  const numbers = words.map(Number);
  const valid = words.every((word) => word !== '') && numbers.every(Number.isFinite);
  return valid && (numbers.length === size || numbers.length === 1) ? numbers : null;
}

/** States what an input takes for the open bag, or nothing, and explains the bag again. */
export async function stateInput(name: string, numbers: readonly number[] | null): Promise<void> {
  const { bagSource, index } = loaded;
  if (!bagSource) return;
  const { [name]: _, ...others } = statedFor(bagSource.files, index);
  stateFor(bagSource.files, index, numbers ? { ...others, [name]: numbers } : others);
  await go(index, { keep: true });
}

// A grid over a picture, seen before it is cut by; and what becomes of its pixels.
import type { PictureCut } from 'bagscope';
import { stays } from '../place/draft';
import { eachModel } from '../state/eachmodel';
import { openAgain } from '../open/subject';
import { describe } from '../state/problem';
import { doc } from '../state/document.svelte';
import { session } from '../state/session.svelte';
import type { GridDraft } from '../state/types';
import { read as words } from '../../strings';
import { draftGrid, view } from '../state/view.svelte';

let turn = 0;
let waiting: ReturnType<typeof setTimeout> | undefined;

/**
 * Shows a grid on the picture; null shows the explanation again. Brightness is measured where the
 * grid is a new one.
 */
export function draft(grid: { size: number; stride: number; background: number } | null): void {
  clearTimeout(waiting);
  const mine = ++turn;
  const { cut } = doc;
  const file = doc.prepared?.files[0];
  if (!grid || !file || !cut) {
    draftGrid(null);
    return;
  }
  const { size, stride, background } = grid;
  const same = (s: PictureCut | null | undefined) => s?.size === size && s.stride === stride;
  if (same(cut) && cut.background === background) {
    draftGrid(null);
    return;
  }
  const known =
    [cut, view.gridDraft?.survey].find(
      (s) => same(s) && (background <= 0 || s!.means.length > 0),
    ) ?? null;
  const whole = [size, stride].every((n) => Number.isInteger(n) && n >= 1);
  const fault = whole ? '' : words.patches.whole;
  const next: GridDraft = { size, stride, background, survey: known, fault };
  draftGrid(next);
  if (known || fault) return;
  waiting = setTimeout(async () => {
    try {
      const survey = await session.engine!.survey(file, { patch: { size, stride } });
      if (mine === turn) draftGrid({ ...next, survey });
    } catch (error) {
      if (mine === turn) draftGrid({ ...next, fault: describe(error).text });
    }
  }, 120);
}

/** The number of patches that are darker than a background. */
export function keptBy(cut: PictureCut, background: number): number {
  let kept = 0;
  for (let i = 0; i < cut.across * cut.down; i++) if (stays(cut, background, i)) kept++;
  return kept;
}

/** What a model's card does to pixels 0..255. */
export interface Pixels {
  scale: number;
  mean: readonly number[];
  std: readonly number[];
}

/** Opens the model again with other words about its pixels, and the bag with it. */
export async function setPixels(pixels: Pixels | null): Promise<void> {
  const source = doc.modelSource;
  if (!source) return;
  const next = eachModel(source, ({ card, ownCard = card }) => {
    if (!pixels) return { card: ownCard, ownCard: undefined };
    const stated = ownCard ? (JSON.parse(ownCard) as object) : {};
    return { card: JSON.stringify({ ...stated, preprocess: pixels }), ownCard: ownCard ?? '' };
  });
  return openAgain(next);
}

/** What 0 and 255 become, for each channel. */
export function ranges({ scale, mean, std }: Pixels): [low: number, high: number][] {
  const channels = Math.max(mean.length, std.length);
  return Array.from({ length: channels }, (_, c) => {
    const [m, s] = [mean[mean.length > 1 ? c : 0]!, std[std.length > 1 ? c : 0]!];
    const ends: [number, number] = [-m / s, (255 * scale - m) / s];
    return ends[0] <= ends[1] ? ends : [ends[1], ends[0]];
  });
}

// A grid over a picture, seen before it is cut by; and what becomes of its pixels.
import { reader } from '../read/reader';
import { openAgain } from './subject';
import { describe } from './problem';
import { doc } from '../state/document.svelte';
import type { GridDraft } from '../state/types';
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
  const picture = doc.prepared?.picture;
  const cut = doc.prepared?.cut;
  if (!grid || !picture || !cut) {
    draftGrid(null);
    return;
  }
  const { size, stride, background } = grid;
  if (cut.survey.size === size && cut.survey.stride === stride && cut.background === background) {
    draftGrid(null);
    return;
  }
  const known =
    [cut.survey, view.gridDraft?.survey].find((s) => s?.size === size && s.stride === stride) ??
    null;
  const next: GridDraft = { size, stride, background, survey: known, fault: '' };
  draftGrid(next);
  if (known) return;
  waiting = setTimeout(async () => {
    try {
      const survey = await reader.survey(picture.id, size, stride);
      if (mine === turn) draftGrid({ ...next, survey });
    } catch (error) {
      if (mine === turn) draftGrid({ ...next, fault: describe(error).text });
    }
  }, 120);
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
  const own = source.ownCard ?? source.card;
  if (!pixels) return openAgain({ ...source, card: own, ownCard: undefined });
  const card = own ? (JSON.parse(own) as object) : {};
  return openAgain({
    ...source,
    card: JSON.stringify({ ...card, preprocess: pixels }),
    ownCard: own ?? '',
  });
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

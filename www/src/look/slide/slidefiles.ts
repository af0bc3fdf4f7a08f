// Dropped files that state something of the slide's patches. The engine recognises them by content.
import { mayLay } from '../open/files';
import { useTruth } from '../open/truth';
import { openFiles } from '../open/userfiles';
import { loaded } from '../state/document.svelte';
import { announce, dismiss, fail, session, warn } from '../state/session.svelte';
import type { SlideFile } from '../state/types';
import { look, tiling as words } from '../../strings';
import { layBy, tileable } from './slidebag';
import { ROLES, type Role } from './tiling.svelte';

/** Files that are read in search of what they state, in bytes. Masks and annotations have less. */
const MOST = 256 << 20;

/**
 * The files among others that state something of the patches of a slide. Masks and places are
 * looked for only where a slide is open without features, for which they are.
 */
export async function slideFiles(files: readonly File[]): Promise<SlideFile[]> {
  const slide = tileable() ? loaded.prepared!.slide! : undefined;
  const found: SlideFile[] = [];
  for (const file of files) {
    if (!mayLay(file, slide !== undefined) || file.size > MOST) continue;
    const kind = await session.engine!.recognise(file, slide);
    if (kind && kind !== 'configuration') found.push({ file, kind });
  }
  return found;
}

/** Applies files to the open slide, one after the other; where several uses are possible, it asks. */
export async function applySlideFiles([first, ...rest]: readonly SlideFile[]): Promise<void> {
  if (!first) return;
  const { file, kind } = first;
  const say = words.dropped;
  const laid = tileable();
  const truth = kind === 'annotations' && (laid || loaded.bag?.boxes);
  if (!laid && !truth) {
    fail('opening', { title: look.problems.format, text: say.noSlide(file.name) });
    return;
  }
  const use = async (role: Role) => {
    await layBy(role, file);
    announce(say.used(words.files[role], file.name));
  };
  if (kind === 'places') await use('places');
  else if (!laid) await useTruth(file);
  else {
    const [tissue, exclude] = ROLES;
    const items = [
      ...(truth ? [{ ...say.truth, act: () => useTruth(file) }] : []),
      { ...say.tissue, act: () => use(tissue) },
      { ...say.exclude, act: () => use(exclude) },
      ...(kind === 'mask' ? [{ ...say.picture, act: () => openFiles([file], false) }] : []),
    ].map((item) => ({
      ...item,
      ...{ source: null, index: 0 },
      act: async () => {
        dismiss();
        await item.act();
        await applySlideFiles(rest);
      },
    }));
    return warn({
      ...{ title: say.asks, text: say.what(file.name, kind), asks: true },
      choices: { title: say.use, items },
    });
  }
  await applySlideFiles(rest);
}

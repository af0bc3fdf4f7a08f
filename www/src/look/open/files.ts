// What a dropped or chosen file is: a model, a model's card, or a part of a bag.
import { ReadFault } from '../read/fault';
import { look as words } from '../../strings';

export type Role = 'model' | 'card' | 'bag';

/**
 * Says by its name what a file is for. Anything that is neither model nor card is offered as a bag.
 */
export function role(name: string): Role {
  const lower = name.toLowerCase();
  if (lower.endsWith('.onnx')) return 'model';
  return lower.endsWith('.json') ? 'card' : 'bag';
}

/** The name of the card's file, beside the model's. */
export const cardName = (model: string) => `${model.replace(/\.onnx$/i, '')}.bagscope.json`;

/** The files of a drop by their roles. */
export interface Sorted {
  model?: File;
  card?: File;
  bag: File[];
  /** Further models: of two, one may be the encoder, or come before the other. */
  unused: File[];
}

/** Files by role; of several models the one with its card counts, else the last one, as of cards. */
export function sort(files: readonly File[]): Sorted {
  const out: Sorted = { bag: [], unused: [] };
  for (const file of files) {
    const r = role(file.name);
    if (r === 'bag') {
      out.bag.push(file);
      continue;
    }
    if (r === 'model' && out.model) out.unused.push(out.model);
    out[r] = file;
  }
  const own = out.unused.findIndex((f) => cardName(f.name) === out.card?.name);
  if (own >= 0) [out.model, out.unused[own]] = [out.unused[own], out.model!];
  return out;
}

/** Endings of annotations, and those of masks and of places of patches. */
const DRAWN = /\.(geojson|json|xml|annotations)(\.gz)?$/i;
const LAID = /\.(png|tiff?|h5|hdf5|csv|tsv)$/i;

/** Whether a file may state something of the patches of a slide, by its name, with the slide or not. */
export const mayLay = ({ name }: File, slide: boolean): boolean =>
  DRAWN.test(name) || (slide && LAID.test(name));

/** All files of a drop, those in dropped folders too; rejects if a folder cannot be read. */
export async function dropped(data: DataTransfer): Promise<File[]> {
  // Entries must be asked for before the first await: the list is empty afterwards.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return [...data.files];
  const files: File[] = [];
  for (const entry of entries) if (entry) await walk(entry, files);
  return files;
}

export const MOST_FILES = 20_000;

async function walk(entry: FileSystemEntry, into: File[]): Promise<void> {
  if (entry.name.startsWith('.')) return;
  if (entry.isFile) {
    if (into.length === MOST_FILES)
      throw new ReadFault('limit', words.messages.manyFiles(MOST_FILES));
    into.push(
      await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail)),
    );
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done, fail) =>
      reader.readEntries(done, fail),
    );
    if (part.length === 0) return;
    for (const e of part) await walk(e, into);
  }
}

// The worker that reads pictures and features. It fetches nothing: everything it is made of lies in its one file.
import type { Calls, Failed, Request } from './calls';
import { cut, survey, together, type Survey } from './cut';
import { embed, hasCoordinates, type Embedding } from './embedding';
import { ReadFault } from './fault';
import { openHDF5 } from './hdf5';
import { MOST_BYTES, MOST_TEXT } from './limits';
import { openNpz } from './npz';
import { openPicture, type Picture } from './picture';
import { openSafetensors } from './safetensors';
import { withBoxes } from './table';
import { openTIFF } from './tiff';
import { compose } from './compose';
import { directory } from './zip';
import { read as words } from '../../strings';

interface Held {
  name: string;
  picture: Picture;
  /** The survey of the grid that was looked at last. */
  last?: Survey;
}
const pictures = new Map<number, Held>();
let count = 0;

function held(id: number): Held {
  const found = pictures.get(id);
  if (!found) throw new ReadFault('format', words.worker.closed);
  return found;
}

const isTIFF = (name: string) => /\.(tiff?|svs)$/i.test(name);

function surveyed(h: Held, size: number, stride: number): Survey {
  if (h.last?.size !== size || h.last.stride !== stride)
    h.last = survey(h.name, h.picture, { size, stride });
  return h.last;
}

const calls: Calls = {
  async picture(name, file) {
    const picture = await (isTIFF(name) ? openTIFF : openPicture)(name, file);
    pictures.set(++count, { name, picture });
    const { width, height, full, notes } = picture;
    return { id: count, width, height, full, notes };
  },
  part: (id, ...at) => held(id).picture.part(...at),
  survey: async (id, size, stride) => surveyed(held(id), size, stride),
  async cut(id, size, stride, background, channels) {
    const h = held(id);
    return cut(h.name, h.picture, surveyed(h, size, stride), background, channels);
  },
  async together(files, channels) {
    const open: { name: string; picture: Picture }[] = [];
    try {
      for (const f of files)
        open.push({
          name: f.name,
          picture: await (isTIFF(f.name) ? openTIFF : openPicture)(f.name, f.file),
        });
      return together(open, channels);
    } finally {
      for (const { picture } of open) picture.close();
    }
  },
  async compose(values, channels, width, height, boxes, right, bottom) {
    const picture = await compose(values, channels, width, height, boxes, right, bottom);
    pictures.set(++count, { name: 'patches', picture });
    return { id: count, width: right, height: bottom, full: picture.full };
  },
  arrays,
  async hash(file) {
    if (file.size > MOST_BYTES) throw new ReadFault('limit', words.worker.noHash);
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
    return Array.from(sum, (b) => b.toString(16).padStart(2, '0')).join('');
  },
  async close(id) {
    pictures.get(id)?.picture.close();
    pictures.delete(id);
  },
};

// What is already as the engine wants it comes back as null.
async function arrays(name: string, file: Blob): Promise<Embedding | null> {
  if (/\.(h5|hdf5)$/i.test(name)) return embed(await openHDF5(name, file));
  if (/\.safetensors$/i.test(name)) return embed(await openSafetensors(name, file));
  if (/\.npz$/i.test(name)) {
    const members = await directory(name, file).catch(() => []); // the engine says what is wrong with it
    if (!hasCoordinates(members.map((m) => m.name.replace(/\.npy$/, '')))) return null;
    return embed(await openNpz(name, file, members));
  }
  if (!/\.csv$/i.test(name) || file.size > MOST_TEXT) return null;
  const made = withBoxes(name, await file.text());
  return made && { bag: new Blob([made.text]), notes: made.notes, extent: null };
}

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  try {
    const work = calls[data.call] as (...args: unknown[]) => Promise<unknown>;
    const answer = await work(...data.args);
    const moved = answer instanceof ImageBitmap ? [answer] : [];
    self.postMessage({ id: data.id, answer }, { transfer: moved });
  } catch (cause) {
    const failed: Failed = {
      kind: cause instanceof ReadFault ? cause.kind : 'internal',
      message: cause instanceof Error ? cause.message : String(cause),
    };
    self.postMessage({ id: data.id, failed });
  }
};

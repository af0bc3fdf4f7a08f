// The worker that reads pictures. It fetches nothing: everything it is made of lies in
// its one file.
import type { Calls, Cancel, Readable, Reply, Request } from './calls';
import { cut, survey, together, type Survey } from './cut';
import { CanvasError } from '../../lib/canvas';
import { ReadFault, type Failed } from './fault';
import { MOST_BYTES } from './limits';
import { openPicture, sidesOf, type Picture } from './picture';
import { openTIFF } from './tiff';
import { compose } from './compose';
import { Task } from './task';
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

async function surveyed(h: Held, size: number, stride: number, task: Task): Promise<Survey> {
  if (h.last?.size !== size || h.last.stride !== stride)
    h.last = await survey(h.name, h.picture, { size, stride }, task);
  return h.last;
}

const opened = ({ name, file, tiff }: Readable, task: Task): Promise<Picture> =>
  tiff ? openTIFF(name, tiff, task) : openPicture(name, file);

/** The calls, each with the task that it is. */
const calls: {
  [K in keyof Calls]: (task: Task, ...args: Parameters<Calls[K]>) => ReturnType<Calls[K]>;
} = {
  sides: (_, name, file) => sidesOf(name, file),
  async picture(task, file) {
    task.report('decoding', 0, 0);
    const picture = await opened(file, task);
    pictures.set(++count, { name: file.name, picture });
    const { width, height, full, notes } = picture;
    return { id: count, width, height, full, notes };
  },
  part: (_, id, ...at) => held(id).picture.part(...at),
  survey: (task, id, size, stride) => surveyed(held(id), size, stride, task),
  async cut(task, id, size, stride, background, channels) {
    const h = held(id);
    return cut(
      h.name,
      h.picture,
      await surveyed(h, size, stride, task),
      background,
      channels,
      task,
    );
  },
  async together(task, files, channels) {
    const open: { name: string; picture: Picture }[] = [];
    try {
      for (const file of files) {
        await task.at('decoding', open.length, files.length);
        open.push({ name: file.name, picture: await opened(file, task) });
      }
      return together(open, channels);
    } finally {
      for (const { picture } of open) picture.close();
    }
  },
  async compose(_, values, channels, width, height, boxes, right, bottom) {
    const picture = await compose(values, channels, width, height, boxes, right, bottom);
    pictures.set(++count, { name: 'patches', picture });
    return { id: count, width: right, height: bottom, full: picture.full };
  },
  async hash(_, file) {
    if (file.size > MOST_BYTES) throw new ReadFault('limit', words.worker.noHash);
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
    return Array.from(sum, (b) => b.toString(16).padStart(2, '0')).join('');
  },
  async close(_, id) {
    pictures.get(id)?.picture.close();
    pictures.delete(id);
  },
};

const tasks = new Map<number, Task>();

self.onmessage = async ({ data }: MessageEvent<Request | Cancel>) => {
  if ('cancel' in data) {
    const task = tasks.get(data.cancel);
    if (task) task.cancelled = true;
    return;
  }
  const { id } = data;
  const task = new Task((...progress) => self.postMessage({ id, progress } satisfies Reply));
  tasks.set(id, task);
  try {
    const work = calls[data.call] as (task: Task, ...args: unknown[]) => Promise<unknown>;
    const answer = await work(task, ...data.args);
    const moved = answer instanceof ImageBitmap ? [answer] : [];
    self.postMessage({ id, answer }, { transfer: moved });
  } catch (cause) {
    const failed: Failed = {
      kind: cause instanceof ReadFault || cause instanceof CanvasError ? cause.kind : 'internal',
      message: cause instanceof Error ? cause.message : String(cause),
    };
    self.postMessage({ id, failed });
  } finally {
    tasks.delete(id);
  }
};

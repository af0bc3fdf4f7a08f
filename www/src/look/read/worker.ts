// The worker that reads pictures. It fetches nothing: everything it is made of lies in
// its one file.
import type { Calls, Cancel, Readable, Reply, Request } from './calls';
import { CanvasError } from '../../lib/canvas';
import { ReadFault, type Failed } from './fault';
import { MOST_BYTES } from './limits';
import { openPicture, type Picture } from './picture';
import { openTIFF } from './tiff';
import { compose } from './compose';
import { Task } from './task';
import { read as words } from '../../strings';

const pictures = new Map<number, Picture>();
let count = 0;

function held(id: number): Picture {
  const found = pictures.get(id);
  if (!found) throw new ReadFault('format', words.worker.closed);
  return found;
}

const opened = ({ name, file, tiff }: Readable, task: Task): Promise<Picture> =>
  tiff ? openTIFF(name, tiff, task) : openPicture(name, file);

/** The calls, each with the task that it is. */
const calls: {
  [K in keyof Calls]: (task: Task, ...args: Parameters<Calls[K]>) => ReturnType<Calls[K]>;
} = {
  async picture(task, file) {
    task.report('decoding', 0, 0);
    const picture = await opened(file, task);
    pictures.set(++count, picture);
    const { width, height, full, notes } = picture;
    return { id: count, width, height, full, notes };
  },
  part: (_, id, ...at) => held(id).part(...at),
  pixels: async (_, id) => new Uint8Array(held(id).rows(0, held(id).height).buffer),
  async serve(_, id, port) {
    port.onmessage = ({ data: { at, length } }: MessageEvent<{ at: number; length: number }>) => {
      try {
        const picture = held(id);
        const row = 4 * picture.width;
        const y = Math.floor(at / row);
        const rows = picture.rows(y, Math.ceil((at + length) / row) - y);
        const bytes = new Uint8Array(rows.buffer, at - y * row, length);
        port.postMessage(bytes, [bytes.buffer]);
      } catch (cause) {
        port.postMessage(cause instanceof Error ? cause : new Error(String(cause)));
      }
    };
  },
  async compose(_, values, channels, width, height, boxes, right, bottom) {
    const picture = await compose(values, channels, width, height, boxes, right, bottom);
    pictures.set(++count, picture);
    return { id: count, width: right, height: bottom, full: picture.full };
  },
  async hash(_, file) {
    if (file.size > MOST_BYTES) throw new ReadFault('limit', words.worker.noHash);
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
    return Array.from(sum, (b) => b.toString(16).padStart(2, '0')).join('');
  },
  async close(_, id) {
    pictures.get(id)?.close();
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
    const moved =
      answer instanceof ImageBitmap
        ? [answer]
        : answer instanceof Uint8Array
          ? [answer.buffer]
          : [];
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

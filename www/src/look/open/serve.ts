// TIFF pictures for the worker that reads pictures: the engine decodes them.
import { BagscopeError, type FileLike, type SlideImage } from 'bagscope';
import { session } from '../state/session.svelte';
import type { Failed } from '../read/fault';
import { CLOSED, type Given, type Source, type Wanted } from '../read/pixels';

/** Whether a file is a TIFF picture, by its name. */
export const isTIFF = (name: string) => /\.(tiff?|svs)$/i.test(name);

/** Whether a picture has bands instead of colours: what is on the screen is no pixel of a model. */
export const hasBands = ({ format }: SlideImage) => /bands$/.test(format);

/** Opens a TIFF picture of colours. Rejects with a BagscopeError if it cannot be read. */
export const openTIFF = (file: FileLike): Promise<SlideImage> =>
  session.engine!.slide('data' in file ? file.data : file, { name: file.name });

/** Returns the pixels of a slide for the worker, which closes the slide. */
export function serve(slide: SlideImage): Source {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = async ({ data }: MessageEvent<Wanted | typeof CLOSED>) => {
    if (data === CLOSED) {
      slide.close();
      port1.close();
      return;
    }
    const { id, level, x, y, width, height } = data;
    try {
      const { rgba } = await slide.region(level, x, y, width, height);
      port1.postMessage({ id, rgba } satisfies Given, [rgba.buffer]);
    } catch (error) {
      port1.postMessage({ id, failed: failure(error) } satisfies Given);
    }
  };
  const levels = slide.levels.map(({ width, height }) => ({ width, height }));
  return { levels, port: port2 };
}

function failure(error: unknown): Failed {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof BagscopeError)) return { kind: 'internal', message };
  const { kind } = error;
  const known =
    kind === 'format' || kind === 'limit' || kind === 'memory' || kind === 'unsupported';
  return { kind: known ? kind : 'internal', message };
}

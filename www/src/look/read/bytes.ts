// Reading the file of a model into memory, a part at a time, so that its progress is seen and it can
// be cancelled.
import { read as words } from '../../strings';
import { ReadFault } from './fault';
import type { Watch } from './reader';

const PART = 2 ** 24;

/** ONNX files are messages of Protocol Buffers, which are smaller than 2 GiB. */
const TOO_MANY = 2 ** 31;

/** The bytes of a file. */
export async function bytesOf(file: File, { signal, onProgress }: Watch): Promise<Uint8Array> {
  if (file.size >= TOO_MANY) throw new ReadFault('limit', words.largeModel(file.name));
  if (file.size <= PART) return new Uint8Array(await file.arrayBuffer());
  const bytes = new Uint8Array(file.size);
  for (let at = 0; at < file.size; at += PART) {
    signal?.throwIfAborted();
    onProgress?.('reading', at, file.size);
    bytes.set(new Uint8Array(await file.slice(at, at + PART).arrayBuffer()), at);
  }
  return bytes;
}

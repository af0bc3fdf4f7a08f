// Which of two models is the encoder, with an engine of a few lines in its place.
import { BagscopeError, type Encoder, type Engine } from 'bagscope';
import { expect, test } from 'vitest';
import { pair } from '../../src/look/slide/slidebag';
import { useEngine } from '../../src/look/state/session.svelte';

/** An engine whose encoders are these files, with the encoder that each one's card names. */
function engine(cards: Record<string, string>): void {
  const encoder = (file: File): Promise<Encoder> =>
    file.name in cards
      ? Promise.resolve({ info: { encoder: cards[file.name] }, close() {} } as unknown as Encoder)
      : Promise.reject(new BagscopeError('unsupported', 'no encoder'));
  useEngine({ encoder } as unknown as Engine);
}

const files = ['a.onnx', 'b.onnx'].map((name) => new File([name], name));

test.each([
  ['the only one that is one', { 'b.onnx': '' }, 'b.onnx'],
  ['the one that the first names', { 'a.onnx': 'b.onnx', 'b.onnx': '' }, 'b.onnx'],
  ['the one that the second names', { 'a.onnx': '', 'b.onnx': 'a.onnx' }, 'a.onnx'],
  ['neither, if no card names one', { 'a.onnx': '', 'b.onnx': '' }, undefined],
  ['neither, if both name themselves', { 'a.onnx': 'a.onnx', 'b.onnx': 'b.onnx' }, undefined],
])('of two models the encoder is %s', async (_, cards, name) => {
  engine(cards as Record<string, string>);
  expect((await pair(files, files))?.encoder.name).toBe(name);
});

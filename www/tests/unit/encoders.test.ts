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
  const recognise = async (file: File) => ((await file.text()) === 'timm' ? 'configuration' : '');
  useEngine({ encoder, recognise } as unknown as Engine);
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
  expect((await pair(files, files))?.[0]?.name).toBe(name);
});

test.each([
  ['that has its name', { 'b.bagscope.json': '', 'config.json': 'timm' }, 'b.bagscope.json'],
  [
    'that is a configuration',
    { 'a.bagscope.json': 'timm', 'c.json': '', 'd.json': 'timm' },
    'd.json',
  ],
  ['not, if it is another one', { 'c.json': '' }, undefined],
])('the encoder has the card %s', async (_, cards, name) => {
  engine({ 'b.onnx': '' });
  const others = Object.entries(cards).map(([name, text]) => new File([text], name));
  expect((await pair(files, [...files, ...others]))?.map((f) => f.name)).toEqual(
    ['b.onnx', name].filter(Boolean),
  );
});

// A replay file names the array that was chosen; files written before have none.
import { expect, test } from 'vitest';
import { readReplay, replayJSON } from '../../src/look/lib/replay';

const replay = {
  engine: '0.1.0',
  model: { name: 'a.onnx', sha256: null },
  card: null,
  data: [{ name: 'a.h5', sha256: null }],
  patch: null,
  array: 'uni/features',
  link: '',
  options: {},
};

test('the chosen array comes back from a replay file', () => {
  expect(readReplay(replayJSON(replay))).toEqual({ format: 'bagscope-replay', ...replay });
});

test('a replay file without an array, or with a wrong one, has none', () => {
  const { array: _, ...older } = JSON.parse(replayJSON(replay)) as Record<string, unknown>;
  expect(readReplay(JSON.stringify(older))?.array).toBeNull();
  expect(readReplay(JSON.stringify({ ...older, array: 7 }))?.array).toBeNull();
});

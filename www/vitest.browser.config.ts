import { defineConfig } from 'vitest/config';

// The built page in Chromium. One file at a time: each has a browser of its own.
export default defineConfig({
  test: {
    include: ['tests/browser/**/*.test.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 15_000 } },
  },
});

import { defineConfig } from 'vitest/config';
import { patience, whole } from './tests/patience.ts';
import site from './vite.config.ts';

/**
 * What users do most on each page: the article, the explorer with its example and with files, the
 * embedding page, the page about Python, the documentation. `make test` runs these files, `make browsers` all others.
 */
const essential = ['learn', 'example', 'files', 'embed', 'python', 'docs'].map(
  (page) => `tests/browser/${page}.test.ts`,
);
const everywhere = ['everywhere', 'input', 'element', 'stick'].map(
  (name) => `tests/browser/${name}.test.ts`,
);

// The built pages. Each file starts its own browser.
export default defineConfig({
  resolve: site.resolve,
  define: site.define,
  test: {
    environment: 'node',
    testTimeout: whole,
    hookTimeout: whole,
    expect: { poll: { timeout: patience } },
    projects: [
      {
        extends: true,
        test: { name: 'essential', include: essential, maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: ['tests/browser/*.test.ts'],
          exclude: [...essential, ...everywhere],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'everywhere',
          include: everywhere,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        // Measurements, one file at a time: see tests/bench/measured.ts.
        extends: true,
        test: {
          name: 'bench',
          include: ['tests/bench/*.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});

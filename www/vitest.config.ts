import { mergeConfig } from 'vitest/config';
import { patience } from './tests/patience.ts';
import site from './vite.config.ts';

// Modules without a document, tested without one.
export default mergeConfig(site, {
  test: {
    include: ['tests/unit/**/*.test.ts'],
    environment: 'node',
    testTimeout: patience,
    hookTimeout: patience,
  },
});

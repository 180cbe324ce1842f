import { defineConfig } from 'vitest/config';
import { brokerMissing } from './harness/broker.ts';
import base from './vitest.config.ts';

/**
 * `npm run test:fleet`: suites of the product with the fleet on, over a broker, and a node that runs what travels. Not
 * part of `npm test`: the suites run there on one machine.
 */
const missing = brokerMissing();
if (missing !== null) process.stderr.write(`No suite runs with the fleet on. ${missing}\n`);

const env = { ...base.test?.env, QUARRY_TEST_FLEET: '1' };

export default defineConfig(
  missing === null
    ? { ...base, test: { ...base.test, env } }
    : { test: { projects: [{ test: { name: 'short', include: [] } }], passWithNoTests: true } },
);

import { describe, expect, test } from 'vitest';
import { GATES, runGate } from '../../scripts/gates.ts';

const GATE_TIMEOUT_MS = 900_000;

describe('every gate of `npm run check` holds', () => {
  test.for(GATES.map((gate) => [gate.name, gate] as const))('%s', { timeout: GATE_TIMEOUT_MS }, async ([, gate]) => {
    const outcome = await runGate(gate);
    if (!outcome.passed) expect.fail(outcome.output);
  });

  test('a gate that finds something does not pass and says what', async () => {
    const outcome = await runGate({ name: 'planted', args: ['-e', 'process.stderr.write("found"); process.exit(3)'] });
    expect(outcome).toEqual({ name: 'planted', passed: false, output: 'found' });
  });

  test('a gate that does not end does not pass and says that this was why', async () => {
    const outcome = await runGate({ name: 'endless', args: ['-e', 'setInterval(() => {}, 1000)'] }, 100);
    expect(outcome).toEqual({ name: 'endless', passed: false, output: 'It did not end within 100 ms.' });
  });

  test('a gate whose tool is not there does not pass', async () => {
    const outcome = await runGate({ name: 'absent', args: ['scripts/no-such-tool.ts'] });
    expect(outcome.passed).toBe(false);
    expect(outcome.output).not.toBe('');
  });
});

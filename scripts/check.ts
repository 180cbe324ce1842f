import { GATES, runGate } from './gates.ts';

const outcomes = await Promise.all(GATES.map((gate) => runGate(gate)));
for (const { name, passed, output } of outcomes) {
  process.stdout.write(passed ? `ok      ${name}\n` : `FAILED  ${name}\n${output}\n`);
}
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;

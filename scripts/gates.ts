import { type ExecFileException, execFile } from 'node:child_process';
import { dirname, join } from 'node:path';

/**
 * The checks that every change passes, besides the tests. `npm run check` runs them together; `npm test` runs each as a
 * test, so that continuous integration and developers get the same result.
 */
export interface Gate {
  name: string;
  /** Arguments for Node, starting with the tool's file. */
  args: readonly string[];
}

export interface GateOutcome {
  name: string;
  passed: boolean;
  /** Output of the tool; may be empty. */
  output: string;
}

/** Ends a hanging check: on a slow, busy machine each takes minutes. */
const GATE_TIMEOUT_MS = 600_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/**
 * TypeScript keeps nearly all that it allocates until it ends: collecting garbage takes a third of its time and frees
 * little. It collects from 2 GB on.
 */
const TYPESCRIPT_MEMORY = { GOGC: 'off', GOMEMLIMIT: '2GiB' };

const root = dirname(import.meta.dirname);

// The files behind the commands: run by this Node they need no shell and no shim on any platform.
// One checker: several check the types that they share once each.
const TYPESCRIPT = [join(root, 'node_modules/typescript/bin/tsc'), '--checkers', '1'];
const BIOME = join(root, 'node_modules/@biomejs/biome/bin/biome');
const KNIP = join(root, 'node_modules/knip/bin/knip.js');

export const GATES: readonly Gate[] = [
  { name: 'types of the server, workers, shell and tests', args: [...TYPESCRIPT, '-p', 'tsconfig.json'] },
  { name: 'types of the dashboard', args: [...TYPESCRIPT, '-p', 'src-renderer/tsconfig.json'] },
  { name: 'lint and format', args: [BIOME, 'check', '--error-on-warnings', '.'] },
  { name: 'generated types of the dashboard', args: [join(root, 'scripts/generate.ts'), '--check'] },
  { name: 'unused files, exports and dependencies', args: [KNIP, '--no-progress'] },
];

/** Runs one check from the project's root. Never rejects: a tool that cannot start or end counts as failed. */
export function runGate(gate: Gate, timeoutMs = GATE_TIMEOUT_MS): Promise<GateOutcome> {
  const options = {
    cwd: root,
    timeout: timeoutMs,
    maxBuffer: MAX_OUTPUT_BYTES,
    env: { ...process.env, NO_COLOR: '1', ...TYPESCRIPT_MEMORY },
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [...gate.args], options, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.trim();
      if (error === null) resolve({ name: gate.name, passed: true, output });
      else resolve({ name: gate.name, passed: false, output: reasonOf(error, output, timeoutMs) });
    });
  });
}

function reasonOf(error: ExecFileException, output: string, timeoutMs: number): string {
  if (error.killed && error.signal === 'SIGTERM') return `It did not end within ${timeoutMs} ms.\n${output}`.trim();
  return output || error.message;
}

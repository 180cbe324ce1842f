import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from 'vitest/node';
import { chromiumFile } from './harness/chromium.ts';

/** Said at the end too: what stood above the first test has long scrolled away. */
const NO_BROWSER = `
THERE IS NO CHROMIUM ON THIS MACHINE: no test of the dashboard and none of the shell's pages has run.
Install it and run again: sudo apt-get install chromium
`;

/** Single tests with this tag run with `npm run test:all`, as files do that end in `.long.test.ts`. */
export const LONG_TAG = 'long';

/** Characters of a message that is said at once. */
const MESSAGE_MAX = 1000;

/** Files that the summary names. */
const SLOWEST = 10;

/**
 * Ends a run with one line that people and CI read alike: `12 passed, 0 failed, 1 skipped`. A file that does not load
 * and an error outside any test count as failures: nothing that went wrong may hide behind a zero.
 */
export default class SummaryReporter implements Reporter {
  #withoutLong = false;

  onInit(vitest: Vitest): void {
    this.#withoutLong = vitest.config.tagsFilter?.includes(`!${LONG_TAG}`) ?? false;
  }

  /** Says at once what went wrong: a long run may be stopped before its end. */
  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state === 'failed') for (const error of errors) sayAtOnce(test.fullName, error);
  }

  /** Hooks belong to no test. */
  onTestModuleEnd(module: TestModule): void {
    for (const error of errorsOutsideTests(module)) sayAtOnce(module.relativeModuleId, error);
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (this.#withoutLong && test.tags.includes(LONG_TAG)) continue;
        const result = test.result();
        const ran = result.state !== 'pending' && !(result.state === 'skipped' && isUnderBrokenSuite(test));
        counts[ran ? result.state : 'failed'] += 1;
        if (ran && result.state === 'skipped') explainSkip(module, test.fullName, result.note);
      }
      counts.failed += errorsOutsideTests(module).length;
    }
    process.stdout.write(slowest(modules));
    if (counts.skipped > 0 && chromiumFile() === null) process.stdout.write(NO_BROWSER);
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}

/** One line for each of the slowest files, slowest first. */
function slowest(modules: readonly TestModule[]): string {
  return modules
    .map((module) => ({ name: module.relativeModuleId, ms: durationOf(module) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, SLOWEST)
    .map(({ name, ms }) => `slowest: ${(ms / 1000).toFixed(1)} s ${name}\n`)
    .join('');
}

/** All that the file's process did for it: imports, hooks and tests. */
function durationOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return duration + collectDuration + setupDuration;
}

function explainSkip(module: TestModule, title: string, reason: string | undefined): void {
  process.stdout.write(`skipped: ${module.relativeModuleId} > ${title}${reason === undefined ? '' : `: ${reason}`}\n`);
}

/** Tests that never ran because a hook above them failed are reported as skipped; nobody decided to skip them. */
function isUnderBrokenSuite(test: TestCase): boolean {
  for (let above = test.parent; ; above = above.parent) {
    if (above.errors().length > 0) return true;
    if (above.type === 'module') return false;
  }
}

/** Errors of the file itself and of its suites' hooks, which belong to no single test. */
function errorsOutsideTests(module: TestModule): SerializedError[] {
  return [module, ...module.children.allSuites()].flatMap((one) => one.errors());
}

function sayAtOnce(name: string, { message, stacks = [] }: SerializedError): void {
  const place = stacks[0] === undefined ? '' : ` (${stacks[0].file}:${stacks[0].line})`;
  process.stdout.write(`${name}: ${message.slice(0, MESSAGE_MAX)}${place}\n`);
}

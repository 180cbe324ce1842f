/** whisper-cli is built by the job that first needs it, here with compilers that can be held. */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { canBuildWhisperCli } from '../../../src-server/features/media/whisper-cli.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { CLIPS, GGML_MODEL, startWithSpeech, submit } from '../../harness/speech.ts';
import { until } from '../../harness/until.ts';

const HELD_PART = 'whisper';
/**
 * A compiler of parts that are one line long: while the gate is shut it writes half of the held one, and goes no
 * further. The program that it makes of whole parts hears nothing.
 */
const COMPILER = `#!/bin/sh
case "$*" in --version) echo 'stand-in 1.0'; exit 0;; esac
for last; do out=$last; done
case "$*" in
  *' -c '*)
    echo "$out" >> "$STAND_IN_FOLDER/compiled"
    if [ "$out" = ${HELD_PART}.o ] && [ -e "$STAND_IN_FOLDER/gate" ]; then
      echo half > "$out"
      while [ -e "$STAND_IN_FOLDER/gate" ]; do sleep 0.05; done
    fi
    echo whole > "$out";;
  *)
    [ "$(cat *.o | grep -cv whole)" = 0 ] || { echo 'a part is not whole' >&2; exit 1; }
    cp "$STAND_IN_FOLDER/program" main;;
esac
`;
const PROGRAM = `#!/bin/sh
case "$*" in -h|--help) echo --model; exit 0;; esac
for argument; do
  case "$argument" in *.wav) echo '{"result":{"language":"en"},"transcription":[]}' > "$argument.json";; esac
done
`;

let canBuild: boolean;
let folder: string;
let clip: Buffer;
beforeAll(async () => {
  canBuild = process.platform !== 'win32' && (await canBuildWhisperCli());
  clip = await readFile(join(CLIPS, '02-fox.wav'));
  folder = await mkdtemp(join(tmpdir(), 'quarry-compiler-'));
  for (const [name, content] of Object.entries({ compiler: COMPILER, program: PROGRAM })) {
    // Compilers get no variable that is not allow-listed.
    await writeFile(join(folder, name), content.replaceAll('$STAND_IN_FOLDER', folder));
    await chmod(join(folder, name), 0o755);
  }
  const compiler = join(folder, 'compiler');
  for (const name of ['CC', 'CXX']) vi.stubEnv(name, compiler);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

let appliance: Appliance;
beforeEach(async ({ skip }) => {
  skip(!canBuild, 'There is no make or no compiler here.');
  await writeFile(join(folder, 'gate'), '');
  await rm(join(folder, 'compiled'), { force: true });
  appliance = await startWithSpeech({}, [GGML_MODEL]);
});
afterEach(() => appliance?.close());

async function begin(): Promise<string> {
  const answer = await submit(appliance, clip, 'fox.wav');
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}

/** All parts but the held one are there, and the job says so. */
async function isHeld(jobId: string): Promise<number> {
  let total = 0;
  await until(async () => {
    const { progress, error } = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
    expect(error, JSON.stringify(error)).toBeUndefined();
    const parts = /: (\d+) of (\d+) parts are there$/.exec(progress.message);
    total = Number(parts?.[2]);
    // What is still missing: the held part, and the program of all.
    return progress.stage === 'building' && Number(parts?.[1]) === total - 2 && existsSync(halfPart());
  });
  return total - 1;
}

const halfPart = () => join(appliance.dataDir, 'tools/whisper-build', `${HELD_PART}.o`);

async function timesCompiled(): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const name of (await readFile(join(folder, 'compiled'), 'utf8')).trim().split('\n')) {
    times[name] = (times[name] ?? 0) + 1;
  }
  return times;
}

async function cancelled(jobId: string): Promise<void> {
  expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
  expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
}

async function completedWithProgram(jobId: string): Promise<void> {
  const job = await finished(appliance.owner, jobId);
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  expect(await readdir(join(appliance.dataDir, 'tools'))).toEqual(['whisper-cli']);
}

test('a build that was given up is gone on with: whole parts are not compiled again, half ones are', async () => {
  const jobId = await begin();
  const parts = await isHeld(jobId);
  await cancelled(jobId);
  await rm(join(folder, 'gate'));
  await completedWithProgram(await begin());
  const { [`${HELD_PART}.o`]: held, ...others } = await timesCompiled();
  expect(held).toBe(2);
  expect(Object.values(others)).toEqual(new Array(parts - 1).fill(1));
});

test('two jobs wait for one build; the one that is cancelled ends at once, and the other gets its program', async () => {
  const [first, second] = [await begin(), await begin()];
  const parts = await isHeld(first);
  await isHeld(second);
  await cancelled(first);
  // It is still held: nobody began it anew.
  await isHeld(second);
  await rm(join(folder, 'gate'));
  await completedWithProgram(second);
  expect(Object.values(await timesCompiled())).toEqual(new Array(parts).fill(1));
});

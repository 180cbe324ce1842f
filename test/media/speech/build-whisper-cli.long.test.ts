/** whisper-cli is built when the owner asks for it, here with compilers that can be held. */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { ToolFacts } from '../../../src-server/features/media/tools.ts';
import { canBuildWhisperCli } from '../../../src-server/features/media/whisper-cli.ts';
import type { DownloadProgress } from '../../../src-server/platform/net/download.ts';
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
  // A program on PATH would be used.
  appliance = await startWithSpeech({}, [GGML_MODEL]);
});
afterEach(() => appliance?.close());

const media = '/admin/media/whisper-cli';

async function progressOf(): Promise<DownloadProgress> {
  return (await (await appliance.owner(`${media}/progress`)).json()) as DownloadProgress;
}

async function begin(): Promise<void> {
  const answer = await appliance.owner(`${media}/install?from=source`, { method: 'POST' });
  expect(answer.status, await answer.clone().text()).toBe(202);
}

/** All parts but the held one are there, and the progress says so. */
async function isHeld(): Promise<number> {
  let total = 0;
  await until(async () => {
    const { status, receivedBytes, totalBytes, error } = await progressOf();
    expect(error, JSON.stringify(error)).toBeNull();
    total = totalBytes;
    // What is still missing: the held part, and the program of all.
    return status === 'building' && receivedBytes === total - 2 && existsSync(halfPart());
  });
  return total - 1;
}

const halfPart = () => join(appliance.dataDir, 'tools/whisper.cpp/whisper-build', `${HELD_PART}.o`);

async function timesCompiled(): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const name of (await readFile(join(folder, 'compiled'), 'utf8')).trim().split('\n')) {
    times[name] = (times[name] ?? 0) + 1;
  }
  return times;
}

async function whisperCli(): Promise<ToolFacts | undefined> {
  const { tools } = (await (await appliance.owner('/admin/media')).json()) as { tools: ToolFacts[] };
  return tools.find(({ name }) => name === 'whisper-cli');
}

test('a build that was cancelled resumes: whole parts are not compiled again, half ones are; then jobs run', async () => {
  // No job builds it.
  const refused = await submit(appliance, clip, 'fox.wav');
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'model_not_installed' });
  await begin();
  const parts = await isHeld();
  expect((await appliance.owner(`${media}/cancel`, { method: 'POST' })).status).toBe(204);
  expect(await progressOf()).toMatchObject({ status: 'cancelled' });
  expect(await whisperCli()).not.toMatchObject({ state: 'ready' });
  await rm(join(folder, 'gate'));
  await begin();
  await until(async () => (await progressOf()).status === 'installed');
  expect(await whisperCli()).toMatchObject({ state: 'ready', from: 'data-folder' });
  expect(await readdir(join(appliance.dataDir, 'tools/whisper.cpp'))).toEqual(['whisper-cli']);
  const { [`${HELD_PART}.o`]: held, ...others } = await timesCompiled();
  expect(held).toBe(2);
  expect(Object.values(others)).toEqual(new Array(parts - 1).fill(1));
  const answer = await submit(appliance, clip, 'fox.wav');
  const { jobId } = (await answer.json()) as { jobId: string };
  expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed' });
});

test('a second request during a build returns the progress of the same build', async () => {
  await begin();
  const parts = await isHeld();
  await begin();
  expect(await isHeld()).toBe(parts);
  await rm(join(folder, 'gate'));
  await until(async () => (await progressOf()).status === 'installed');
  expect(Object.values(await timesCompiled())).toEqual(new Array(parts).fill(1));
});

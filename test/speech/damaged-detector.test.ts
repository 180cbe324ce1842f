import { mkdtemp, readdir, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSpeech } from '../../workers/tasks/find-speech.ts';
import type { TaskContext } from '../../workers/tasks.ts';
import { until } from '../harness/until.ts';

/** Four hours of silence, of which no byte lies on the disk: looking at all of it takes seconds. */
const SOUND_BYTES = 4 * 3600 * 16_000 * 2;

async function isOpen(path: string): Promise<boolean> {
  const files = await readdir('/proc/self/fd');
  const targets = await Promise.all(files.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  return targets.includes(path);
}

test.runIf(process.platform === 'linux')(
  'a model that cannot be used leaves nothing running behind its failure: the thread has other tasks',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry detector '));
    const pcmPath = join(folder, 'audio.pcm');
    await writeFile(pcmPath, '');
    await truncate(pcmPath, SOUND_BYTES);
    const context: TaskContext = {
      signal: new AbortController().signal,
      progress: () => {},
      startChild: (_name, { onEnd }) => ({ send: () => setTimeout(() => onEnd('It is damaged.'), 100), end: () => {} }),
    };
    const input = { pcmPath, sampleRate: 16_000, detectorPath: join(folder, 'model.onnx'), windowMaxSeconds: 29 };
    await expect(findSpeech(input, context)).rejects.toMatchObject({ code: 'engine_failed' });
    const begun = performance.now();
    await until(async () => !(await isOpen(pcmPath)));
    expect(performance.now() - begun).toBeLessThan(1000);
    await rm(folder, { recursive: true });
  },
);

import { mkdtemp, readdir, readFile, readlink, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TaskContext } from '../../../src-server/platform/pool/worker-pool.ts';
import { detectSpeechWindows } from '../../../workers/media/find-speech.ts';
import { until } from '../../harness/until.ts';

/** Four hours of silence, of which no byte lies on the disk. */
const SOUND_BYTES = 4 * 3600 * 16_000 * 2;

async function isOpen(path: string): Promise<boolean> {
  const files = await readdir('/proc/self/fd');
  const targets = await Promise.all(files.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  return targets.includes(path);
}

/** What this process has read so far, from whatever file. */
async function readBytes(): Promise<number> {
  return Number(/^rchar: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8'))?.[1]);
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
    await expect(detectSpeechWindows(input, context)).rejects.toMatchObject({ code: 'engine_failed' });
    const before = await readBytes();
    await until(async () => !(await isOpen(pcmPath)));
    // How long that takes is the machine's matter; what is read of the sound meanwhile is not.
    expect((await readBytes()) - before).toBeLessThan(SOUND_BYTES / 4);
    await rm(folder, { recursive: true });
  },
);

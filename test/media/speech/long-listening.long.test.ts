/** Hours of speech: the process that listens is a new one from time to time, since its engine never gives memory back. */
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import type { StartChildProgram } from '../../../src-server/platform/rpc/child-process.ts';
import { portLine } from '../../../src-server/platform/rpc/lines.ts';
import { serveMethods } from '../../../src-server/platform/rpc/rpc.ts';
import { openSherpa } from '../../../workers/media/sherpa.ts';
import type { Speech } from '../../../workers/media/speech-program.ts';

const WINDOWS = 5;
const WINDOWS_MAX = 2;

describe('a process that has heard as many windows as it may', () => {
  test('is ended, the next one goes on with the next window, and none is left in the end', async () => {
    const alive = new Set<number>();
    /** Which process heard which window, told by its first sample. */
    const heard: [process: number, from: number][] = [];
    let started = 0;
    const startChild: StartChildProgram = (_name, { onMessage, onEnd }) => {
      started += 1;
      const id = started;
      alive.add(id);
      // There are never two at a time: each holds a model.
      expect(alive.size).toBe(1);
      const { port1, port2 } = new MessageChannel();
      const speech: Pick<Speech, 'load' | 'listen'> = {
        load: async () => undefined,
        listen: async ({ pieces }) => {
          heard.push([id, pieces[0]?.[0] ?? -1]);
          return { segments: [], language: 'en' };
        },
      };
      serveMethods(speech, portLine(port1));
      const line = portLine(port2)({ onMessage, onEnd });
      const end = () => {
        alive.delete(id);
        line.end();
      };
      return { ...line, end };
    };
    const model = { family: 'whisper', files: {} } as const;
    const choice = { language: 'en', toEnglish: false, threads: 1, hotwords: null };
    const about = { model, pcmPath: 'sound', sampleRate: 16_000, ...choice };
    const listener = await openSherpa({ ...about, startChild, signal: new AbortController().signal }, WINDOWS_MAX);
    const windows = Array.from({ length: WINDOWS }, (_, index) => {
      return { index, window: { pieces: [[index, index + 1] as [number, number]] } };
    });
    const given: number[] = [];
    const onHeard = async (index: number) => {
      given.push(index);
    };
    await listener.listen(windows, { onHeard, onProgress: () => undefined });
    listener.close();
    expect(given).toEqual([0, 1, 2, 3, 4]);
    expect(heard).toEqual([
      [1, 0],
      [1, 1],
      [2, 2],
      [2, 3],
      [3, 4],
    ]);
    expect(alive.size).toBe(0);
  });
});

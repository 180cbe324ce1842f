import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TextModelProcess } from '../../src-server/features/text/model-process.ts';
import type { StartChildProgram } from '../../src-server/platform/rpc/child-process.ts';
import { forkChildPrograms } from '../../src-server/platform/rpc/child-process.ts';
import { TINY_MODEL_PATH } from '../harness/text-models.ts';

const START = forkChildPrograms(new URL('../../workers/entry.ts', import.meta.url));
const CALL = { prompt: 'Once upon a time', maxTokens: 12, temperature: 0, seed: 1 };
const never = new AbortController().signal;

describe('the process of a text model', () => {
  test('stops at the word where it is told to, and writes the next text as if nothing had been', async () => {
    const model = new TextModelProcess(START, TINY_MODEL_PATH, { threads: 1 });
    const before = await model.generateAnswer(CALL, () => {}, never);
    const abort = new AbortController();
    let pieces = 0;
    const stopped = model.generateAnswer(
      { ...CALL, maxTokens: 500 },
      () => {
        pieces += 1;
        abort.abort(new Error('the client is gone'));
      },
      abort.signal,
    );
    await expect(stopped).rejects.toThrow('the client is gone');
    expect(pieces).toBeLessThan(500);
    expect(model.hasTextProcessEnded).toBe(false);
    expect(await model.generateAnswer(CALL, () => {}, never)).toEqual(before);
    model.endTextProcess();
  });

  test('that dies fails what it was writing, for a retry, and what is asked of it later', async () => {
    const model = new TextModelProcess(START, TINY_MODEL_PATH, { threads: 1 });
    await model.contextTokens();
    const killed = model.generateAnswer({ ...CALL, maxTokens: 500 }, () => model.endTextProcess(), never);
    await expect(killed).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
    expect(model.hasTextProcessEnded).toBe(true);
    await expect(model.generateAnswer(CALL, () => {}, never)).rejects.toMatchObject({ code: 'engine_failed' });
  });

  test('that dies while it loads is tried once more, without the graphics processor', async () => {
    const asked: unknown[] = [];
    const start: StartChildProgram = (name, listeners) => {
      const child = asked.length === 0 ? null : START(name, listeners);
      const send = (command: object) => {
        asked.push(command);
        if (child === null) listeners.onEnd('A driver crashed.');
        else child.send(command);
      };
      return { send, end: () => child?.end() };
    };
    const model = new TextModelProcess(start, TINY_MODEL_PATH, { threads: 1 });
    expect(await model.contextTokens()).toBeGreaterThan(100);
    expect(asked).toMatchObject([{ args: [{ gpu: 'auto' }] }, { args: [{ gpu: false }] }]);
    model.endTextProcess();
  });

  test('says of a damaged file that it cannot be loaded, without its path', async () => {
    const path = join(tmpdir(), `damaged-${process.pid}.gguf`);
    await writeFile(path, 'GGUF and nothing more');
    const model = new TextModelProcess(START, path, { threads: 1 });
    const error = await model.contextTokens().catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'engine_failed', message: expect.stringContaining('could not be loaded') });
    expect((error as Error).message).not.toContain(tmpdir());
  });
});

import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { DrivenShell, ShellFolder, signedIn } from '../electron/drive-shell.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { CLIPS, clips, ONNX_MODEL } from '../harness/speech.ts';
import { TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

interface Started {
  pid: number;
  serviceName: string;
}

const MODELS = join(import.meta.dirname, '../fixtures/models');
const STORY = { prompt: 'Once upon a time', maxTokens: 8, temperature: 0, model: TINY_MODEL };

/** Asks the shell's server from its own page, which is signed in as the owner. */
async function ask<Answer>(shell: DrivenShell, path: string, init: object): Promise<Answer> {
  const script = `fetch(${JSON.stringify(path)}, ${JSON.stringify(init)}).then((answer) => answer.json())`;
  return shell.tell<Answer>('run-in-page', script);
}

function write(shell: DrivenShell, body: object): Promise<{ content?: string; code?: string }> {
  const headers = { 'content-type': 'application/json' };
  return ask(shell, '/v1/generate/text', { method: 'POST', headers, body: JSON.stringify(body) });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(chromiumFile() === null)('native engines under the desktop shell (needs chromium)', () => {
  let folder: ShellFolder;
  let shell: DrivenShell;

  beforeAll(async () => {
    await ensureBuilt();
    folder = new ShellFolder();
    await mkdir(join(folder.path, 'models'), { recursive: true });
    await cp(TINY_MODEL_PATH, join(folder.path, 'models', `${TINY_MODEL}.gguf`));
    await cp(join(MODELS, ONNX_MODEL), join(folder.path, 'models', ONNX_MODEL), { recursive: true });
    shell = new DrivenShell(folder);
    await signedIn(shell);
  });

  afterAll(async () => {
    await shell[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test('a recording is heard by a process that the shell started, which is gone when the job is done', async () => {
    const [clip] = await clips();
    const bytes = (await readFile(join(CLIPS, clip?.file ?? ''))).toString('base64');
    const job = await shell.tell<{ status: string; result: { segments: { text: string }[] } }>(
      'run-in-page',
      `(async () => {
        const form = new FormData();
        const sound = await (await fetch("data:audio/wav;base64,${bytes}")).blob();
        form.set("file", sound, "clip.wav");
        const sent = await fetch("/v1/extract/video", { method: "POST", body: form, headers: { prefer: "wait=60" } });
        const { jobId } = await sent.json();
        return (await fetch("/v1/jobs/" + jobId)).json();
      })()`,
    );
    expect(job.status).toBe('completed');
    expect(job.result.segments.map(({ text }) => text).join(' ')).toContain((clip?.text ?? '').split(' ')[0]);
    const started = await shell.saw<Started>('child-fork');
    expect(started.serviceName).toBe('Quarry speech recogniser');
    await until(() => shell.all('child-exit').some((exit) => (exit as Started).pid === started.pid));
  });

  test('a text model is a process of the shell; it ends with the server, and a new one writes the same', async () => {
    const first = await write(shell, STORY);
    expect(first.content?.length).toBeGreaterThan(0);
    const texts = () => shell.all('child-fork').filter((start) => (start as Started).serviceName.includes('text'));
    const [model] = texts() as [Started];
    expect(isAlive(model.pid)).toBe(true);
    process.kill((await shell.saw<Started>('fork')).pid, 'SIGKILL');
    await until(() => !isAlive(model.pid));
    await shell.page(2);
    await signedIn(shell);
    expect((await write(shell, STORY)).content).toBe(first.content);
    expect(texts()).toHaveLength(2);
  });
});

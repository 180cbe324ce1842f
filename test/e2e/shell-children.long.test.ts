import { existsSync, readFileSync } from 'node:fs';
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

const RECOGNISER = 'Quarry speech recogniser';
const MODELS = join(import.meta.dirname, '../fixtures/models');
const STORY = { prompt: 'Once upon a time', maxTokens: 8, temperature: 0, model: TINY_MODEL };

/** Asks the shell's server from its own page, which is signed in as the owner. */
async function write(shell: DrivenShell): Promise<string> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(STORY) };
  const script = `fetch("/v1/generate/text", ${JSON.stringify(init)}).then((answer) => answer.json())`;
  const { result } = await shell.asOwner<{ result: { content: string } }>(script);
  return result.content;
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
    await shell.page();
    await signedIn(shell);
  });

  afterAll(async () => {
    await shell[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test('a recording is heard by a process that the shell started, which is gone when the job is done', async () => {
    const [clip] = await clips();
    const bytes = (await readFile(join(CLIPS, clip?.file ?? ''))).toString('base64');
    const job = await shell.asOwner<{ status: string; result: { segments: { text: string }[] } }>(
      `(async () => {
        const form = new FormData();
        form.set("file", new Blob([Uint8Array.from(atob("${bytes}"), (letter) => letter.charCodeAt(0))]), "clip.wav");
        const sent = await fetch("/v1/extract/video", { method: "POST", body: form });
        const { jobId } = await sent.json();
        for (;;) {
          const job = await (await fetch("/v1/jobs/" + jobId)).json();
          if (job.status === "completed" || job.status === "failed") return job;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      })()`,
    );
    expect(job.status).toBe('completed');
    expect(job.result.segments.map(({ text }) => text).join(' ')).toContain((clip?.text ?? '').split(' ')[0]);
    // The reader of the recording is a process of its own, and comes first.
    const started = (shell.all('child-fork') as Started[]).find(({ serviceName }) => serviceName === RECOGNISER);
    if (started === undefined) throw new Error('The shell started no recogniser.');
    await until(() => shell.all('child-exit').some((exit) => (exit as Started).pid === started.pid));
  });

  test('a text model is a process of the shell; it ends with the server, and a new one writes the same', async () => {
    const first = await write(shell);
    expect(first).not.toBe('');
    const texts = () => shell.all('child-fork').filter((start) => (start as Started).serviceName.includes('text'));
    const [model] = texts() as [Started];
    expect(isAlive(model.pid)).toBe(true);
    // Variables that the shell itself was started with.
    const environment = `/proc/${model.pid}/environ`;
    if (existsSync(environment)) expect(readFileSync(environment, 'utf8')).not.toContain('SHELL_TEST_');
    process.kill((await shell.saw<Started>('fork')).pid, 'SIGKILL');
    await until(() => !isAlive(model.pid));
    await shell.page(2);
    await signedIn(shell);
    expect(await write(shell)).toBe(first);
    expect(texts()).toHaveLength(2);
  });
});

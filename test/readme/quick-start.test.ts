import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { openMediaMaker, picturesAnd } from '../harness/make-media.ts';
import { CLIPS, startWithSpeech } from '../harness/speech.ts';
import { startWithTinyModel } from '../harness/text-models.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SECTIONS = [
  '### Your first document',
  '### Paying, in the sandbox',
  '### A webhook, seen in a minute',
  '### Speech and music',
];

/** The shell blocks of a section, and the output shown right below each. */
function examplesIn(readme: string, heading: string): { command: string; output: string }[] {
  const section = readme.slice(readme.indexOf(heading) + heading.length).split(/\n#{2,3} /)[0] ?? '';
  const pairs = section.matchAll(/```sh\n([\s\S]*?)```\n\n```\n([\s\S]*?)```/g);
  return [...pairs].map(([, command = '', output = '']) => ({ command, output }));
}

/** Pastes examples into a shell, in a folder that `prepare` may put files into. */
async function paste(
  appliance: Appliance,
  examples: readonly { command: string }[],
  prepare: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry readme '));
  try {
    await prepare(folder);
    // The two things that differ here: the address, and where the token is read from.
    const script = examples
      .map(({ command }) => command)
      .join('\n')
      .replaceAll('http://127.0.0.1:8402', appliance.url)
      .replaceAll('$(npm run --silent token)', appliance.ownerToken);
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    const variables = { ...process.env, PATH: path, URL: appliance.url, TOKEN: appliance.ownerToken };
    const { stdout } = await run('bash', ['-e', '-c', script], { cwd: folder, env: variables });
    // A header line of HTTP ends in a carriage return, which nobody sees.
    return stdout.replaceAll('\r', '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('the README’s quick start, pasted, prints what the README shows', async () => {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const examples = SECTIONS.flatMap((heading) => examplesIn(readme, heading));
  expect(examples).toHaveLength(SECTIONS.length);
  await using appliance = await startAppliance();
  const printed = await paste(appliance, examples, (folder) =>
    symlink(join(ROOT, 'resources'), join(folder, 'resources')),
  );
  expect(printed).toBe(examples.map(({ output }) => output).join(''));
});

/** The shell blocks of a guide, as far as nothing in them has to be filled in. */
async function commandsOf(guide: string): Promise<{ command: string }[]> {
  const text = await readFile(join(ROOT, 'resources/reference', `${guide}.md`), 'utf8');
  const blocks = [...text.matchAll(/^( *)```(?:sh|bash)\n([\s\S]*?)^ *```/gm)].map(([, , command = '']) => ({
    command,
  }));
  return blocks.filter(({ command }) => !command.includes('0xYourAddress'));
}

test('the first guides, pasted one after the other, do what they say', async () => {
  const guides = await Promise.all(['getting-started', 'jobs', 'payments', 'webhooks'].map(commandsOf));
  await using appliance = await startAppliance();
  const printed = await paste(appliance, guides.flat(), (folder) =>
    symlink(join(ROOT, 'resources/examples/harbour-report.docx'), join(folder, 'report.docx')),
  );
  const said = [
    '^completed\\n{"jobId":"job_.*"chunks":\\[',
    '{"x402Version":1,',
    '{"chunks":\\[{"id":"chk_',
    'HTTP/1\\.1 202 Accepted\\n{"jobId":"job_',
    '}0 found, 0 can be sent\\n{"requeued":0,"skipped":0}$',
  ];
  expect(printed).toMatch(new RegExp(said.join('.*'), 's'));
});

test('the README’s text that streams, pasted, prints what the README shows', async () => {
  const examples = examplesIn(await readFile(join(ROOT, 'README.md'), 'utf8'), '### Text that streams');
  expect(examples).toHaveLength(1);
  await using appliance = await startWithTinyModel();
  const printed = await paste(appliance, examples, async () => undefined);
  expect(printed).toBe(examples.map(({ output }) => output).join(''));
});

test('the README’s way from a video to captions, pasted, prints what the README shows', async () => {
  const examples = examplesIn(await readFile(join(ROOT, 'README.md'), 'utf8'), '### A transcript');
  expect(examples).toHaveLength(1);
  await using appliance = await startWithSpeech();
  await using maker = await openMediaMaker();
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  const talk = await maker.make('talk.mp4', [...picturesAnd(join(CLIPS, '01-meeting.wav')), ...codec]);
  const printed = await paste(appliance, examples, (folder) => writeFile(join(folder, 'talk.mp4'), talk));
  expect(printed).toBe(examples.map(({ output }) => output).join(''));
});

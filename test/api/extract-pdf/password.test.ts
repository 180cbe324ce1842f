/** PDFs that need a password: read with it, and the password is kept in memory only. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encryptPdf, scanPdf, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

const PASSWORD = 'Möwen-über-4711-Wasser';

const SENTENCE = 'The harbour was quiet today.';

const plain = writePdf({ pages: [text(60, 100, [SENTENCE], 14)] });

const locked = encryptPdf(plain, { user: PASSWORD, owner: 'boss' });

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

function readWith(password: string | null, file = locked) {
  const options = password === null ? {} : { options: JSON.stringify({ password }) };
  return readDocument(appliance, file, 'locked.pdf', options);
}

test('the password opens the PDF, also one whose text is a picture, and one that needs none', async () => {
  expect((await readWith(PASSWORD)).text).toContain(SENTENCE);
  const scan = encryptPdf(scanPdf(plain), { user: PASSWORD, owner: 'boss' });
  expect((await readWith(PASSWORD, scan)).text).toContain(SENTENCE);
  expect((await readWith(PASSWORD, plain)).text).toContain(SENTENCE);
});

test('the owner password opens it too', async () => {
  expect((await readWith('boss')).text).toContain(SENTENCE);
});

test.each([
  ['no password', null, 'needs a password'],
  ['a wrong one', 'Möwen', 'does not open'],
  ['one that was in memory before a restart', `memory:${'x'.repeat(43)}`, 'was restarted'],
])('%s fails the job with an error of its own', async (_, password, message) => {
  const { error } = await readWith(password);
  expect(error?.code).toBe('encrypted_input');
  expect(error?.message).toContain(message);
});

test('equal requests with a key are one job, and those with other passwords are not', async () => {
  const send = async (password: string) => {
    const file = `data:application/pdf;base64,${locked.toString('base64')}`;
    const answer = await appliance.owner('/v1/extract/pdf', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: JSON.stringify({ file, options: { password } }),
    });
    return { status: answer.status, body: (await answer.json()) as { jobId?: string; code?: string } };
  };
  const first = await send(PASSWORD);
  expect((await send(PASSWORD)).body.jobId).toBe(first.body.jobId);
  expect((await send('another')).body.code).toBe('idempotency_key_reused');
});

test('the password is in no file of the appliance, and in no answer', async () => {
  await readWith(PASSWORD);
  const jobs = await (await appliance.owner('/v1/jobs')).text();
  expect(jobs).not.toContain(PASSWORD);
  const needles = [Buffer.from(PASSWORD), Buffer.from(JSON.stringify(PASSWORD)), Buffer.from(PASSWORD, 'utf16le')];
  const entries = await readdir(appliance.dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  expect(files.some(({ name }) => name.endsWith('.db') || name.endsWith('.sqlite'))).toBe(true);
  for (const { parentPath, name } of files) {
    const bytes = await readFile(join(parentPath, name));
    for (const needle of needles) expect(bytes.includes(needle), name).toBe(false);
  }
});

test('what is stored to be used again takes no password', async () => {
  const answer = await appliance.owner('/v1/batches', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      operation: 'extract/pdf',
      request: { options: { password: PASSWORD } },
      items: [{ sourceUrl: 'https://files.example/a.pdf' }],
    }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('options.password');
});

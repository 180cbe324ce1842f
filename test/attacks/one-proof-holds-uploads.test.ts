/** Issue 9, network edge 3. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Problem } from '../../src-server/platform/http/problem.ts';
import { GIB, KIB, MIB } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm } from '../harness/jobs.ts';
import { openRawClient, type RawClient } from '../harness/raw-client.ts';
import { until } from '../harness/until.ts';

const PATH = '/v1/extract/doc';
const JSON_TYPE = { 'content-type': 'application/json' };
const UPLOADS = 40;
const PER_ACCOUNT = 16;
const PER_ADDRESS = 64;
const BOUNDARY = 'edge';
const FORM_START = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;
const FILE_START = 'The first half of a text';
const FILE_END = ' and the second one.';
const FORM_END = `\r\n--${BOUNDARY}--\r\n`;
const FORM_BYTES = (FORM_START + FILE_START + FILE_END + FORM_END).length;

let appliance: Appliance;
let disk = { freeBytes: 100 * GIB, totalBytes: 100 * GIB };
let looksBeforeFull = Number.POSITIVE_INFINITY;
let clients: RawClient[];
beforeEach(async () => {
  clients = [];
  looksBeforeFull = Number.POSITIVE_INFINITY;
  disk = { freeBytes: 100 * GIB, totalBytes: 100 * GIB };
  const freeDisk = async () => {
    looksBeforeFull -= 1;
    return looksBeforeFull < 0 ? { ...disk, freeBytes: 0 } : disk;
  };
  appliance = await startAppliance({ freeDisk });
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
  await appliance.close();
});

/** @param wallet the demo wallet of an earlier proof; a new one by default */
async function signedProof(wallet?: string): Promise<{ proof: string; wallet: string }> {
  const challenge = (await (await appliance.anonymous(PATH, { method: 'POST' })).json()) as { accepts: object[] };
  const body = JSON.stringify(challenge.accepts[0]);
  const headers = { ...JSON_TYPE, ...(wallet === undefined ? {} : { 'x-demo-wallet': wallet }) };
  const paid = await appliance.anonymous('/facilitator/pay', { method: 'POST', headers, body });
  const { payload, wallet: used } = (await paid.json()) as { payload: string; wallet: string };
  return { proof: payload, wallet: used };
}

/** Sends the header and the first half of a form. */
async function beginUpload(proof: string): Promise<RawClient> {
  const client = await openRawClient(appliance.url);
  clients.push(client);
  const head = [
    `POST ${PATH} HTTP/1.1`,
    `Host: ${new URL(appliance.url).host}`,
    `X-PAYMENT: ${proof}`,
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    `Content-Length: ${FORM_BYTES}`,
  ];
  client.socket.write(`${head.join('\r\n')}\r\n\r\n${FORM_START}${FILE_START}`);
  return client;
}

const uploadsOnDisk = async () => (await readdir(join(appliance.dataDir, 'production/uploads'))).length;
const answered = (begun: readonly RawClient[]) => begun.filter(({ statuses }) => statuses.length > 0).length;

/** Round trips that each come after everything that was sent before. */
async function settle(): Promise<void> {
  for (let index = 0; index < UPLOADS; index += 1) await appliance.owner('/v1/voices');
}

test('one unspent proof holds one upload; the others wait, and get the one job', async () => {
  const { proof } = await signedProof();
  const begun = await Promise.all(Array.from({ length: UPLOADS }, () => beginUpload(proof)));
  await until(async () => (await uploadsOnDisk()) > 0);
  await settle();
  expect(await uploadsOnDisk()).toBe(1);
  for (const { socket } of begun) socket.write(FILE_END + FORM_END);
  await until(() => answered(begun) === UPLOADS);
  expect(begun.map(({ statuses }) => statuses[0])).toEqual(Array(UPLOADS).fill(202));
  const jobs = new Set(begun.map((client) => /"jobId":"([\w-]+)"/.exec(client.received())?.[1]));
  expect(jobs.size).toBe(1);
  expect(await uploadsOnDisk()).toBe(0);
});

test('a sender that hangs up gives its place to the next one', async () => {
  const { proof } = await signedProof();
  const first = await beginUpload(proof);
  await until(async () => (await uploadsOnDisk()) === 1);
  const second = await beginUpload(proof);
  await settle();
  second.socket.write(FILE_END + FORM_END);
  await settle();
  expect(second.statuses).toEqual([]);
  first.socket.resetAndDestroy();
  await until(() => second.statuses.length > 0);
  expect(second.statuses).toEqual([202]);
});

test('an account has a bound of uploads in flight, whatever it signed, and the owner is not held up', async () => {
  const { wallet } = await signedProof();
  const proofs = await Promise.all(Array.from({ length: UPLOADS }, () => signedProof(wallet)));
  const begun = await Promise.all(proofs.map(({ proof }) => beginUpload(proof)));
  await until(async () => (await uploadsOnDisk()) === PER_ACCOUNT);
  await settle();
  expect(await uploadsOnDisk()).toBe(PER_ACCOUNT);
  const own = await appliance.owner(PATH, { method: 'POST', body: fileForm('A text.', 'a.txt') });
  expect(own.status).toBe(202);
  for (const { socket } of begun) socket.write(FILE_END + FORM_END);
  await until(() => answered(begun) === UPLOADS);
  expect(begun.map(({ statuses }) => statuses[0])).toEqual(Array(UPLOADS).fill(202));
});

test('an address has a bound of uploads in flight, with any number of wallets', async () => {
  const proofs = await Promise.all(Array.from({ length: PER_ADDRESS + 6 }, () => signedProof()));
  const begun = await Promise.all(proofs.map(({ proof }) => beginUpload(proof)));
  await until(async () => (await uploadsOnDisk()) === PER_ADDRESS);
  await settle();
  expect(await uploadsOnDisk()).toBe(PER_ADDRESS);
  for (const { socket } of begun) socket.write(FILE_END + FORM_END);
  await until(() => answered(begun) === begun.length);
  expect(begun.map(({ statuses }) => statuses[0])).toEqual(Array(begun.length).fill(202));
});

test('below the reserve of free disk an upload gets 507, nothing stays of it, and its proof is not spent', async () => {
  const { proof } = await signedProof();
  const upload = () =>
    appliance.anonymous(PATH, { method: 'POST', headers: { 'x-payment': proof }, body: fileForm('A text.', 'a.txt') });
  disk = { freeBytes: 199 * MIB, totalBytes: 100 * GIB };
  const refused = await upload();
  expect(refused.status).toBe(507);
  expect((await refused.json()) as Problem).toMatchObject({
    code: 'storage_full',
    detail: 'The disk of this appliance is almost full. Free some space and send the request again.',
  });
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(await uploadsOnDisk()).toBe(0);
  disk = { freeBytes: 201 * MIB, totalBytes: 100 * GIB };
  expect((await upload()).status).toBe(202);
  // On a small disk the reserve is a share of it.
  disk = { freeBytes: 3 * MIB, totalBytes: 48 * MIB };
  expect((await appliance.owner(PATH, { method: 'POST', body: fileForm('A text.', 'a.txt') })).status).toBe(202);
});

test('a disk that reaches its reserve during an upload ends the upload', async () => {
  looksBeforeFull = 2;
  const body = fileForm(Buffer.alloc(20 * MIB, 'word '.repeat(KIB)), 'a.txt');
  const answer = await appliance.owner(PATH, { method: 'POST', body });
  expect(answer.status).toBe(507);
  expect(await uploadsOnDisk()).toBe(0);
});

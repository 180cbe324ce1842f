import { readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../src-server/platform/http/problem.ts';
import { KIB, MIB } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { wordDocument, wordDocumentOf } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { until } from '../harness/until.ts';

/** What bad bodies do to a whole appliance: the right refusal, nothing left behind, and everybody else is served. */
const HEALTH_EVERY_MS = 50;
const JSON_LIMIT_BYTES = 64 * MIB;
/** The bomb's one part inflates to this; as a file it has a few hundred kilobytes. */
const BOMB_BYTES = 300 * MIB;

/** Made before the server runs in this very process: deflating keeps a thread for seconds. */
const BOMB = wordDocumentOf(`<w:p><w:r><w:t>${'a'.repeat(BOMB_BYTES)}</w:t></w:r></w:p>`);

let appliance: Appliance;
let watch: HealthWatch;
beforeAll(async () => {
  appliance = await startAppliance();
  watch = watchHealth();
});
afterAll(async () => {
  expect(await watch.stop()).toEqual([]);
  await appliance.close();
});
/** Whatever was refused, none of its bytes may stay. */
afterEach(async () => {
  const folder = join(appliance.dataDir, 'production', 'uploads');
  await until(() => readdirSync(folder).length === 0);
});

interface HealthWatch {
  /** Ends the watch, and tells every answer of /health that was not a 200. */
  stop(): Promise<string[]>;
}

function watchHealth(): HealthWatch {
  const wrong: string[] = [];
  let over = false;
  const running = (async () => {
    while (!over) {
      const answer = await fetch(`${appliance.url}/health`).catch((error: unknown) => String(error));
      if (typeof answer === 'string' || answer.status !== 200) wrong.push(String(answer));
      await new Promise((resolve) => setTimeout(resolve, HEALTH_EVERY_MS));
    }
  })();
  return {
    stop: async () => {
      over = true;
      await running;
      return wrong;
    },
  };
}

async function endOf(bytes: Uint8Array, name = 'a.docx') {
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm(bytes, name) });
  const said = (await answer.json()) as { jobId: string; code?: string };
  if (answer.status === 422) return { code: said.code };
  expect(answer.status).toBe(202);
  const job = await finished(appliance.owner, said.jobId);
  expect(job.status).toBe('failed');
  expect(JSON.stringify(job)).not.toMatch(/node_modules|\.ts:|quarry test/);
  return { code: job.error?.code };
}

describe('a document', () => {
  test('that is cut off is damaged, wherever the cut is', async () => {
    const whole = wordDocument(['One paragraph.', 'Another paragraph.']);
    for (const share of [0.1, 0.5, 0.9, 0.99]) {
      const { code } = await endOf(whole.subarray(0, Math.floor(whole.length * share)));
      expect(['corrupt_input', 'unsupported_media']).toContain(code);
    }
  });

  test('that inflates without end is refused while it inflates', async () => {
    expect(BOMB.length).toBeLessThan(MIB);
    const { code } = await endOf(BOMB);
    expect(['source_too_large', 'corrupt_input']).toContain(code);
  });

  test('with a password says so', async () => {
    expect(await endOf(encryptedDocument())).toEqual({ code: 'encrypted_input' });
  });

  test.each([
    ['Word 2', Buffer.from('dba52d0000000000', 'hex'), 'a Word 2 document', 'Save it as .docx'],
    ['a RAR archive', Buffer.from('Rar!\x1a\x07\x01\x00', 'latin1'), 'a RAR archive', 'Unpack it'],
    [
      'a picture-like drawing',
      zipSync({ 'visio/document.xml': strToU8('<x/>') }),
      'a Visio drawing',
      'Export it as .pdf',
    ],
  ])(
    'that is %s is refused before it becomes a job, by its name, with what to do',
    async (_what, bytes, name, advice) => {
      const before = await jobCount();
      const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm(bytes, 'a.docx') });
      const { code, detail } = (await answer.json()) as Problem;
      expect([answer.status, code]).toEqual([422, 'unsupported_media']);
      expect(detail).toContain(`this is ${name}. ${advice}`);
      expect(await jobCount()).toBe(before);
    },
  );
});

describe('a body', () => {
  test('of 64 MB of JSON is read to its end and judged by its content, a longer one by its size', async () => {
    const send = (base64Chars: number) =>
      appliance.owner('/v1/extract/doc', {
        method: 'POST',
        body: `{"file":"data:application/octet-stream;base64,${'A'.repeat(base64Chars)}"}`,
        headers: { 'content-type': 'application/json' },
      });
    const full = await send(JSON_LIMIT_BYTES - KIB);
    expect((await full.json()) as Problem).toMatchObject({ status: 422, code: 'unsupported_media' });
    expect((await send(JSON_LIMIT_BYTES)).status).toBe(413);
  });

  test('without an end makes no job, and goes with its connection', async () => {
    const before = await jobCount();
    const socket = await openSocket();
    socket.write(
      `POST /v1/extract/doc HTTP/1.1\r\nHost: ${new URL(appliance.url).host}\r\nTransfer-Encoding: chunked\r\n` +
        `Authorization: Bearer ${appliance.ownerToken}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`,
    );
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.docx"\r\n\r\nbytes';
    socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
    const folder = join(appliance.dataDir, 'production', 'uploads');
    await until(() => readdirSync(folder).length === 1);
    socket.destroy();
    await until(() => readdirSync(folder).length === 0);
    expect(await jobCount()).toBe(before);
  });

  test('of a request for a foreign host is not read', async () => {
    for (const host of ['evil.example', `evil.example:${new URL(appliance.url).port}`, 'localhost.evil.example']) {
      expect(await statusWithHost(host)).toBe(403);
    }
    expect(await statusWithHost(new URL(appliance.url).host)).toBe(400);
  });
});

async function jobCount(): Promise<number> {
  return ((await (await appliance.owner('/v1/jobs?limit=100')).json()) as { jobs: unknown[] }).jobs.length;
}

function openSocket(): Promise<Socket> {
  const { hostname, port } = new URL(appliance.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** `fetch` lets nobody choose the Host header; an attacker's client does. */
function statusWithHost(host: string): Promise<number | undefined> {
  const headers = { host, authorization: `Bearer ${appliance.ownerToken}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${appliance.url}/v1/extract/doc`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end('{}');
  });
}

/** The frame in which Word keeps a document with a password: an OLE file with a stream of this name. */
function encryptedDocument(): Uint8Array {
  const SECTOR = 512;
  const bytes = Buffer.alloc(SECTOR * 4);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes, 0);
  bytes.writeUInt16LE(0x3e, 24);
  bytes.writeUInt16LE(3, 26);
  bytes.writeUInt16LE(0xfffe, 28);
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt16LE(6, 32);
  bytes.writeUInt32LE(1, 44);
  bytes.writeUInt32LE(1, 48);
  bytes.writeUInt32LE(4096, 56);
  bytes.writeInt32LE(-2, 60);
  bytes.writeInt32LE(-2, 68);
  bytes.fill(0xff, 76, SECTOR);
  bytes.writeUInt32LE(0, 76);
  const fat = SECTOR;
  bytes.fill(0xff, fat, fat + SECTOR);
  bytes.writeInt32LE(-3, fat);
  bytes.writeInt32LE(-2, fat + 4);
  const entry = (index: number, name: string, type: number, child: number) => {
    const at = SECTOR * 2 + index * 128;
    Buffer.from(`${name}\0`, 'utf16le').copy(bytes, at);
    bytes.writeUInt16LE((name.length + 1) * 2, at + 64);
    bytes.writeUInt8(type, at + 66);
    bytes.writeUInt8(1, at + 67);
    bytes.writeInt32LE(-1, at + 68);
    bytes.writeInt32LE(-1, at + 72);
    bytes.writeInt32LE(child, at + 76);
    bytes.writeInt32LE(-2, at + 116);
  };
  entry(0, 'Root Entry', 5, 1);
  entry(1, 'EncryptedPackage', 2, -1);
  return bytes;
}

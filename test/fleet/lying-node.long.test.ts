import { createHash, X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JoinAddress, readJoin, signWith } from '../../src-server/features/fleet/join.ts';
import { retryPatiently } from '../../src-server/features/fleet/link.ts';
import {
  Assignment,
  decodeFleetMessage,
  encodeFleetMessage,
  inboxOf,
  type Presence,
  presenceSubject,
  saySubject,
  tellSubject,
  WORK_STREAM,
} from '../../src-server/features/fleet/messages.ts';
import { NodeClient } from '../../src-server/features/fleet/node-client.ts';
import { VERSION } from '../../src-server/platform/version.ts';
import { brokerMissing, type FleetBed, startFleet, TIMING } from '../harness/fleet.ts';
import { finished } from '../harness/jobs.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A program with the key of a node that says what a test wants. */
describe.skipIf(missing !== null)(`a node that lies${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let bed: FleetBed;
  let address: JoinAddress;
  let certificate: string;
  let connection: NatsConnection;
  let beat: NodeJS.Timeout;
  let version = VERSION;
  const active = new Set<string>();

  beforeAll(async () => {
    bed = await startFleet();
    address = readJoin((await bed.addNode('liar')).join);
    const { host, port } = address;
    certificate = await new Promise((resolve) => {
      const socket = connectTls({ host, port, rejectUnauthorized: false }, () => {
        resolve(new X509Certificate((socket.getPeerX509Certificate() as X509Certificate).raw).toString());
        socket.destroy();
      });
    });
    const { brokerPort } = (await bed.fleet()).choices;
    const options = {
      servers: `127.0.0.1:${brokerPort}`,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(address.seed)),
      tls: { ca: certificate, checkServerIdentity: () => undefined } as object,
      inboxPrefix: inboxOf(address.node),
    };
    connection = await retryPatiently(() => connect(options));
    const say = () => {
      const can = { cores: 1, gpu: null, operations: ['test/far'], models: [], browsers: 0 };
      const slots = { light: 9, heavy: 9 };
      const told: Presence = { instance: 'one', version, ...can, slots, active: [...active], copies: [] };
      connection.publish(presenceSubject(address.node), encodeFleetMessage(told));
    };
    say();
    beat = setInterval(say, TIMING.beatMs);
    await until(async () => (await bed.fleet()).nodes[0]?.status === 'online');
  });
  afterAll(async () => {
    clearInterval(beat);
    await connection.close();
    await bed[Symbol.asyncDispose]();
  });

  async function work(label: string): Promise<{ jobId: string; assignment: Assignment }> {
    const jobId = await bed.submit(label);
    const consumer = await jetstream(connection).consumers.get(WORK_STREAM, address.node);
    const message = await consumer.next({ expires: 60_000 });
    const assignment = decodeFleetMessage(Assignment, message?.data ?? new Uint8Array()) as Assignment;
    message?.ack();
    active.add(`production/${jobId}/${assignment.run}`);
    return { jobId, assignment };
  }

  function send(method: string, path: string, headers: Record<string, string> = {}, body = '') {
    return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      const { host, port } = address;
      const trust = { ca: certificate, checkServerIdentity: () => undefined };
      const sending = request({ host, port, method, path, headers, agent: false, ...trust }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      });
      sending.once('error', reject);
      sending.end(body);
    });
  }

  const end = async (assignment: Assignment, rest: object) => {
    const { environment, jobId, run } = assignment;
    const told = encodeFleetMessage({ environment, jobId, run, ...rest });
    await jetstream(connection).publish(saySubject(environment, address.node), told);
    active.delete(`${environment}/${jobId}/${run}`);
  };

  const DONE = { kind: 'completed', chunksBytes: null, furtherEvent: null, sourceBytes: 0, files: [] };

  test('its assignment names no account, no payment and no address of a webhook', async () => {
    const { jobId, assignment } = await work('secret');
    const { token: _token, ...told } = assignment;
    expect(Object.keys(told).sort()).toEqual(
      [
        ...[
          'checkpoints',
          'choices',
          'environment',
          'instance',
          'jobId',
          'maxSourceBytes',
          'models',
          'operationId',
          'queueClass',
        ],
        ...['request', 'run', 'source', 'spentSeconds'],
      ].sort(),
    );
    expect(told.request).toEqual({ label: 'secret', model: 'chosen' });
    await bed.appliance.owner(`/admin/jobs/${jobId}/cancel`, { method: 'POST' });
    const over = await send('GET', `/runs/${assignment.token}/checkpoints/begun.txt`);
    expect(over).toMatchObject({ status: 409, text: expect.stringContaining('over') });
  });

  test('bytes with another checksum than announced are refused; an upload goes on where it stopped', async () => {
    const { jobId, assignment } = await work('upload');
    const body = JSON.stringify({ label: 'upload', pid: 1, began: 'x', chose: '' });
    const blob = `/runs/${assignment.token}/blobs/${sha256(body)}`;
    const whole = { 'upload-offset': '0', 'upload-complete': '?1' };
    expect(await send('PATCH', blob, whole, 'something else')).toMatchObject({ status: 400 });
    const half = { 'upload-offset': '0', 'upload-complete': '?0' };
    expect(await send('PATCH', blob, half, body.slice(0, 9))).toMatchObject({ status: 204 });
    expect(await send('PATCH', blob, half, body)).toMatchObject({ status: 409, headers: { 'upload-offset': '9' } });
    expect(await send('HEAD', blob)).toMatchObject({ status: 204, headers: { 'upload-offset': '9' } });
    const rest = { 'upload-offset': '9', 'upload-complete': '?1' };
    expect(await send('PATCH', blob, rest, body.slice(9))).toMatchObject({ status: 200 });
    const result = { name: 'result.json', sha256: sha256(body), sizeBytes: body.length };
    const other = JSON.stringify({ files: [{ ...result, name: 'found.json' }] });
    expect(await send('POST', `/runs/${assignment.token}/checkpoint`, {}, other)).toMatchObject({ status: 400 });
    await end(assignment, { ...DONE, result });
    expect(await finished(bed.appliance.owner, jobId)).toMatchObject({ status: 'completed', result: { pid: 1 } });
  });

  test('a token opens nothing but the files of its run, and only a signature of the node renews it', async () => {
    const { jobId, assignment } = await work('token');
    const { token } = assignment;
    const file = `/runs/${token}`;
    for (const path of ['/checkpoints/..%2f..%2fsource', '/files/made.txt', '/checkpoints/.hidden', '/blobs/x']) {
      expect((await send('HEAD', file + path)).status).toBeGreaterThanOrEqual(400);
    }
    const [claims = '', mac] = token.split('.');
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url').toString()), run: 99 }),
    ).toString('base64url');
    expect(await send('HEAD', `/runs/${forged}.${mac}/blobs/${sha256('x')}`)).toMatchObject({ status: 403 });
    const outside = await fetch(`${bed.appliance.url}/runs/${token}/source`);
    expect(outside.status).toBe(404);
    bed.appliance.clock.advance(60 * 60_000);
    expect(await send('HEAD', `${file}/blobs/${sha256('x')}`)).toMatchObject({ status: 401 });
    const renew = (signature: string) => send('POST', '/renew', {}, JSON.stringify({ token, signature }));
    expect(await renew('AAAA')).toMatchObject({ status: 403 });
    const renewed = await renew(signWith(address.seed, token));
    const fresh = (JSON.parse(renewed.text) as { token: string }).token;
    expect(await send('HEAD', `/runs/${fresh}/blobs/${sha256('x')}`)).toMatchObject({ status: 204 });
    await end(assignment, { kind: 'failed', error: { code: 'corrupt_input', message: 'The file is damaged.' } });
    expect(await finished(bed.appliance.owner, jobId)).toMatchObject({
      status: 'failed',
      error: { code: 'corrupt_input', message: 'The file is damaged.' },
    });
  });

  test('a result that it never sent, or of another shape, ends no job: the job is tried again', async () => {
    const { jobId, assignment } = await work('false');
    const result = { name: 'result.json', sha256: sha256('never sent'), sizeBytes: 10 };
    await end(assignment, { ...DONE, result });
    await until(async () => (await bed.job(jobId)).progress.message.includes('did not send'));
    expect(await bed.job(jobId)).toMatchObject({ status: 'queued', result: null });
    await end({ ...assignment, jobId: 'job_of_nobody' }, { ...DONE, result });
    await bed.appliance.owner(`/admin/jobs/${jobId}/cancel`, { method: 'POST' });
  });

  async function upload({ token }: Assignment, body: string): Promise<{ sha256: string; sizeBytes: number }> {
    const whole = { 'upload-offset': '0', 'upload-complete': '?1' };
    expect((await send('PATCH', `/runs/${token}/blobs/${sha256(body)}`, whole, body)).status).toBe(200);
    return { sha256: sha256(body), sizeBytes: body.length };
  }

  test('a result of another shape, or too large to read, completes no job', async () => {
    const { jobId, assignment } = await work('shape');
    const shapeless = await upload(assignment, '{"label":1}');
    await end(assignment, { ...DONE, result: { name: 'result.json', ...shapeless } });
    await until(async () => (await bed.job(jobId)).progress.message.includes('another shape'));
    expect(await bed.job(jobId)).toMatchObject({ status: 'queued', result: null });
    await bed.appliance.owner(`/admin/jobs/${jobId}/cancel`, { method: 'POST' });
    const large = await work('large');
    const result = { name: 'result.json', sha256: sha256(''), sizeBytes: 2 ** 31 };
    await end(large.assignment, { ...DONE, result });
    expect(await finished(bed.appliance.owner, large.jobId)).toMatchObject({
      status: 'failed',
      error: { code: 'engine_failed', message: expect.stringContaining(`${2 ** 31} bytes`) },
    });
  });

  test('files and checkpoints by names that the operation does not use are refused', async () => {
    const { jobId, assignment } = await work('names');
    const body = JSON.stringify({ label: 'names', pid: 1, began: 'x', chose: '' });
    const file = await upload(assignment, body);
    const checkpoint = (name: string) =>
      send('POST', `/runs/${assignment.token}/checkpoint`, {}, JSON.stringify({ files: [{ name, ...file }] }));
    expect(await checkpoint('other.txt')).toMatchObject({ status: 400, text: expect.stringContaining('other.txt') });
    expect(await checkpoint('../begun.txt')).toMatchObject({ status: 400 });
    const result = { name: 'result.json', ...file };
    await end(assignment, { ...DONE, result, files: [{ name: 'folder/file.txt', ...file }] });
    expect(await finished(bed.appliance.owner, jobId)).toMatchObject({
      status: 'failed',
      error: { code: 'engine_failed', message: expect.stringContaining('folder/file.txt') },
    });
  });

  test('an upload ends when its file is gone: a run removes its checkpoints while they are sent', async () => {
    const { jobId, assignment } = await work('gone');
    const client = await NodeClient.openNodeClient(address);
    const transfers = client.run(assignment.token, new AbortController().signal);
    const file = { sha256: sha256('gone'), sizeBytes: 4 };
    await expect(transfers.uploadRunFile(join(import.meta.dirname, 'gone.txt'), file)).rejects.toThrow('ENOENT');
    client.closeNodeClient();
    await bed.appliance.owner(`/admin/jobs/${jobId}/cancel`, { method: 'POST' });
  });

  test('a job whose node turns out to lack a model runs here, without an attempt spent', async () => {
    const { jobId, assignment } = await work('wait0-lacking');
    await end(assignment, { kind: 'failed', error: { code: 'model_not_installed', message: 'No German.' } });
    const job = await finished(bed.appliance.owner, jobId);
    expect(job).toMatchObject({ status: 'completed', result: { pid: process.pid } });
  });

  test('a job that its node never reads runs here, without an attempt spent', async () => {
    const jobId = await bed.submit('wait0-unread');
    expect(await finished(bed.appliance.owner, jobId)).toMatchObject({
      status: 'completed',
      result: { pid: process.pid },
    });
  });

  test('a job that it never reads runs here in the end, without an attempt spent', async () => {
    const jobId = await bed.submit('wait0-unread');
    const job = await finished(bed.appliance.owner, jobId);
    expect(job).toMatchObject({ status: 'completed', result: { pid: process.pid } });
    const record = await bed.appliance.owner(`/admin/jobs/${jobId}`);
    expect(await record.json()).toMatchObject({ attempts: 1, node: null });
  });

  test('it ends no job that runs on another node', async () => {
    const drain = (draining: boolean) =>
      bed.appliance.owner(`/admin/fleet/nodes/${address.node}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ draining }),
      });
    const honest = await bed.worker('honest');
    expect((await drain(true)).status).toBe(204);
    const jobId = await bed.submit('foreign');
    await bed.begun('foreign');
    const of = { environment: 'production', jobId, run: 1 } as Assignment;
    await end(of, { kind: 'failed', error: { code: 'corrupt_input', message: 'A lie.' } });
    connection.publish(
      tellSubject(address.node),
      encodeFleetMessage({ ...of, kind: 'progress', progress: { percent: 99, stage: 'lie', message: 'A lie.' } }),
    );
    await connection.flush();
    bed.release('foreign');
    expect(await finished(bed.appliance.owner, jobId)).toMatchObject({
      status: 'completed',
      result: { pid: honest.child.pid },
    });
    await drain(false);
  });

  test('one that says another version than it joined with gets no work', async () => {
    version = '0.0.1';
    const statusOfLiar = async () => (await bed.fleet()).nodes.find(({ name }) => name === 'liar')?.status;
    await until(async () => (await statusOfLiar()) === 'refused');
    const jobId = await bed.submit('wait0-honest');
    expect(await finished(bed.appliance.owner, jobId)).toMatchObject({ status: 'completed' });
    version = VERSION;
    await until(async () => (await statusOfLiar()) === 'online');
  });

  test('the broker lets it say nothing for other nodes, and read no stream', async () => {
    const stream = jetstream(connection);
    for (const subject of [saySubject('production', 'nod_other'), 'quarry.work.nod_other', 'quarry.cancel.nod_other']) {
      await expect(stream.publish(subject, encodeFleetMessage({}), { timeout: 5000 })).rejects.toThrow(/ermission/);
    }
    await expect(connection.request('$JS.API.STREAM.INFO.QUARRY_SAY', '', { timeout: 5000 })).rejects.toThrow(
      /ermission/,
    );
  });
});

/** A program with the key of a node that lends a browser which is none. */
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readJoin } from '../../src-server/features/fleet/join.ts';
import { retryPatiently } from '../../src-server/features/fleet/link.ts';
import {
  BrowserOrder,
  browserSubject,
  decodeFleetMessage,
  encodeFleetMessage,
  inboxOf,
  type Presence,
  presenceSubject,
} from '../../src-server/features/fleet/messages.ts';
import { NodeClient } from '../../src-server/features/fleet/node-client.ts';
import { serveMethods } from '../../src-server/platform/rpc/rpc.ts';
import { streamLine } from '../../src-server/platform/rpc/stream-line.ts';
import { VERSION } from '../../src-server/platform/version.ts';
import type { BrowserOfCrawl, Rendered, RenderSetup } from '../../workers/pages/tasks.ts';
import { beginCrawl, setBrowser } from '../harness/browser-bed.ts';
import { brokerMissing, type FleetBed, startFleet, TIMING } from '../harness/fleet.ts';
import { finished } from '../harness/jobs.ts';
import { HOST, type RenderedSite, startRenderedSite } from '../harness/rendered-site.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

describe.skipIf(missing !== null)(`a lent browser${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let site: RenderedSite;
  let bed: FleetBed;
  let client: NodeClient;
  let connection: NatsConnection;
  let beat: NodeJS.Timeout;
  const orders: BrowserOrder[] = [];

  beforeAll(async () => {
    setBrowser(false);
    site = await startRenderedSite({ fleetTiming: TIMING, joined: false });
    bed = await startFleet(site.appliance);
    const address = readJoin((await bed.addNode('lender')).join);
    client = await NodeClient.openNodeClient(address);
    const options = {
      servers: `127.0.0.1:${(await bed.fleet()).choices.brokerPort}`,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(address.seed)),
      tls: { ca: client.certificate, checkServerIdentity: () => undefined } as object,
      inboxPrefix: inboxOf(address.node),
    };
    connection = await retryPatiently(() => connect(options));
    connection.subscribe(browserSubject(address.node), {
      callback: (_error, { data }) => void orders.push(decodeFleetMessage(BrowserOrder, data) as BrowserOrder),
    });
    const can = { cores: 1, gpu: null, operations: [], models: [], browsers: 1 };
    const slots = { light: 1, heavy: 1 };
    const shown = { instance: 'one', version: VERSION, slots, active: [], copies: [] };
    const say = () =>
      connection.publish(presenceSubject(address.node), encodeFleetMessage({ ...can, ...shown } satisfies Presence));
    say();
    beat = setInterval(say, TIMING.beatMs);
    await until(async () => (await bed.fleet()).nodes[0]?.browsers === 1);
  });
  afterAll(async () => {
    setBrowser(true);
    clearInterval(beat);
    await connection.close();
    client.closeNodeClient();
    await bed[Symbol.asyncDispose]();
    await site.close();
  });

  const order = async () => {
    await until(() => orders.length > 0);
    return (orders.shift() as BrowserOrder).token;
  };
  const dial = (token: string, kind: 'program' | 'network') => client.dial(`/browsers/${token}/${kind}`);
  /** Answers the pages of a session. */
  const lend = (program: Duplex, render: () => Promise<Rendered>) => {
    const opened = Promise.withResolvers<RenderSetup>();
    const methods: BrowserOfCrawl = {
      open: async (setup) => {
        opened.resolve(setup);
        return { version: '1', isSandboxed: true };
      },
      render,
      close: async () => undefined,
    };
    serveMethods(methods, streamLine(program, TIMING));
    return opened.promise;
  };
  /** Status of a CONNECT through a connection of the session. */
  const connectTo = async (through: Duplex, host: string, proxyUrl: string | null) => {
    const { username, password } = new URL(proxyUrl ?? 'http://none');
    const secret = Buffer.from(`${username}:${password}`).toString('base64');
    const headers = proxyUrl === null ? {} : { 'proxy-authorization': `Basic ${secret}` };
    return new Promise<number>((resolve, reject) => {
      const asking = request({ method: 'CONNECT', path: host, headers, createConnection: () => through as never });
      asking.once('connect', (answer) => resolve(answer.statusCode ?? 0));
      asking.once('error', reject);
      asking.end();
    });
  };
  const page = (text: string): Rendered => {
    const html = Buffer.from(`<html><title>Lent</title><body><h1>Lent</h1><p>${text}</p></body></html>`);
    return { kind: 'page', html, requests: 0, screenshot: null, pdf: null, problems: [], cookies: [] };
  };

  test('its token opens one program and connections to the proxy of the crawl, and nothing once it is over', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const crawlId = await beginCrawl(site, { url: `${HOST}/app`, depth: 0, render: 'always' });
    const token = await order();
    await expect(dial(token, 'network')).rejects.toThrow('409');
    await expect(dial('0'.repeat(token.length), 'program')).rejects.toThrow('409');
    const program = await dial(token, 'program');
    await expect(dial(token, 'program')).rejects.toThrow('409');
    const { proxyUrl } = await lend(program, async () => {
      await mayEnd;
      return page('A page of the lender.');
    });
    expect(await connectTo(await dial(token, 'network'), 'parts.example:80', null)).toBe(407);
    expect(await connectTo(await dial(token, 'network'), '127.0.0.1:80', proxyUrl)).toBe(403);
    const open = await dial(token, 'network');
    expect(await connectTo(open, 'parts.example:80', proxyUrl)).toBe(200);
    end();
    const job = await finished(site.appliance.owner, crawlId);
    expect(JSON.stringify(job.result)).toContain('A page of the lender.');
    await until(() => open.destroyed && program.destroyed);
    await expect(dial(token, 'network')).rejects.toThrow('409');
    await expect(dial(token, 'program')).rejects.toThrow('409');
  });

  test('strangers get no connection, whatever they ask for', async () => {
    for (const path of ['//', '/', '/browsers', '/browsers//network', '/browsers/constructor/program', '/renew']) {
      await expect(client.dial(path)).rejects.toThrow('409');
    }
  });

  test('an answer that is no page fails the page, not the crawl', async () => {
    const crawlId = await beginCrawl(site, { url: `${HOST}/few`, depth: 1, render: 'auto' });
    void lend(await dial(await order(), 'program'), async () => ({ kind: 'page', html: 7 }) as never);
    const job = await finished(site.appliance.owner, crawlId);
    expect(job.error ?? null).toBeNull();
    expect(JSON.stringify(job.result)).toContain('Its node sent something else than a page.');
  });

  test('bytes that are no message end the session', async () => {
    const crawlId = await beginCrawl(site, { url: `${HOST}/app`, depth: 0, render: 'always' });
    const first = await dial(await order(), 'program');
    first.resume().write(Buffer.from('\xff\xff\xff\xff and no message', 'latin1'));
    await until(() => first.destroyed);
    // The node is asked again after a while.
    void lend(await dial(await order(), 'program'), async () => page('From the second session.'));
    const job = await finished(site.appliance.owner, crawlId);
    expect(JSON.stringify(job.result)).toContain('From the second session.');
  });
});

/** The browsers that a node lends to crawls of its control node, each for one session. */

import type { Duplex } from 'node:stream';
import { type StreamTiming, streamLine } from '../../platform/rpc/stream-line.ts';
import type { LendBrowser } from '../crawl/schema.ts';
import type { BrowserOrder } from './messages.ts';
import type { NodeClient } from './node-client.ts';

interface NodeBrowsersDeps {
  client: Pick<NodeClient, 'dial'>;
  /** Browsers at once. 0 without a browser. */
  limit(): number;
  lend: LendBrowser;
  timing: StreamTiming;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

interface Session {
  program: Duplex | null;
  done: Promise<void>;
}

export class NodeBrowsers {
  readonly #deps: NodeBrowsersDeps;
  readonly #sessions = new Map<string, Session>();
  #closed = false;

  constructor(deps: NodeBrowsersDeps) {
    this.#deps = deps;
  }

  /** Without effect where no browser is free: the control node then takes another. */
  orderNodeBrowser({ token }: BrowserOrder): void {
    if (this.#closed || this.#sessions.has(token) || this.#sessions.size >= this.#deps.limit()) return;
    const session: Session = { program: null, done: Promise.resolve() };
    this.#sessions.set(token, session);
    session.done = this.#serveBrowserOrder(token, session)
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'A browser could not be lent.'))
      .finally(() => {
        session.program?.destroy();
        this.#sessions.delete(token);
      });
  }

  /** Ends the browsers: their crawls go on elsewhere. */
  async closeNodeBrowsers(): Promise<void> {
    this.#closed = true;
    const sessions = [...this.#sessions.values()];
    for (const { program } of sessions) program?.destroy();
    await Promise.all(sessions.map(({ done }) => done));
  }

  async #serveBrowserOrder(token: string, session: Session): Promise<void> {
    const { client, lend, timing, log } = this.#deps;
    const program = await client.dial(`/browsers/${token}/program`);
    session.program = program;
    if (this.#closed) program.destroy();
    log.info({}, 'A browser renders pages of the control node.');
    await lend(streamLine(program, timing), () => client.dial(`/browsers/${token}/network`));
  }
}

/** Where browsers of crawls run: on nodes as long as one of theirs is free, else on this machine. */

import { findBrowser, requireBrowser } from './browser.ts';
import type { NodeBrowser, NodeBrowsers } from './schema.ts';

/** Browsers of all crawls on one machine. Each takes some hundred megabytes; further crawls wait with their pages. */
export const MAX_BROWSERS = 3;

export interface BrowserPlace {
  /** Null: this machine. */
  node: NodeBrowser | null;
  /** @param isWell false: the connection to it broke, or its browser did not start */
  leave(isWell: boolean): void;
}

interface Waiter {
  take(place: BrowserPlace): void;
  refuse(error: unknown): void;
}

const NO_NODES: NodeBrowsers = {
  offered: () => 0,
  takeNodeBrowser: () => null,
  watchNodeBrowsers: () => () => undefined,
};

export class BrowserPlaces {
  readonly dataDir: string;
  #nodes = NO_NODES;
  #waiters: Waiter[] = [];
  #here = 0;
  #unwatch: (() => void) | null = null;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  /** Takes browsers of nodes too. Call it before the first crawl. */
  lendFrom(nodes: NodeBrowsers): void {
    this.#nodes = nodes;
  }

  /** Browsers of nodes that are there, or were a moment ago. */
  offered(): number {
    return this.#nodes.offered();
  }

  /** Errors: `engine_unavailable` where neither this machine nor a node has a browser. */
  requireAnyBrowser(): void {
    if (this.#nodes.offered() === 0) requireBrowser(this.dataDir);
  }

  /** Waits for a free browser, in the order of the calls. Errors: those of `require`; the signal's reason. */
  async acquireBrowserPlace(signal: AbortSignal): Promise<BrowserPlace> {
    signal.throwIfAborted();
    const { promise, resolve: take, reject: refuse } = Promise.withResolvers<BrowserPlace>();
    const waiter = { take, refuse };
    const abandonBrowserWait = () => {
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
      refuse(signal.reason);
    };
    signal.addEventListener('abort', abandonBrowserWait, { once: true });
    this.#waiters.push(waiter);
    this.#pumpBrowserWaiters();
    return promise.finally(() => signal.removeEventListener('abort', abandonBrowserWait));
  }

  #pumpBrowserWaiters(): void {
    const left = this.#waiters.filter((waiter) => !this.#serveBrowserWaiter(waiter));
    this.#waiters = left;
    if (left.length > 0) this.#unwatch ??= this.#nodes.watchNodeBrowsers(() => this.#pumpBrowserWaiters());
    else {
      this.#unwatch?.();
      this.#unwatch = null;
    }
  }

  /** Whether the waiter waits no longer. */
  #serveBrowserWaiter({ take, refuse }: Waiter): boolean {
    const node = this.#nodes.takeNodeBrowser();
    if (node !== null) {
      take({
        node,
        leave: (isWell) => {
          node.leave(isWell);
          this.#pumpBrowserWaiters();
        },
      });
      return true;
    }
    if (findBrowser(this.dataDir) !== null) return this.#serveHere(take);
    try {
      this.requireAnyBrowser();
      return false;
    } catch (error) {
      refuse(error);
      return true;
    }
  }

  #serveHere(take: Waiter['take']): boolean {
    if (this.#here >= MAX_BROWSERS) return false;
    this.#here += 1;
    take({
      node: null,
      leave: () => {
        this.#here -= 1;
        this.#pumpBrowserWaiters();
      },
    });
    return true;
  }
}

/** The guarded clients, loaded with their first request: a server that fetches nothing loads no HTTP client. */

import type { GuardedClient, GuardedClientDeps } from './guarded-client.ts';
import type { GuardedWebhookClient, WebhookClientDeps } from './guarded-post.ts';

export function openGuardedClient(deps: GuardedClientDeps): GuardedClient {
  const client = new Lazy(async () => (await import('./guarded-client.ts')).createGuardedClient(deps));
  return {
    fetchToFile: async (url, options) => (await client.loadOnce()).fetchToFile(url, options),
    request: async (url, options) => (await client.loadOnce()).request(url, options),
    close: async () => (await client.loadedNow)?.close(),
  };
}

export function openWebhookClient(deps: WebhookClientDeps): GuardedWebhookClient {
  const client = new Lazy(async () => (await import('./guarded-post.ts')).createWebhookClient(deps));
  return {
    post: async (url, post) => (await client.loadOnce()).post(url, post),
    close: async () => (await client.loadedNow)?.close(),
  };
}

class Lazy<Loaded> {
  readonly #load: () => Promise<Loaded>;
  #loaded: Promise<Loaded> | null = null;

  constructor(load: () => Promise<Loaded>) {
    this.#load = load;
  }

  /** Null before the first call of `loadOnce`. */
  get loadedNow(): Promise<Loaded> | null {
    return this.#loaded;
  }

  loadOnce(): Promise<Loaded> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }
}

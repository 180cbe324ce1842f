import { QuarryError } from '../../contract/index.ts';
import { SECOND_MS } from '../units.ts';

/** A part of a file, as a server sends it. */
export interface ModelResponse {
  status: number;
  /** Lower-case names. */
  header(name: string): string | null;
  body: AsyncIterable<Uint8Array>;
}

/** How models are fetched. Addresses come from the catalogue or the owner's mirror setting, never from a caller. */
export interface ModelClient {
  get(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<ModelResponse>;
}

const CONNECT_LIMIT_MS = 60 * SECOND_MS;
/** For a small text, from its request to its last byte. */
const TEXT_LIMIT_MS = 60 * SECOND_MS;

/** Fetches over HTTP, following redirects to the storage hosts that model sites use. */
export function createModelClient(userAgent: string): ModelClient {
  return {
    async get(url, headers, signal) {
      const connecting = new AbortController();
      const timer = setTimeout(() => connecting.abort(), CONNECT_LIMIT_MS);
      try {
        // Identity: a coded body could not be resumed at a byte of the file.
        const sent = { 'user-agent': userAgent, 'accept-encoding': 'identity', ...headers };
        const response = await fetch(url, { headers: sent, signal: AbortSignal.any([signal, connecting.signal]) });
        return {
          status: response.status,
          header: (name) => response.headers.get(name),
          body: response.body ?? emptyBody(),
        };
      } catch (cause) {
        signal.throwIfAborted();
        throw unreachable(url, cause);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/**
 * A small text, whole. Errors: `source_unreachable`, also where it takes too long; `corrupt_input` for one that is
 * larger than it may be; the signal's reason.
 */
export async function readText(
  client: ModelClient,
  url: string,
  {
    mostBytes,
    limitMs = TEXT_LIMIT_MS,
    signal,
  }: { mostBytes: number; limitMs?: number | undefined; signal: AbortSignal },
): Promise<string> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const { status, body } = await client.get(url, {}, limited);
    if (status !== 200) throw refused(url, status);
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of body) {
      bytes += piece.length;
      if (bytes > mostBytes) throw new QuarryError('corrupt_input', `What ${new URL(url).host} offers is too large.`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof QuarryError ? error : unreachable(url, error);
  }
}

export function refused(url: string, status: number): QuarryError {
  const message = `The host ${new URL(url).host} answered ${status}, not the model. Try later, or set a mirror.`;
  return new QuarryError('source_unreachable', message, { retryable: status >= 500 || status === 429 });
}

export function unreachable(url: string, cause: unknown): QuarryError {
  const message = `The host ${new URL(url).host} cannot be reached. Check the connection, or set a mirror for models.`;
  return new QuarryError('source_unreachable', message, { cause, retryable: true });
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

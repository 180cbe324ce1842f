import { z } from 'zod';
import type { PaymentRequirements } from '../../contract/index.ts';
import { KIB, SECOND_MS } from '../../platform/units.ts';
import { authorizationAsText, type X402Version } from './proof.ts';
import type { SignedAuthorization } from './settlement.ts';
import type { Terms } from './terms.ts';

const SUPPORTED_TIMEOUT_MS = 10 * SECOND_MS;
const ANSWER_BYTES_MAX = 64 * KIB;
/** Facilitators give their refusals with one of these or with 200; a verdict with any other status is none. */
const REFUSAL_STATUSES: readonly number[] = [400, 402, 409, 412, 422];

const SupportedAnswer = z.object({
  kinds: z.array(z.object({ x402Version: z.number(), scheme: z.string(), network: z.string() })),
});
const Refusal = z.union([
  z.looseObject({ isValid: z.literal(false), invalidReason: z.string() }),
  z.looseObject({ success: z.literal(false), errorReason: z.string() }),
]);

export interface RemoteParts {
  url: string;
  terms: Terms;
  baseUrl(): string;
}

/** The wire of a remote facilitator, in the version of x402 that it speaks. */
export class RemoteFacilitator {
  readonly #parts: RemoteParts;
  #version: X402Version | null = null;

  constructor(parts: RemoteParts) {
    this.#parts = parts;
  }

  /**
   * The newest version it speaks for our network; the signature is the same in both. Errors: it cannot be asked, or
   * settles something else.
   */
  async askVersion(): Promise<X402Version> {
    const { kinds } = answerAs(SupportedAnswer, await this.#request('supported', null, SUPPORTED_TIMEOUT_MS));
    const { network } = this.#parts.terms;
    const speaks = (version: X402Version, name: string) =>
      kinds.some((kind) => kind.x402Version === version && kind.scheme === 'exact' && kind.network === name);
    if (speaks(2, network.caip2)) this.#version = 2;
    else if (speaks(1, network.name)) this.#version = 1;
    else throw new Error(`It does not settle ${network.name}.`);
    return this.#version;
  }

  /** What it answers: a verdict, or a refusal that it gave as an error. */
  async post(
    path: 'verify' | 'settle',
    proof: SignedAuthorization,
    requirements: PaymentRequirements,
    timeoutMs: number,
  ): Promise<unknown> {
    const version = this.#version ?? (await this.askVersion());
    const body = version === 2 ? this.#bodyV2(proof, requirements) : this.#bodyV1(proof, requirements);
    return this.#request(path, body, timeoutMs);
  }

  /** Strict facilitators want a URL as resource, and the exact amount as price where version 1 allows more. */
  #bodyV1({ signature, authorization }: SignedAuthorization, requirements: PaymentRequirements) {
    const payload = { signature, authorization: authorizationAsText(authorization) };
    const { network } = this.#parts.terms;
    return {
      x402Version: 1,
      paymentPayload: { x402Version: 1, scheme: 'exact', network: network.name, payload },
      paymentRequirements: {
        ...requirements,
        maxAmountRequired: String(authorization.value),
        resource: this.#resourceUrl(requirements),
      },
    };
  }

  #bodyV2({ signature, authorization }: SignedAuthorization, requirements: PaymentRequirements) {
    const { description, mimeType, payTo, asset, maxTimeoutSeconds, extra } = requirements;
    const amount = String(authorization.value);
    const network = this.#parts.terms.network.caip2;
    const entry = { scheme: 'exact', network, amount, asset, payTo, maxTimeoutSeconds, extra };
    const resource = { url: this.#resourceUrl(requirements), description, mimeType };
    const payload = { signature, authorization: authorizationAsText(authorization) };
    return {
      x402Version: 2,
      paymentPayload: { x402Version: 2, resource, accepted: entry, payload },
      paymentRequirements: entry,
    };
  }

  #resourceUrl({ resource }: PaymentRequirements): string {
    return `${this.#parts.baseUrl()}/${resource.replace(/^POST \//, '')}`;
  }

  async #request(path: string, body: unknown, timeoutMs: number): Promise<unknown> {
    const { address, authorization } = targetOf(this.#parts.url, path);
    const request: RequestInit = {
      ...(body === null ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json', accept: 'application/json', ...authorization },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    };
    const response = await fetch(address, request).catch((error: unknown) => {
      throw new Error(whyUnreached(error), { cause: error });
    });
    const answer = jsonOf(await readBounded(response));
    if (response.ok) return answer;
    if (REFUSAL_STATUSES.includes(response.status)) {
      const refusal = Refusal.safeParse(answer);
      if (refusal.success) return refusal.data;
    }
    throw new Error(`The facilitator answered ${response.status}${whereTo(response)}.`);
  }
}

/** What it said, in the shape of x402. Errors: in words for the owner, where something else answers there. */
export function answerAs<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new Error('What answers there does not answer as a facilitator does. See that facilitatorUrl is right.');
}

/** The library's own words are the same for every cause. */
function whyUnreached(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return 'The facilitator did not answer in time.';
  return `The facilitator cannot be reached${typeof cause?.code === 'string' ? ` (${cause.code})` : ''}.`;
}

/**
 * User and password of the address go into a header: no request takes them in an address, and the error that says so
 * repeats them. A key in the query stays where it is.
 */
function targetOf(url: string, path: string): { address: URL; authorization: Record<string, string> } {
  const address = new URL(url);
  const { username, password } = address;
  address.username = '';
  address.password = '';
  address.hash = '';
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${path}`;
  if (username === '' && password === '') return { address, authorization: {} };
  const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return { address, authorization: { authorization: `Basic ${secret}` } };
}

/** Signed payments go where the owner said and nowhere else: one that has moved is for the owner to follow. */
function whereTo({ status, headers }: Response): string {
  const origin = URL.parse(headers.get('location') ?? '')?.origin;
  if (status < 300 || status > 399 || origin === undefined) return '';
  return ` and points to ${origin}: set facilitatorUrl to where it is now`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function readBounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > ANSWER_BYTES_MAX) throw new Error("The facilitator's answer is too long.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

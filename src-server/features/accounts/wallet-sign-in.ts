/**
 * Sign-In-With-X (CAIP-122 as an EIP-4361 message): a payer proves an address to read what that address paid for.
 *
 * Threats: a message signed for another site or environment, one used twice, one kept for later, a line break in a
 * field that makes two messages of one, a date that is written back in another form than the one that was signed. So:
 * origin and path are those of the configured address, never of a header; a nonce works once; a message is good for
 * minutes; fields hold no control characters; the text that is verified is built from the received strings as they
 * are.
 */

import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { z } from 'zod';
import { BASE_PATHS, type Principal } from '../../context.ts';
import type { EnvironmentName } from '../../operation.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { base64Json } from '../../platform/text/json.ts';
import { KIB, MINUTE_MS } from '../../platform/units.ts';
import type { Payments } from '../payments/service.ts';
import { useSignInNonce } from './store.ts';

const HEADER_BYTES_MAX = 8 * KIB;

const AGE_MAX_MS = 5 * MINUTE_MS;

const RESOURCES_MAX = 20;

/** 17 bytes as hexadecimal: letters and digits only, as EIP-4361 wants a nonce. */
const NONCE_BYTES = 17;

const STATEMENT = 'Sign in to read your jobs and webhooks. This costs nothing.';

const Line = z
  .string()
  .max(2048)
  .regex(/^\P{Cc}*$/u);

const SignIn = z.object({
  domain: Line,
  address: Line.regex(/^0x[0-9a-fA-F]{40}$/),
  statement: Line.optional(),
  uri: Line,
  version: z.literal('1'),
  chainId: Line,
  type: z.literal('eip191'),
  nonce: Line.regex(/^[A-Za-z0-9]{8,128}$/),
  issuedAt: Line.pipe(z.iso.datetime({ offset: true })),
  expirationTime: Line.pipe(z.iso.datetime({ offset: true })).optional(),
  notBefore: Line.pipe(z.iso.datetime({ offset: true })).optional(),
  requestId: Line.optional(),
  resources: z.array(Line).max(RESOURCES_MAX).optional(),
  signature: z.string().regex(/^0x([0-9a-fA-F]{2})+$/),
});

type SignIn = z.infer<typeof SignIn>;

interface WalletSignInDeps {
  storage: Storage;
  clock: Clock;
  /** Absolute, ends with the version prefix: http://127.0.0.1:8402/v1. */
  baseUrl(): string;
  payments: Pick<Payments, 'chainId' | 'isMessageSigned'>;
}

export interface WalletSignInChallenge {
  /** An x402 challenge that asks for no money. */
  body: { x402Version: 2; accepts: []; error: string };
  headers: Record<string, string>;
}

/** Sign-in of wallets to one environment. */
export class WalletSignIn {
  readonly #deps: WalletSignInDeps;

  constructor(deps: WalletSignInDeps) {
    this.#deps = deps;
  }

  /**
   * Lower-case address of the wallet that signed the header's message. Errors: `unauthorized`, with what to do;
   * `settlement_unavailable` where only a chain can tell and cannot be asked: the message stays good.
   * @param beforeAsking called before a chain is asked, which costs the owner's quota there; what it throws is thrown
   */
  async verifyWalletHeader(header: string, beforeAsking = async () => {}): Promise<`0x${string}`> {
    const { storage, clock, payments } = this.#deps;
    const message = readHeader(header);
    const expiresAt = checkMessage(message, this.#deps);
    const signed = {
      address: message.address as `0x${string}`,
      message: signInText(message),
      signature: message.signature as `0x${string}`,
    };
    if (!(await payments.isMessageSigned(signed, beforeAsking))) {
      throw walletSignInRefusal(
        'The signature does not fit the message: sign the text of EIP-4361 exactly as its fields say.',
      );
    }
    const address = message.address.toLowerCase() as `0x${string}`;
    const used = { address, nonce: message.nonce, expiresAt };
    if (!storage.transaction((tx) => useSignInNonce(tx, used, clock.now()))) {
      throw walletSignInRefusal('This sign-in was used before: sign a new message with a new nonce.');
    }
    return address;
  }

  /**
   * What a stock client needs to sign in by itself: a 402 with this header and no entry to pay.
   * @param path of a route that needs an account, below the base URL: /webhooks
   */
  walletChallenge(path: string): WalletSignInChallenge {
    const { clock, payments } = this.#deps;
    const baseUrl = this.#deps.baseUrl();
    const url = `${baseUrl}${path}`;
    const now = clock.now();
    const info = {
      domain: new URL(baseUrl).host,
      uri: url,
      statement: STATEMENT,
      version: '1',
      nonce: randomBytes(NONCE_BYTES).toString('hex'),
      issuedAt: toIsoTime(now),
      expirationTime: toIsoTime(now + AGE_MAX_MS),
      resources: [url],
    };
    const body = { x402Version: 2 as const, accepts: [] as [], error: 'Sign in with your wallet' };
    const chains = [{ chainId: payments.chainId, type: 'eip191' }];
    const extension = { info, supportedChains: chains, schema: SIGN_IN_SCHEMA };
    const resource = { url, description: STATEMENT, mimeType: 'application/json' };
    const header = base64Json({ ...body, resource, extensions: { 'sign-in-with-x': extension } });
    return { body, headers: { 'PAYMENT-REQUIRED': header, 'Cache-Control': 'no-store' } };
  }
}

function readHeader(value: string): SignIn {
  if (value.length <= HEADER_BYTES_MAX && /^[A-Za-z0-9+/]+={0,2}$/.test(value)) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
      const parsed = SignIn.safeParse(JSON.parse(text));
      if (parsed.success) return parsed.data;
    } catch {
      // Not JSON: the refusal below says what it should have been.
    }
  }
  throw walletSignInRefusal(
    'SIGN-IN-WITH-X must hold one base64 JSON object with the fields of a Sign-In-With-X message.',
  );
}

/** Gives back when the nonce may be forgotten: once no message with it could pass any more. */
function checkMessage(message: SignIn, { baseUrl, clock, payments: { chainId } }: WalletSignInDeps): number {
  if (!isOurs(message, baseUrl()))
    throw walletSignInRefusal(`The message is for another address: sign one for ${baseUrl()}.`);
  if (message.chainId !== chainId)
    throw walletSignInRefusal(`The message names another chain: sign one for ${chainId}.`);
  const now = clock.now();
  const issuedAt = Date.parse(message.issuedAt);
  const endsAt = message.expirationTime === undefined ? Number.POSITIVE_INFINITY : Date.parse(message.expirationTime);
  const startsAt = message.notBefore === undefined ? 0 : Date.parse(message.notBefore);
  if (Math.abs(now - issuedAt) > AGE_MAX_MS || endsAt <= now || startsAt > now) {
    throw walletSignInRefusal('The message is not valid now: sign a new one, good for five minutes from issuedAt.');
  }
  return issuedAt + AGE_MAX_MS + 1;
}

/**
 * Same origin, and below our own path, so that a sign-in holds for one environment. The origin alone, which clients
 * without a path sign, means production.
 */
function isOurs(message: SignIn, baseUrl: string): boolean {
  if (!URL.canParse(message.uri)) return false;
  const base = new URL(baseUrl);
  const uri = new URL(message.uri);
  if (message.domain !== base.host || uri.origin !== base.origin || uri.username !== '' || uri.password !== '')
    return false;
  if (uri.pathname === '/') return base.pathname === BASE_PATHS.production;
  return uri.pathname === base.pathname || uri.pathname.startsWith(`${base.pathname}/`);
}

/** The text of EIP-4361, from the received strings: written back by a library, dates would lose their form. */
function signInText(message: Omit<SignIn, 'signature' | 'type'>): string {
  const optionalMessageLine = (label: string, value: string | undefined) =>
    value === undefined ? [] : [`${label}: ${value}`];
  return [
    `${message.domain} wants you to sign in with your Ethereum account:`,
    message.address,
    '',
    ...(message.statement ? [message.statement] : []),
    '',
    `URI: ${message.uri}`,
    `Version: ${message.version}`,
    `Chain ID: ${message.chainId.split(':')[1]}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
    ...optionalMessageLine('Expiration Time', message.expirationTime),
    ...optionalMessageLine('Not Before', message.notBefore),
    ...optionalMessageLine('Request ID', message.requestId),
    ...(message.resources ? ['Resources:', ...message.resources.map((resource) => `- ${resource}`)] : []),
  ].join('\n');
}

function walletSignInRefusal(message: string): QuarryError {
  return new QuarryError('unauthorized', message);
}

const SIGN_IN_SCHEMA = z.toJSONSchema(SignIn, { io: 'input' });

/** Stock x402 clients sign in when a 402 asks them to, and never look at a 401: they ask for that one. */
const PREFERS_402 = /(?:^|[,;\s])x402-sign-in\s*=\s*"?402"?(?:$|[,;\s])/i;

/**
 * What a wallet needs to sign in (domain, nonce, times, chain) beside the 401 of a route that needs an account, in the
 * header `PAYMENT-REQUIRED`. Returns a 402 without a price for clients that prefer it.
 */
export function offerSignIn(
  environments: readonly { name: EnvironmentName; signIn: WalletSignIn }[],
  context: Context<HttpEnv>,
): Response | null {
  const principal: Principal | undefined = context.get('principal');
  const { path } = context.req;
  const environment = environments.find(({ name }) => path.startsWith(`${BASE_PATHS[name]}/`));
  if (principal?.kind !== 'anonymous' || environment === undefined) return null;
  const { body, headers } = environment.signIn.walletChallenge(path.slice(BASE_PATHS[environment.name].length));
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return PREFERS_402.test(context.req.header('prefer') ?? '') ? context.json(body, 402) : null;
}

import { z } from 'zod';
import { PRIVATE_NETWORK_SCOPE } from '../../context.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { type Said, say, tell } from '../../platform/text/say.ts';
import type { KeyChoice, KeyStore, NamedKey } from './keys.ts';
import { MAX_REQUESTS_PER_MINUTE } from './schema.ts';

const NAME_CHARS_MAX = 80;

const OPEN_JOBS_MAX = 10_000;

const SCOPES_MAX = 40;

const Time = z.iso.datetime({ precision: 3 });

const Scope = z
  .string()
  .max(60)
  .describe(
    '`read`, `run` (all operations), `run:<operation>` such as `run:crawl`, or `admin`; and `private-network`, which ' +
      'lets requests name hosts of the private network. No other scope includes it.',
  );

const name = z.string().trim().min(1).max(NAME_CHARS_MAX).describe('What uses it. No two keys share a name.');

const scopes = z.array(Scope).min(1).max(SCOPES_MAX);

const requestsPerMinute = z.int().min(1).max(MAX_REQUESTS_PER_MINUTE).nullable().describe('Null for no limit.');

const openJobs = z.int().min(1).max(OPEN_JOBS_MAX).nullable().describe('Unfinished jobs at once; null for no limit.');

const expiresAt = z.iso.datetime({ offset: true }).nullable().describe('In the future; null: never.');

const NewKey = z.strictObject({
  name,
  scopes,
  requestsPerMinute: requestsPerMinute.default(null),
  openJobs: openJobs.default(null),
  expiresAt: expiresAt.default(null),
});

const KeyChange = z.strictObject({
  name: name.optional(),
  scopes: scopes.optional(),
  requestsPerMinute: requestsPerMinute.optional(),
  openJobs: openJobs.optional(),
  expiresAt: expiresAt.optional(),
});

const Key = z
  .object({
    keyId: z.string(),
    name: z.string(),
    shown: z.string().describe('The first characters of the key.'),
    scopes: z.array(Scope),
    requestsPerMinute,
    openJobs,
    createdAt: Time,
    expiresAt: Time.nullable(),
    expired: z.boolean(),
    lastUsedAt: Time.nullable().describe('To within a few minutes; null before the first use.'),
  })
  .meta({ id: 'Key' });

export interface KeyRouteDeps {
  keys: KeyStore;
  operations: readonly { id: string }[];
  now(): number;
}

const route = routesOf<KeyRouteDeps>();

/** A key cannot make or change keys: it could raise itself. */
const owner = { scope: 'owner', tag: 'Keys', auth: 'owner', keyScope: 'owner' } as const;

const ofOne = { ...owner, path: '/keys/{keyId}', params: { keyId: z.string().describe('Identifier of the key.') } };

const EXAMPLE = { name: 'Podcast script', scopes: ['read', 'run:extract/video'] };

/** Named keys of local tools. Mounted under `/admin`, behind the owner check. */
export const ADMIN_KEY_ROUTES = [
  route(
    {
      ...owner,
      method: 'get',
      path: '/keys',
      operationId: 'listKeys',
      summary: 'List the keys',
      description: 'Newest first.',
      answers: { 200: jsonAnswer('All of them.', z.object({ keys: z.array(Key) })) },
    },
    ({ keys }, { context, reply }) => {
      context.header('Cache-Control', 'no-store');
      return reply(200, { keys: keys.listNamedKeys().map((key) => namedKeyView(keys, key)) });
    },
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/keys',
      operationId: 'createKey',
      summary: 'Create a key',
      description:
        'The answer holds the key itself, which cannot be read again. Tools send it as `Authorization: Bearer qk_…`; ' +
        'they act for the owner within its scopes, and their jobs show its name.',
      request: { schema: NewKey, example: EXAMPLE },
      answers: { 201: jsonAnswer('The key.', Key.extend({ key: z.string() })) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async (deps, { context, body, reply }) => {
      const choice = parseKeyChoice(deps, await body()) as KeyChoice;
      const { key, secret } = deps.keys.createNamedKey(choice);
      context.set('audited', { target: key.id });
      context.header('Cache-Control', 'no-store');
      return reply(201, { ...namedKeyView(deps.keys, key), key: secret });
    },
  ),
  route(
    {
      ...ofOne,
      method: 'patch',
      operationId: 'changeKey',
      summary: 'Change a key',
      description: 'Takes effect with the next request.',
      request: { schema: KeyChange, example: { scopes: ['read'] } },
      answers: { 200: jsonAnswer('The key.', Key) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async (deps, { param, body, reply }) => {
      const key = deps.keys.changeNamedKey(param('keyId'), parseKeyChoice(deps, await body()));
      return reply(200, namedKeyView(deps.keys, key));
    },
  ),
  route(
    {
      ...ofOne,
      method: 'delete',
      operationId: 'revokeKey',
      summary: 'Revoke a key',
      description: 'Takes effect at once, and ends what is being sent to it. Its jobs run on.',
      answers: { 204: { description: 'Revoked.' } },
      errors: ['not_found'],
    },
    ({ keys }, { param, end }) => {
      keys.revokeNamedKey(param('keyId'));
      return end(204);
    },
  ),
];

/** Checks what a schema cannot. Errors: `invalid_request` naming the field. */
function parseKeyChoice({ operations, now }: KeyRouteDeps, given: z.output<typeof KeyChange>): Partial<KeyChoice> {
  const known = ['read', 'write', 'run', 'admin', PRIVATE_NETWORK_SCOPE, ...operations.map(({ id }) => `run:${id}`)];
  for (const [index, scope] of (given.scopes ?? []).entries()) {
    if (!known.includes(scope)) throw invalidKeyField(`scopes.${index}`, tell`Give one of ${known.join(', ')}.`);
  }
  const { expiresAt: until, ...rest } = given;
  const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const chosen: Partial<KeyChoice> =
    given.scopes === undefined ? fields : { ...fields, scopes: [...new Set(given.scopes)] };
  if (until === undefined) return chosen;
  const time = until === null ? null : Date.parse(until);
  if (time !== null && time <= now()) throw invalidKeyField('expiresAt', say`Give a time in the future.`);
  return { ...chosen, expiresAt: time };
}

function invalidKeyField(path: string, message: Said): QuarryError {
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] });
}

function namedKeyView(keys: KeyStore, key: NamedKey) {
  return {
    keyId: key.id,
    name: key.name,
    shown: key.shown,
    scopes: [...key.scopes],
    requestsPerMinute: key.requestsPerMinute,
    openJobs: key.openJobs,
    createdAt: toIsoTime(key.createdAt),
    expiresAt: key.expiresAt === null ? null : toIsoTime(key.expiresAt),
    expired: keys.hasKeyExpired(key),
    lastUsedAt: key.lastUsedAt === null ? null : toIsoTime(key.lastUsedAt),
  };
}

import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ownerRequests, type SendAsOwner as Send } from './commands/owner-requests.ts';
import { ConfigError } from './config.ts';
import { systemClock, toIsoTime } from './platform/clock.ts';
import { dataDirFrom } from './platform/files/data-dir.ts';
import { flagProblem } from './platform/flag-errors.ts';
import { DAY_MS } from './platform/units.ts';

/**
 * `quarry key create|list|revoke`: named keys of the running server, over HTTP, because the server holds its keys in
 * memory.
 */
export const KEY_HELP = `Usage:
  quarry key create --name <name> --scope <scope> [--scope <scope> ...] [--expires-days <days>] [--replace]
  quarry key list
  quarry key revoke <name>

A scope is read, run, run:<operation> such as run:crawl, private-network or admin. --replace revokes an earlier key of
the same name. --data-dir names the folder of the server.
`;

const DAYS = /^[1-9]\d{0,3}$/;

const Key = z.object({
  keyId: z.string(),
  name: z.string(),
  shown: z.string(),
  scopes: z.array(z.string()),
  expiresAt: z.string().nullable(),
  expired: z.boolean(),
  lastUsedAt: z.string().nullable(),
});

type Key = z.infer<typeof Key>;

const MadeKey = z.object({ key: z.string(), keyId: z.string() });

interface KeyRequest {
  name: string;
  scopes: readonly string[];
  expiresAt: string | null;
}

/** Writes to standard output; whether it was written. */
type Print = (text: string) => Promise<boolean>;

/**
 * Runs one command; whether its output was written. A new key that could not be written is revoked.
 * @param argv the arguments after `key`. Errors: ConfigError, also when no server answers or it refuses.
 */
export async function keyCommand(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: Print,
): Promise<boolean> {
  const { values, positionals } = parseKeyArguments(argv);
  const [act, ...names] = positionals;
  const send = ownerRequests(dataDirFrom(values['data-dir'], environment), '/admin/keys');
  if (act === 'create' && names.length === 0) {
    const { name, scope: scopes } = values;
    if (name === undefined || scopes === undefined) throw keyUsageError('Give --name and at least one --scope.');
    const request = { name, scopes, expiresAt: expiryOf(values['expires-days']) };
    return createReplacingKey(send, request, values.replace === true, print);
  }
  if (act === 'list' && names.length === 0) return print(formatKeyTable(await keysOf(send)));
  const [name] = names;
  if (act === 'revoke' && name !== undefined && names.length === 1) {
    const key = (await keysOf(send)).find((one) => one.name === name);
    if (key === undefined) throw new ConfigError(`No key is named ${name}. quarry key list shows all keys.`);
    await send('DELETE', `/${key.keyId}`);
    return print(`The key ${name} is revoked.\n`);
  }
  throw keyUsageError('Give create, list, or revoke with the name of one key.');
}

/** With `isReplacing`, the new key takes the name of an earlier one, which is revoked once the new one exists. */
async function createReplacingKey(
  send: Send,
  request: KeyRequest,
  isReplacing: boolean,
  print: Print,
): Promise<boolean> {
  const earlier = isReplacing ? (await keysOf(send)).find((one) => one.name === request.name) : undefined;
  const name = earlier === undefined ? request.name : `Replacement ${randomUUID()}`;
  const { key, keyId } = MadeKey.parse(await send('POST', '', { ...request, name }));
  const isWritten = await print(`${key}\n`);
  if (!isWritten) await send('DELETE', `/${keyId}`);
  else if (earlier !== undefined) {
    await send('DELETE', `/${earlier.keyId}`);
    await send('PATCH', `/${keyId}`, { name: request.name });
  }
  return isWritten;
}

function parseKeyArguments(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    name: text,
    scope: { ...text, multiple: true },
    'expires-days': text,
    'data-dir': text,
    replace: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new ConfigError(flagProblem(error, Object.keys(options), 'quarry key'));
  }
}

function keyUsageError(message: string): ConfigError {
  return new ConfigError(`${message}\n\n${KEY_HELP}`);
}

function expiryOf(days: string | undefined): string | null {
  if (days === undefined) return null;
  if (!DAYS.test(days)) throw new ConfigError('--expires-days: Give a whole number from 1 to 9999.');
  return toIsoTime(systemClock.now() + Number(days) * DAY_MS);
}

async function keysOf(send: Send): Promise<Key[]> {
  return z.object({ keys: z.array(Key) }).parse(await send('GET', '')).keys;
}

function formatKeyTable(keys: readonly Key[]): string {
  const rows = keys.map(({ name, shown, scopes, lastUsedAt, expiresAt, expired }) => [
    name,
    `${shown}...`,
    scopes.join(' '),
    lastUsedAt ?? 'never',
    `${expiresAt ?? 'never'}${expired ? ' (expired)' : ''}`,
  ]);
  const all = [['NAME', 'KEY', 'SCOPES', 'LAST USED', 'EXPIRES'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const formatKeyLine = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return all.map((row) => `${formatKeyLine(row).trimEnd()}\n`).join('');
}

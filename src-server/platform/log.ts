import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { type Logger, pino, stdSerializers } from 'pino';
import { MIB } from './units.ts';

export type { Logger };

/** Fields that may contain secrets, payments or callers' text. They are redacted at any depth. */
const REDACTED = [
  'authorization',
  'cookie',
  'secret',
  'token',
  'privateKey',
  'payment',
  'prompt',
  'text',
  'request',
  'body',
].flatMap((name) => [name, `*.${name}`]);

const CREDENTIALS = /(\bhttps?:\/\/)[^\s/?#@"'<>]+@/gi;
const QUERY = /(\bhttps?:\/\/[^\s?#"'<>]+)[?#][^\s"'<>]*/gi;

/**
 * Buffer for a full disk or a paused reader. Lines beyond it are dropped. Buffered lines are written once there is
 * room.
 */
const WAITING_BYTES_MAX = MIB;

/**
 * Structured lines on standard error, or readable ones: by default on a terminal. Standard output has only the ready
 * line.
 */
export async function createLog(level: string, isReadable = process.stderr.isTTY): Promise<Logger> {
  const out = process.stderr instanceof Socket ? toReader(process.stderr) : toFile();
  // A log that cannot be written (closed terminal, full disk) must not end the server.
  out.on('error', () => undefined);
  const style = { sync: true, ignore: 'pid,hostname', colorize: process.stderr.isTTY };
  const stream = isReadable ? (await import('pino-pretty')).default({ ...style, destination: out }) : out;
  const redact = { paths: REDACTED, censor: '[redacted]' };
  return pino({ level, base: null, redact, serializers: { err: serializeError } }, stream);
}

function toFile() {
  return pino.destination({ dest: 2, sync: true, maxLength: WAITING_BYTES_MAX });
}

/**
 * For a terminal, pipe or socket. Its reader may pause (Ctrl+S, selected text, a pager). A blocking write would then
 * stop the server's thread.
 */
function toReader(reader: Socket): Writable {
  // Node writes to terminals synchronously. Its public API cannot change that.
  (reader as { _handle?: { setBlocking?(on: boolean): number } | null })._handle?.setBlocking?.(false);
  if (reader.listenerCount('error') === 0) reader.on('error', () => undefined);
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      if (reader.writable && reader.writableLength + line.length <= WAITING_BYTES_MAX) reader.write(line);
      done();
    },
  });
}

/** Flushes the log on exit, but never blocks on a paused reader. */
export async function logRead(patienceMs: number): Promise<void> {
  const { stderr } = process;
  if (stderr.writableLength === 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, patienceMs);
  stderr.write('', () => resolve());
  await promise;
  clearTimeout(timer);
}

/**
 * Serialises an error for the log. An error from a thread has its cause as text, which the standard serializer drops.
 * URLs in tool output are shortened.
 */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const serialized = stdSerializers.err(error);
  const whole = typeof error.cause === 'string' ? { ...serialized, cause: error.cause } : serialized;
  return Object.fromEntries(
    Object.entries(whole).map(([name, value]) => [name, typeof value === 'string' ? withoutSecrets(value) : value]),
  );
}

/** Removes credentials and query strings from URLs. A query may contain a signature. */
function withoutSecrets(text: string): string {
  return text.replace(CREDENTIALS, '$1[redacted]@').replace(QUERY, '$1?[redacted]');
}

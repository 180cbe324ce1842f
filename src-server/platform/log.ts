import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';
import { MIB } from './units.ts';

export type { Logger };

/** Fields that may hold a secret, a payment or somebody's text never reach the log, wherever they turn up. */
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
 * What waits for a disk that is full, or for a reader that has paused; what comes then is lost, and what waits is
 * written once there is room.
 */
const WAITING_BYTES_MAX = MIB;

/** Structured lines on standard error (readable ones on a terminal). Standard output belongs to the one ready line. */
export function createLog(level: string): Logger {
  const out = process.stderr instanceof Socket ? toReader(process.stderr) : toFile();
  // A terminal that was closed, a disk that is full: a log that cannot be written is no reason to end the server.
  out.on('error', () => undefined);
  const stream = process.stderr.isTTY ? pretty({ destination: out, sync: true, ignore: 'pid,hostname' }) : out;
  const redact = { paths: REDACTED, censor: '[redacted]' };
  return pino({ level, base: null, redact, serializers: { err: serializeError } }, stream);
}

function toFile() {
  return pino.destination({ dest: 2, sync: true, maxLength: WAITING_BYTES_MAX });
}

/**
 * To a terminal, a pipe or a socket. Whoever reads may pause (Ctrl+S, text that is being marked, a pager): a write that
 * waits for them, on the server's thread, would stop everything that it does.
 */
function toReader(reader: Socket): Writable {
  // Node waits for a terminal. Node's public interface has no way to say otherwise.
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

/** What is still to be said is said, unless its reader has paused: nobody waits for that at the end. */
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
 * An error as the log has it. One that crossed a thread carries its cause as text, which the standard serializer leaves
 * out; and what a program said of an address may repeat the whole of it.
 */
export function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const serialized = stdSerializers.err(error);
  const whole = typeof error.cause === 'string' ? { ...serialized, cause: error.cause } : serialized;
  return Object.fromEntries(
    Object.entries(whole).map(([name, value]) => [name, typeof value === 'string' ? withoutSecrets(value) : value]),
  );
}

/** Addresses without credentials and without their query, which may be a signature: neither is for the log. */
function withoutSecrets(text: string): string {
  return text.replace(CREDENTIALS, '$1[redacted]@').replace(QUERY, '$1?[redacted]');
}

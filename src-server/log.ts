import { type Logger, pino, stdSerializers } from 'pino';
import pretty from 'pino-pretty';

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

/** Structured lines on standard error (readable ones on a terminal). Standard output belongs to the one ready line. */
export function createLog(level: string): Logger {
  const stream = process.stderr.isTTY
    ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true });
  const redact = { paths: REDACTED, censor: '[redacted]' };
  return pino({ level, base: null, redact, serializers: { err: withCause } }, stream);
}

/** An error that crossed a thread carries its cause as text, which the standard serializer leaves out. */
function withCause(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const serialized = stdSerializers.err(error);
  return typeof error.cause === 'string' ? { ...serialized, cause: error.cause } : serialized;
}

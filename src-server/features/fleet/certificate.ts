import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { DAY_MS } from '../../platform/units.ts';

/** The certificate of this machine for its nodes, which pin it: no authority signs it. */
export interface Certificate {
  /** PEM. */
  certificate: string;
  /** PEM. */
  key: string;
}

const YEARS = 10;

const SERIAL_BYTES = 16;

/** A self-signed certificate (RFC 5280) with a P-256 key. Node makes keys and signatures, but no certificates. */
export function makeCertificate(now: number): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = derSequence(derObjectIdentifier(ECDSA_WITH_SHA256));
  const name = derSequence(
    encodeDer(SET, derSequence(derObjectIdentifier(COMMON_NAME), encodeDer(UTF8, Buffer.from('Quarry')))),
  );
  const tbs = derSequence(
    encodeDer(EXPLICIT_0, derInteger(Buffer.from([2]))),
    derInteger(Buffer.concat([Buffer.from([1]), randomBytes(SERIAL_BYTES)])),
    algorithm,
    name,
    // Clocks of nodes may be wrong.
    derSequence(derUtcTime(now - DAY_MS), derUtcTime(now + YEARS * 365 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    encodeDer(EXPLICIT_3, derSequence(isAuthority(), alternativeName())),
  );
  const signature = sign('sha256', tbs, privateKey);
  const whole = derSequence(tbs, algorithm, encodeDer(BIT_STRING, Buffer.concat([Buffer.from([0]), signature])));
  return {
    certificate: encodePem('CERTIFICATE', whole),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTETS = 0x04;
const OID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;
const DNS_NAME = 0x82;
const EXPLICIT_0 = 0xa0;
const EXPLICIT_3 = 0xa3;

const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const COMMON_NAME = [0x55, 0x04, 0x03];
const BASIC_CONSTRAINTS = [0x55, 0x1d, 0x13];
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];

const SHORT_LENGTH_MAX = 0x7f;

function encodeDer(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length <= SHORT_LENGTH_MAX) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length > 0xff ? [length >> 8, length & 0xff] : [length];
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content]);
}

function derSequence(...parts: Buffer[]): Buffer {
  return encodeDer(SEQUENCE, Buffer.concat(parts));
}

function derInteger(bytes: Buffer): Buffer {
  return encodeDer(INTEGER, bytes);
}

function derObjectIdentifier(bytes: readonly number[]): Buffer {
  return encodeDer(OID, Buffer.from(bytes));
}

function derUtcTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return encodeDer(UTC_TIME, Buffer.from(`${digits}Z`));
}

function isAuthority(): Buffer {
  const yes = encodeDer(BOOLEAN, Buffer.from([0xff]));
  return derSequence(derObjectIdentifier(BASIC_CONSTRAINTS), yes, encodeDer(OCTETS, derSequence(yes)));
}

function alternativeName(): Buffer {
  return derSequence(
    derObjectIdentifier(SUBJECT_ALT_NAME),
    encodeDer(OCTETS, derSequence(encodeDer(DNS_NAME, Buffer.from('quarry')))),
  );
}

const PEM_LINE = 64;

function encodePem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${PEM_LINE}}`, 'g')) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

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
  const algorithm = sequence(oid(ECDSA_WITH_SHA256));
  const name = sequence(der(SET, sequence(oid(COMMON_NAME), der(UTF8, Buffer.from('Quarry')))));
  const tbs = sequence(
    der(EXPLICIT_0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(SERIAL_BYTES)])),
    algorithm,
    name,
    // Clocks of nodes may be wrong.
    sequence(time(now - DAY_MS), time(now + YEARS * 365 * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXPLICIT_3, sequence(isAuthority(), alternativeName())),
  );
  const signature = sign('sha256', tbs, privateKey);
  const whole = sequence(tbs, algorithm, der(BIT_STRING, Buffer.concat([Buffer.from([0]), signature])));
  return {
    certificate: pem('CERTIFICATE', whole),
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

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length <= SHORT_LENGTH_MAX) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length > 0xff ? [length >> 8, length & 0xff] : [length];
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(SEQUENCE, Buffer.concat(parts));
}

function integer(bytes: Buffer): Buffer {
  return der(INTEGER, bytes);
}

function oid(bytes: readonly number[]): Buffer {
  return der(OID, Buffer.from(bytes));
}

function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${digits}Z`));
}

function isAuthority(): Buffer {
  const yes = der(BOOLEAN, Buffer.from([0xff]));
  return sequence(oid(BASIC_CONSTRAINTS), yes, der(OCTETS, sequence(yes)));
}

function alternativeName(): Buffer {
  return sequence(oid(SUBJECT_ALT_NAME), der(OCTETS, sequence(der(DNS_NAME, Buffer.from('quarry')))));
}

const PEM_LINE = 64;

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(new RegExp(`.{1,${PEM_LINE}}`, 'g')) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

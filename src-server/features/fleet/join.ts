import { nkeys } from '@nats-io/transport-node';
import { QuarryError } from '../../platform/errors.ts';
import { tell } from '../../platform/text/say.ts';

/** The address that a node joins with: where the control node is, how to know it, and the node's own key. */
export interface JoinAddress {
  host: string;
  port: number;
  node: string;
  /** Secret half of the node's key pair (nkey seed). */
  seed: string;
  /** SHA-256 of the control node's certificate, in hexadecimal. */
  fingerprint: string;
}

const CODE = /^([\w-]{5,60})\.(SU[A-Z2-7]{50,60})\.([0-9a-f]{64})$/;

export function writeJoin({ host, port, node, seed, fingerprint }: JoinAddress): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `quarry://${name}:${port}/#${node}.${seed}.${fingerprint}`;
}

/** Errors: `invalid_request`. */
export function readJoin(text: string): JoinAddress {
  const url = URL.parse(text.trim());
  const match = CODE.exec(url?.hash.slice(1) ?? '');
  if (url?.protocol !== 'quarry:' || url.hostname === '' || url.port === '' || match === null) {
    const message = tell`Give the whole address that the settings show for a new node: quarry://<host>:<port>/#…`;
    throw new QuarryError('invalid_request', `--join: ${message}`, { fields: [{ path: 'join', message }] });
  }
  const [, node = '', seed = '', fingerprint = ''] = match;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port), node, seed, fingerprint };
}

export function newKeyPair(): { publicKey: string; seed: string } {
  const pair = nkeys.createUser();
  return { publicKey: pair.getPublicKey(), seed: new TextDecoder().decode(pair.getSeed()) };
}

export function publicKeyOf(seed: string): string {
  return nkeys.fromSeed(new TextEncoder().encode(seed)).getPublicKey();
}

export function signWith(seed: string, text: string): string {
  const pair = nkeys.fromSeed(new TextEncoder().encode(seed));
  return Buffer.from(pair.sign(new TextEncoder().encode(text))).toString('base64url');
}

/** What a node signs to join. */
export function joinText(node: string, version: string): string {
  return `join ${node} ${version}`;
}

export function isSignedWith(publicKey: string, text: string, signature: string): boolean {
  try {
    const bytes = new Uint8Array(Buffer.from(signature, 'base64url'));
    return nkeys.fromPublic(publicKey).verify(new TextEncoder().encode(text), bytes);
  } catch {
    return false;
  }
}

import { randomBytes } from 'node:crypto';

/** An id grants read access to its object, so every id has 160 random bits. */
const ID_BYTES = 20;

export type IdPrefix =
  | 'job'
  | 'crl'
  | 'txt'
  | 'whk'
  | 'dlv'
  | 'ctb'
  | 'req'
  | 'pay'
  | 'upl'
  | 'run'
  | 'inb'
  | 'sel'
  | 'ses'
  | 'dwl';

/** Random bytes are drawn for many ids at once, since each draw is a system call. No byte is used twice. */
const DRAWN_IDS = 256;

let drawn = Buffer.alloc(0);
let used = 0;

export function newId(prefix: IdPrefix): string {
  if (used === drawn.length) {
    drawn = randomBytes(ID_BYTES * DRAWN_IDS);
    used = 0;
  }
  const id = drawn.toString('base64url', used, used + ID_BYTES);
  used += ID_BYTES;
  return `${prefix}_${id}`;
}

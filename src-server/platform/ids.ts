import { randomBytes } from 'node:crypto';

/** An id grants read access to its object, so every id has 160 random bits. */
const ID_BYTES = 20;

/** Random bytes are drawn for many ids at once: most of the cost is the call. */
const IDS_PER_DRAW = 256;

let drawn = Buffer.alloc(0);
let used = 0;

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
  | 'key'
  | 'dwl'
  | 'wch'
  | 'fld'
  | 'fle'
  | 'fed'
  | 'bat'
  | 'vce'
  | 'nod'
  | 'alr'
  | 'itm'
  | 'col'
  | 'not'
  | 'mir'
  | 'rdg'
  | 'lsf';

export function newId(prefix: IdPrefix): string {
  if (used === drawn.length) {
    drawn = randomBytes(ID_BYTES * IDS_PER_DRAW);
    used = 0;
  }
  used += ID_BYTES;
  return `${prefix}_${drawn.toString('base64url', used - ID_BYTES, used)}`;
}

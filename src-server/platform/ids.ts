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
  | 'key'
  | 'dwl'
  | 'wch'
  | 'fld'
  | 'fle'
  | 'fed'
  | 'bat'
  | 'vce'
  | 'nod'
  | 'alr';

export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`;
}

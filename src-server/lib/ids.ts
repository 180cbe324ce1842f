import { randomBytes } from 'node:crypto';

/** Knowing an id is the right to read what it names, so every id carries 160 random bits. */
const ID_BYTES = 20;

export type IdPrefix = 'job' | 'crl' | 'txt' | 'whk' | 'dlv' | 'ctb' | 'req' | 'pay' | 'upl' | 'run' | 'inb' | 'sel';

export function newId(prefix: IdPrefix): string {
  return `${prefix}_${randomBytes(ID_BYTES).toString('base64url')}`;
}

import { QuarryError } from '../../../src-server/platform/errors.ts';

/** @param why a sentence */
export function unknownEncryption(why: string): QuarryError {
  return new QuarryError('encrypted_input', `${why} Save a copy without a password and send that.`);
}

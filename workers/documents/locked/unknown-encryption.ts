import { QuarryError } from '../../../src-server/platform/errors.ts';
import { type Said, say } from '../../../src-server/platform/text/say.ts';

/** @param why a sentence */
export function unknownEncryption(why: Said): QuarryError {
  return new QuarryError('encrypted_input', say`${why} Save a copy without a password and send that.`);
}

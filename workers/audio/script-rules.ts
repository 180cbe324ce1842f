import { QuarryError } from '../../src-server/platform/errors.ts';
import type { Said } from '../../src-server/platform/text/say.ts';

/** Of a pause that a script asks for. */
export const PAUSE_SECONDS_MAX = 10;

export function invalidPrompt(message: Said): QuarryError {
  return new QuarryError('invalid_request', `prompt: ${message}`, { fields: [{ path: 'prompt', message }] });
}

import { QuarryError } from '../../src-server/platform/errors.ts';

/** Of a pause that a script asks for. */
export const PAUSE_SECONDS_MAX = 10;

export function invalidPrompt(message: string): QuarryError {
  return new QuarryError('invalid_request', `prompt: ${message}`, { fields: [{ path: 'prompt', message }] });
}

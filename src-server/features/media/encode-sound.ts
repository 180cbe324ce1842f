import { stat } from 'node:fs/promises';
import type { EncodeSoundInput } from '../../../workers/media/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import { say } from '../../platform/text/say.ts';
import { MIB, MINUTE_MS } from '../../platform/units.ts';
import type { MediaReader } from './media-reader.ts';

/** Five minutes of sound take two seconds. */
const LIMIT_MS = 2 * MINUTE_MS;

/** Half a minute of sound. */
const LIMIT_MS_PER_MIB = 500;

/**
 * Encodes a .wav of this server as opus, flac, aac or m4b, and returns the size in bytes. Errors: `engine_failed`,
 * `timeout`, and the signal's reason.
 */
export type EncodeSound = (input: EncodeSoundInput, signal: AbortSignal) => Promise<number>;

export function createSoundEncoder(media: MediaReader): EncodeSound {
  return async (input, signal) => {
    const what = `Encoding ${input.format}`;
    const { size } = await stat(input.path);
    const timeLimitMs = LIMIT_MS + (size / MIB) * LIMIT_MS_PER_MIB;
    try {
      return await media.use((program) => program.encodeSound(input), { signal, timeLimitMs, what });
    } catch (error) {
      if (!(error instanceof QuarryError) || error.code === 'timeout') throw error;
      const message = say`The sound could not be encoded as ${input.format}. Choose another format.`;
      throw new QuarryError('engine_failed', message, { cause: error });
    }
  };
}

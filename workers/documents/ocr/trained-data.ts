import { readFile, stat } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import type { RecognitionModel } from '../../tasks.ts';

/** The largest trained data there is (Tamil, Chinese of the best quality) has a fifth of this. */
const TRAINED_DATA_MAX_BYTES = 100 * MIB;

/** The bytes tesseract loads. Errors: `model_not_installed`. */
export async function readTrainedData({ name, path }: RecognitionModel): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > TRAINED_DATA_MAX_BYTES) throw new RangeError(`${size} bytes are no trained data.`);
    const bytes = await readFile(path);
    return path.endsWith('.gz') ? gunzipSync(bytes, { maxOutputLength: TRAINED_DATA_MAX_BYTES }) : bytes;
  } catch (cause) {
    throw unusableModel(name, cause);
  }
}

export function unusableModel(name: string, cause: unknown): QuarryError {
  const message = `The recognition data of the language ${name} cannot be read. Install it again on the Models page.`;
  return new QuarryError('model_not_installed', message, { cause });
}

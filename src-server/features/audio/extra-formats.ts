import { stat } from 'node:fs/promises';
import type { JobFiles } from '../../operation.ts';
import type { EncodeSound } from '../media/service.ts';
import type { AudioRequest, AudioResult } from './schema.ts';

type Extra = AudioRequest['formats'][number];

const MEDIA_TYPES = { opus: 'audio/ogg', flac: 'audio/flac', m4b: 'audio/mp4', midi: 'audio/midi' } as const;

interface Sound {
  files: JobFiles;
  /** Without extension. */
  name: string;
  tags: Record<string, string>;
  chapters: { title: string; startSeconds: number; endSeconds: number | null }[];
}

interface Extras {
  audio: Partial<AudioResult['audio']>;
  files: AudioResult['files'];
}

/** Encodes the finished .wav into the further formats. A .mid exists only where the sound was composed. */
export async function encodeExtras(
  encode: EncodeSound,
  formats: readonly Extra[],
  { files, name, tags, chapters }: Sound,
  signal: AbortSignal,
): Promise<Extras> {
  const extras: Extras = { audio: {}, files: [] };
  for (const format of new Set(formats)) {
    const fileName = format === 'midi' ? `${name}.mid` : `${name}.${format}`;
    const targetPath = files.pathOf(fileName);
    const path = files.pathOf(`${name}.wav`);
    const sizeBytes =
      format === 'midi'
        ? await encodedFileSize(targetPath)
        : await encode({ path, targetPath, format, tags, chapters }, signal);
    if (sizeBytes === null) continue;
    const url = files.urlOf(fileName);
    extras.audio[format] = { url, sizeBytes, mediaType: MEDIA_TYPES[format] };
    extras.files.push({ name: fileName, url });
  }
  return extras;
}

function encodedFileSize(path: string): Promise<number | null> {
  return stat(path).then(
    ({ size }) => size,
    () => null,
  );
}

/**
 * The words of a short piece of sound, without a job: what somebody dictates, or says while it is recorded. Nothing of
 * it is kept.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { VideoEngine } from './service.ts';

const ACCOUNT = 'dictation';

/** Pieces that are heard at once; others are refused, so that a slow computer does not fall ever further behind. */
const AT_ONCE = 2;

/** Words alone. */
const PLAIN = { segmentLength: 900, captureFrames: false, frameIntervalSeconds: 30 };

export interface HeardPiece {
  text: string;
  language: string | null;
}

export type HearPiece = (
  upload: Pick<Upload, 'path' | 'kind' | 'sizeBytes' | 'fileName'>,
  language: string | undefined,
  signal: AbortSignal,
) => Promise<HeardPiece>;

/** @returns a function whose errors are `rate_limited` while others are heard, and those of `VideoEngine.extract` */
export function createPieceListener(engine: () => Promise<VideoEngine>): HearPiece {
  let running = 0;
  return async (upload, language, signal) => {
    if (running >= AT_ONCE) throw new QuarryError('rate_limited', 'Other pieces are being heard. Send it again later.');
    running += 1;
    const folder = await mkdtemp(join(tmpdir(), 'quarry-piece-'));
    try {
      const { path, kind, sizeBytes, fileName } = upload;
      const options = { ...PLAIN, ...omitUndefined({ language }) };
      const job = {
        accountId: ACCOUNT,
        filesFolder: folder,
        workFolder: join(folder, 'work'),
        choices: {},
        spentSeconds: 0,
        urlOf: (name: string) => name,
        progress: () => undefined,
        emit: () => undefined,
      };
      const videos = await engine();
      const { segments, transcript } = await videos.extract({ path, kind, sizeBytes, fileName }, options, job, signal);
      return { text: segments.map(({ text }) => text.trim()).join(' '), language: transcript.language };
    } finally {
      running -= 1;
      await rm(folder, { recursive: true, force: true });
    }
  };
}

/**
 * Voices that the owner asked to remember. Nothing of a voice is stored before that: its print is made from the kept
 * recording when it is asked for. Only jobs of the same account are compared with them.
 */

import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpeakerSoundOutput } from '../../../workers/media/tasks.ts';
import { OWNER } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import { Mutex } from '../../platform/concurrency.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { storedResult } from '../jobs/service.ts';
import { extractAudio, SAMPLE_RATE } from './extract-audio.ts';
import type { MediaReader } from './media-reader.ts';
import { probeMedia } from './probe.ts';
import type { RememberedVoice } from './schema.ts';
import { chooseSpeakerModel, cosineSimilarity, type JobVoices, type SpeakerModelFiles } from './speakers.ts';
import { changeVoice, deleteVoice, insertVoice, type VoiceRow, voicesOfAccount } from './store.ts';

const READ_LIMIT_MS = 2 * MINUTE_MS;

/** Every job compares its speakers with all of them. */
const VOICES_MAX = 200;

/**
 * A new sample of a voice is of another person where it is this much less like the earlier ones than its own pieces are
 * like each other: half of what voices of different people lack.
 */
const OTHER_PERSON_LACKS = 0.25;

const UNNAMED = /^Speaker \d+$/;

interface RememberedVoicesDeps {
  storage: Storage;
  clock: Clock;
  runTask: RunTask;
  media: MediaReader;
  speakers: SpeakerModelFiles;
  folders: { sourceFolderPath(jobId: string): string; workFolderPath(jobId: string): string };
}

interface Sample {
  vector: number[];
  seconds: number;
  /** Of its own pieces. */
  likeness: number;
}

interface SpeakerSound extends Pick<SpeakerSoundOutput, 'trackNumber' | 'ranges'> {
  speaker: string;
}

export class RememberedVoices {
  readonly #deps: RememberedVoicesDeps;
  /** One at a time: jobs go first. */
  readonly #mutex = new Mutex();

  constructor(deps: RememberedVoicesDeps) {
    this.#deps = deps;
  }

  /** By name. */
  rememberedVoiceList(): RememberedVoice[] {
    return voicesOfAccount(this.#deps.storage.db, OWNER.accountId).map(rememberedVoiceView);
  }

  /** Errors: `not_found`. */
  forgetRememberedVoice(id: string): void {
    const wasThere = this.#deps.storage.transaction((tx) => deleteVoice(tx, OWNER.accountId, id));
    if (!wasThere) throw new QuarryError('not_found', 'No voice with this id is remembered.');
  }

  /**
   * Remembers the voice of a named speaker. A further sample of a remembered name refines it. Errors: `conflict` for a
   * job of another account, without speakers or without its recording, for too little speech and for another voice of
   * that name; `invalid_request`, `model_not_installed`, and those of reading the recording.
   */
  async rememberSpeakerVoice(job: { id: string; account_id: string }, speaker: string, signal: AbortSignal) {
    if (job.account_id !== OWNER.accountId) {
      throw new QuarryError('conflict', 'Only voices of your own recordings can be remembered.');
    }
    if (UNNAMED.test(speaker)) {
      throw invalidRequest([
        { path: 'speaker', message: say`Give the speaker a name first, then remember the voice.` },
      ]);
    }
    return this.#mutex.runExclusive(async () => {
      signal.throwIfAborted();
      const model = await chooseSpeakerModel(this.#deps.speakers);
      const sound = await this.#soundOf(job.id, speaker, signal);
      const print = await this.#printOf(job.id, model, sound, signal);
      return this.#keepVoiceSample({ name: speaker, model: model.name, ...print });
    });
  }

  /** For a job of this account. */
  accountVoices(accountId: string): JobVoices {
    const { storage, clock } = this.#deps;
    return {
      all: () => voicesOfAccount(storage.db, accountId).map((row) => ({ ...row, vector: vectorOf(row) })),
      heard: (ids) => {
        if (ids.length === 0) return;
        storage.transaction((tx) => {
          for (const id of ids) changeVoice(tx, id, { heard_at: clock.now() });
        });
      },
    };
  }

  async #soundOf(jobId: string, speaker: string, signal: AbortSignal): Promise<SpeakerSound> {
    const { storage, runTask, folders } = this.#deps;
    const stored = storedResult(storage.db, jobId);
    const input = { result: stored?.body ?? '{}', speaker };
    const limits = { signal, accountId: OWNER.accountId, timeLimitMs: READ_LIMIT_MS };
    const { speakers, trackNumber, ranges } = await runTask('speaker-sound', input, limits);
    if (speakers.length === 0) {
      throw new QuarryError('conflict', 'The job has no speakers. Run it again with the option speakers.');
    }
    if (!speakers.includes(speaker)) {
      const message = say`No speaker has this name. The speakers are: ${speakers.join(', ')}.`;
      throw invalidRequest([{ path: 'speaker', message }]);
    }
    if (ranges.length === 0) throw tooLittle(speaker);
    if (!existsSync(folders.sourceFolderPath(jobId))) {
      const message = 'The job keeps no recording. Send the file itself to /extract/video, then remember the voice.';
      throw new QuarryError('conflict', message);
    }
    return { speaker, trackNumber, ranges };
  }

  /** Decodes the recording up to the last piece that is needed. */
  async #printOf(
    jobId: string,
    model: { segmentation: string; embedding: string },
    { speaker, trackNumber, ranges }: SpeakerSound,
    signal: AbortSignal,
  ): Promise<Sample> {
    const { media, runTask, folders } = this.#deps;
    const path = folders.sourceFolderPath(jobId);
    const folder = join(folders.workFolderPath(jobId), 'remembered-voice');
    const pcmPath = join(folder, 'audio.pcm');
    try {
      await mkdir(folder, { recursive: true });
      const probe = await probeMedia(media, path, signal);
      const durationSeconds = Math.max(...ranges.map(([, end]) => end));
      const needed = { ...probe, durationSeconds, durationIsGuessed: false };
      const watch = { signal, onProgress: () => undefined };
      await extractAudio(media, { clockRunsOn: false, path, probe: needed, trackNumber }, pcmPath, watch);
      const pieces = ranges.map(([from, to]): [number, number] => [
        Math.round(from * SAMPLE_RATE),
        Math.round(to * SAMPLE_RATE),
      ]);
      const { vector, ...facts } = await runTask(
        'print-voice',
        { model, pcmPath, sampleRate: SAMPLE_RATE, pieces, threads: 1 },
        { signal, accountId: OWNER.accountId, timeLimitMs: READ_LIMIT_MS },
      );
      if (vector === null) throw tooLittle(speaker);
      return { vector, ...facts };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #keepVoiceSample(sample: Sample & { name: string; model: string }): RememberedVoice {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    return storage.transaction((tx) => {
      const all = voicesOfAccount(tx, OWNER.accountId);
      const before = all.find(({ name, model }) => name === sample.name && model === sample.model);
      if (before === undefined) {
        if (all.length >= VOICES_MAX) {
          throw new QuarryError('conflict', `At most ${VOICES_MAX} voices can be remembered. Forget one first.`);
        }
        const { name, model, seconds } = sample;
        const times = { created_at: now, heard_at: now };
        const row: VoiceRow = {
          id: newId('vce'),
          account_id: OWNER.accountId,
          name,
          model,
          seconds,
          samples: 1,
          ...times,
          vector: vectorBytes(sample.vector),
        };
        insertVoice(tx, row);
        return rememberedVoiceView(row);
      }
      const known = vectorOf(before);
      // Not less than: vectors of different lengths are not alike either.
      if (!(cosineSimilarity(known, sample.vector) >= sample.likeness - OTHER_PERSON_LACKS)) {
        const message = `Another voice is remembered as ${sample.name}. Forget it, or give this speaker another name.`;
        throw new QuarryError('conflict', message);
      }
      const change = {
        vector: vectorBytes(meanOf(known, before.seconds, sample)),
        seconds: before.seconds + sample.seconds,
        samples: before.samples + 1,
        heard_at: now,
      };
      changeVoice(tx, before.id, change);
      return rememberedVoiceView({ ...before, ...change });
    });
  }
}

function tooLittle(speaker: string): QuarryError {
  const message = `${speaker} speaks too little to be recognised again: at least 3 seconds in sentences are needed.`;
  return new QuarryError('conflict', message);
}

/** Weighted by seconds; only the direction counts. */
function meanOf(known: Float32Array, seconds: number, sample: { vector: number[]; seconds: number }): number[] {
  const sum = sample.vector.map((value, index) => value * sample.seconds + (known[index] ?? 0) * seconds);
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}

function vectorBytes(vector: readonly number[]): Uint8Array {
  return Buffer.from(new Float32Array(vector).buffer);
}

function vectorOf({ vector }: VoiceRow): Float32Array {
  return new Float32Array(Uint8Array.from(vector).buffer);
}

function rememberedVoiceView(row: VoiceRow): RememberedVoice {
  const { id, name, model, samples } = row;
  const voiceIsoTime = (time: number) => new Date(time).toISOString();
  const seconds = Math.round(row.seconds * 10) / 10;
  return {
    id,
    name,
    model,
    samples,
    seconds,
    createdAt: voiceIsoTime(row.created_at),
    lastHeardAt: voiceIsoTime(row.heard_at),
  };
}

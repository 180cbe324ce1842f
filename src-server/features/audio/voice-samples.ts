/** How each voice sounds, spoken the first time somebody asks and kept as a file until the voice is another one. */
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LOUDNESS_PRESETS, QuarryError } from '../../contract/index.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { SpeakingVoice, Voices } from './voices.ts';

const SAMPLE_LIMIT_MS = 30 * SECOND_MS;
const SAMPLE_SECONDS_MAX = 12;
const IDENTITY_HEX_CHARS = 16;

export interface VoiceSampleParts {
  runTask: RunTask;
  voices(): Promise<Voices>;
  /** Holds samples and nothing else; made where it is missing. */
  folder: string;
}

/** Path of a voice's sample. Errors: `not_found`; `engine_unavailable` for a voice that cannot speak now. */
export function createVoiceSamples({ runTask, voices, folder }: VoiceSampleParts): (slug: string) => Promise<string> {
  /** By name. One that failed is tried again by whoever asks next. */
  const speaking = new Map<string, Promise<void>>();
  return async (slug) => {
    const voice = (await voices()).find((candidate) => candidate.slug === slug);
    if (voice === undefined) throw new QuarryError('not_found', 'There is no such voice. GET /voices lists them.');
    const name = `${slug}.${await identityOf(voice)}`;
    const path = join(folder, `${name}.wav`);
    if (!(await isThere(path))) {
      const spoken = speaking.get(name) ?? speak(runTask, voice, folder, name).finally(() => speaking.delete(name));
      speaking.set(name, spoken);
      await spoken;
    }
    return path;
  };
}

/** What the sample depends on, and nothing secret: another key, or more threads, speak with the same voice. */
async function identityOf(voice: SpeakingVoice): Promise<string> {
  return canonicalHash([textOf(voice), await engineOf(voice)]).slice(0, IDENTITY_HEX_CHARS);
}

function textOf({ name, description }: SpeakingVoice): string {
  return `Hello, my name is ${name}. ${description}`;
}

async function engineOf({ speaker }: SpeakingVoice): Promise<unknown> {
  switch (speaker.engine) {
    case 'flite':
      return speaker;
    case 'vits':
      return { engine: speaker.engine, files: await filesOf(speaker.modelFolder) };
    case 'server': {
      const { engine, url, model, voice } = speaker;
      return { engine, url, model, voice };
    }
  }
}

/** Files that were put in the place of others have another size or time. */
async function filesOf(folder: string): Promise<unknown[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      // Null for a link to nothing, which may lie there as well.
      const file = await stat(join(folder, name)).catch(() => null);
      return [name, file?.size ?? null, file?.mtimeMs ?? null];
    }),
  );
}

/** The file takes its name once it is whole; what was spoken by this voice before it changed goes. */
async function speak(runTask: RunTask, voice: SpeakingVoice, folder: string, name: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = `${name}.unfinished`;
  const input = {
    text: textOf(voice),
    speaker: voice.speaker,
    maxSeconds: SAMPLE_SECONDS_MAX,
    endsAnywhere: false,
    includeCaptions: false,
    outputFolder: folder,
    fileName: unfinished,
    title: voice.name,
    goal: LOUDNESS_PRESETS.podcast,
  };
  await runTask('render-speech', input, { accountId: 'voices', timeLimitMs: SAMPLE_LIMIT_MS }).catch(unavailable);
  await rename(join(folder, `${unfinished}.wav`), join(folder, `${name}.wav`));
  // A slug has no dot: no other voice's files begin like this.
  const stale = (await readdir(folder)).filter((file) => file.startsWith(`${voice.slug}.`) && file !== `${name}.wav`);
  for (const file of stale) await rm(join(folder, file), { force: true });
}

/** A voice that is broken, or whose server is away, is no fault of this server's: whoever asks may ask again. */
function unavailable(error: unknown): never {
  if (!(error instanceof QuarryError) || error.code !== 'engine_failed') throw error;
  throw new QuarryError('engine_unavailable', error.message, { cause: error });
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

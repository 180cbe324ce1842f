/** The available voices: bundled ones, neural voices in the models folder, and those of a configured speech server. */

import { access, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Speaker } from '../../../workers/audio/tasks.ts';
import type { Settings } from '../../config.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { LOUDNESS_PRESETS, VoiceSlug } from './schema.ts';

const SLUG_CHARS_MAX = 40;

const PresetVoice = z.strictObject({
  slug: VoiceSlug,
  name: z.string(),
  language: z.string(),
  description: z.string(),
  tones: z.array(z.string().regex(/^[a-z]+$/)),
  flite: z.strictObject({
    voice: z.enum(['slt', 'rms', 'awb', 'kal16']),
    stretch: z.number().min(0.5).max(2),
    pitchHz: z.number().min(50).max(400).nullable(),
  }),
});

export interface SpeakingVoice {
  slug: string;
  name: string;
  /** BCP 47; `und` when unknown. */
  language: string;
  description: string;
  tones: readonly string[];
  speaker: Speaker;
}

/** The first is the default. */
export type Voices = readonly [SpeakingVoice, ...SpeakingVoice[]];

/** Reads `resources/voices.json`. An invalid file is a start-up error. */
export async function readVoices(file: URL): Promise<Voices> {
  const [first, ...others] = z.tuple([PresetVoice], PresetVoice).parse(JSON.parse(await readFile(file, 'utf8')));
  const voices: Voices = [presetVoice(first), ...others.map(presetVoice)];
  if (new Set(voices.map(({ slug }) => slug)).size < voices.length) throw new Error('Two voices have the same slug.');
  return voices;
}

function presetVoice({ flite, ...voice }: z.infer<typeof PresetVoice>): SpeakingVoice {
  return { ...voice, speaker: { engine: 'flite', ...flite } };
}

interface InstalledVoice {
  name: string;
  language: string | null;
  path: string;
}

export interface VoiceSources {
  presets: Voices;
  installed(): Promise<readonly InstalledVoice[]>;
  /** Names of voices that can be installed. */
  offered(): readonly string[];
  server(): Pick<Settings, 'speechServerUrl' | 'speechServerModel' | 'speechServerVoices'>;
  /** Key for the speech server. It never appears in settings, responses or logs. */
  serverKey: string | undefined;
}

/** All voices available now, bundled ones first. */
export async function allVoices(sources: VoiceSources): Promise<Voices> {
  const [first, ...presets] = sources.presets;
  const installed = (await sources.installed()).map(installedVoice);
  const seen = new Set<string>();
  const [, ...others] = [first, ...presets, ...installed, ...serverVoices(sources)].filter(({ slug }) => {
    const isNew = !seen.has(slug);
    seen.add(slug);
    return isNew;
  });
  return [first, ...others];
}

function installedVoice({ name, language, path }: InstalledVoice): SpeakingVoice {
  return {
    slug: voiceSlug(name),
    name,
    language: language ?? 'und',
    description: 'A neural voice of the models folder.',
    tones: [],
    speaker: { engine: 'vits', modelFolder: path, threads: Math.max(1, availableParallelism() - 1) },
  };
}

/** Slug of a voice in the models folder. */
export function voiceSlug(name: string): string {
  return slugOf(`voice-${name}`);
}

function serverVoices({ server, serverKey }: VoiceSources): SpeakingVoice[] {
  const { speechServerUrl, speechServerModel, speechServerVoices } = server();
  if (speechServerUrl === null) return [];
  const url = speechServerUrl.replace(/\/+$/, '');
  return speechServerVoices.map((voice) => ({
    slug: slugOf(`server-${voice}`),
    name: voice,
    language: 'und',
    description: 'A voice of the speech server.',
    tones: [],
    speaker: { engine: 'server', url, model: speechServerModel, voice, key: serverKey ?? null },
  }));
}

function slugOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replace(/-+$/, '');
}

/** The voice that shares most words with the prompt; the first one of equals. */
export function voiceForTone(voices: Voices, prompt: string): SpeakingVoice {
  const words = new Set(prompt.toLowerCase().match(/[a-z]+/g) ?? []);
  let best = voices[0];
  let bestScore = 0;
  for (const voice of voices) {
    const score = voice.tones.filter((tone) => words.has(tone)).length;
    if (score > bestScore) [best, bestScore] = [voice, score];
  }
  return best;
}

/** Voice samples, rendered on first use and cached as files until the voice changes. */
const SAMPLE_LIMIT_MS = 30 * SECOND_MS;

const SAMPLE_SECONDS_MAX = 12;

const IDENTITY_HEX_CHARS = 16;

interface VoiceSampleDeps {
  runTask: RunTask;
  voices(): Promise<Voices>;
  /** Contains only samples. Created when missing. */
  folder: string;
}

/** Path of a voice sample. Errors: `not_found`; `engine_unavailable` for a voice that cannot speak now. */
export function createVoiceSamples({ runTask, voices, folder }: VoiceSampleDeps): (slug: string) => Promise<string> {
  /** Single-flight by name. After a failure, the next caller retries. */
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

/** What the sample depends on, without secrets: a changed key or thread count gives the same voice. */
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

/** Size and modification time of each file, which show a replaced file. */
async function filesOf(folder: string): Promise<unknown[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      // Null for a dangling link.
      const file = await stat(join(folder, name)).catch(() => null);
      return [name, file?.size ?? null, file?.mtimeMs ?? null];
    }),
  );
}

/** Writes the sample atomically and removes the samples of earlier versions of this voice. */
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
    background: null,
    seed: '',
  };
  await runTask('render-speech', input, { accountId: 'voices', timeLimitMs: SAMPLE_LIMIT_MS }).catch(unavailable);
  await rename(join(folder, `${unfinished}.wav`), join(folder, `${name}.wav`));
  // A slug contains no dot, so no other voice has files with this prefix.
  const stale = (await readdir(folder)).filter((file) => file.startsWith(`${voice.slug}.`) && file !== `${name}.wav`);
  for (const file of stale) await rm(join(folder, file), { force: true });
}

/** A broken voice, or an unreachable speech server, is not a fault of this server. The caller may retry. */
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

import { readFileSync } from 'node:fs';
import type { Digest } from '../../src-server/features/fields/schema.ts';
import type { Speaker, TranscriptSegment } from '../../src-server/features/media/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { digestMarkdown } from '../../src-server/platform/text/digest-markdown.ts';
import type { Said } from '../../src-server/platform/text/say.ts';
import { chunksIn } from './correct-talk.ts';
import { KeptFiles } from './kept-files.ts';
import { replaceFile, serveCorrections } from './rewrite-subtitles.ts';
import type { NameSpeakersInput, NameSpeakersOutput, SubtitleStyle } from './tasks.ts';
import { spokenFiles } from './write-transcript.ts';

/** The parts of a result, and of transcript.json, that name speakers. */
interface Spoken {
  language?: string | null;
  /** Layout of the caption files. */
  subtitles?: SubtitleStyle;
  textTimes?: boolean;
  segments?: TranscriptSegment[];
  chunks?: Chunk[];
  speakers?: Speaker[];
  digest?: Digest;
  warnings?: Said[];
}

/**
 * Renames speakers in a result and in the files of its job. The files are written first: after a crash in between, the
 * same request changes the rest.
 */
export async function nameSpeakers(input: NameSpeakersInput, { signal }: TaskContext): Promise<NameSpeakersOutput> {
  const result = parseOwnJson<Spoken>(input.result);
  const { speakers = [] } = result;
  const names = new Map(input.names);
  const unknown = [...names.keys()].filter((name) => !speakers.some((speaker) => speaker.name === name));
  if (speakers.length === 0 || unknown.length > 0) return { result: input.result, speakers, unknown };
  const kept = new KeptFiles(input.folder);
  const transcript = parseOwnJson<Spoken>(readFileSync(kept.pathOfExtractedFile('transcript.json'), 'utf8'));
  const named = renameTranscriptSpeakers(transcript, names);
  const { segments = [], subtitles: style = null, language = null, textTimes } = named;
  const extracted = {
    'transcript.json': `${JSON.stringify(named)}\n`,
    ...spokenFiles(segments, { style, language, textTimes }).files,
    'chunks.jsonl': namedChunks(kept.pathOfExtractedFile('chunks.jsonl'), names),
  };
  // Corrections of the owner survive a new name.
  await replaceFile(
    kept.pathOfServedFile('chunks.jsonl'),
    namedChunks(kept.pathOfServedFile('chunks.jsonl'), names),
    signal,
  );
  for (const [name, content] of Object.entries(extracted))
    await replaceFile(kept.pathOfExtractedFile(name), content, signal);
  await serveCorrections(kept, segments, signal);
  const after = renameTranscriptSpeakers(result, names);
  if (after.digest !== undefined)
    await replaceFile(kept.pathOfServedFile('digest.md'), digestMarkdown(after.digest), signal);
  return { result: JSON.stringify(after), speakers: after.speakers ?? [], unknown };
}

function namedChunks(path: string, names: ReadonlyMap<string, string>): string {
  return chunksIn(path)
    .map((chunk) => `${JSON.stringify(withName(chunk, names))}\n`)
    .join('');
}

function renameTranscriptSpeakers(spoken: Spoken, names: ReadonlyMap<string, string>): Spoken {
  const { segments, chunks, speakers, digest, warnings } = spoken;
  return {
    ...spoken,
    ...omitUndefined({
      segments: segments?.map((segment) => namedSegment(segment, names)),
      chunks: chunks?.map((chunk) => withName(chunk, names)),
      speakers: speakers === undefined ? undefined : mergedSpeakers(speakers, names),
      digest: digest === undefined ? undefined : namedDigest(digest, names),
      warnings: warnings?.filter((text) => !isSpeakerWarningSettled(text, names)),
    }),
  };
}

/** Whose voice a speaker may be is no question once the speaker has a name. */
function isSpeakerWarningSettled(warning: Said, names: ReadonlyMap<string, string>): boolean {
  return [...names.keys()].some((name) => warning.startsWith(`${name} may be `));
}

function namedDigest(digest: Digest, names: ReadonlyMap<string, string>): Digest {
  const actionItems = digest.actionItems.map(({ who, ...item }) => ({
    ...item,
    who: who === null ? null : (names.get(who) ?? who),
  }));
  return { ...digest, actionItems };
}

function namedSegment(segment: TranscriptSegment, names: ReadonlyMap<string, string>): TranscriptSegment {
  const { words, ...named } = withName(segment, names);
  return words === undefined ? named : { ...named, words: words.map((word) => withName(word, names)) };
}

function withName<Said extends { speaker?: string | undefined }>(said: Said, names: ReadonlyMap<string, string>): Said {
  const name = said.speaker === undefined ? undefined : names.get(said.speaker);
  return name === undefined ? said : { ...said, speaker: name };
}

function mergedSpeakers(speakers: readonly Speaker[], names: ReadonlyMap<string, string>): Speaker[] {
  const merged = new Map<string, Speaker>();
  for (const speaker of speakers) {
    const name = names.get(speaker.name) ?? speaker.name;
    const { seconds, words } = merged.get(name) ?? { seconds: 0, words: 0 };
    const together = Math.round((seconds + speaker.seconds) * 1000) / 1000;
    // A name that the owner gives is no guess.
    const voice = names.has(speaker.name) || speaker.voice === undefined ? {} : { voice: speaker.voice };
    merged.set(name, { name, seconds: together, words: words + speaker.words, ...voice });
  }
  return [...merged.values()];
}

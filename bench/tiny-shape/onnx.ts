import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FLOAT, INT64, int, ints, modelOf, node, tensor, value } from '../../test/harness/onnx.ts';
import { type Script, SHAPE, type Weight, weights } from './weights.ts';

const { vocabulary, melBands, audioPlaces, textPlaces, width, heads, layers } = SHAPE;
const OPSET = 17;
const FROM_NOW_ON = -1e9;
/** What the engine asks of a model; the tokens are those of every English Whisper. */
const METADATA = {
  model_type: 'whisper-tiny.en',
  ...{ n_mels: melBands, n_audio_ctx: audioPlaces, n_audio_state: width, n_audio_head: heads, n_audio_layer: layers },
  ...{ n_vocab: vocabulary, n_text_ctx: textPlaces, n_text_state: width, n_text_head: heads, n_text_layer: layers },
  ...{ sot_sequence: 50_257, sot: 50_257, sot_index: 0, eot: 50_256, blank_id: 220, is_multilingual: 0 },
  ...{ no_speech: 50_361, non_speech_tokens: 1, transcribe: 50_358, translate: 50_357, sot_prev: 50_360 },
  ...{ sot_lm: 50_359, no_timestamps: 50_362, all_language_tokens: 50_258, all_language_codes: 'en' },
};
const CACHE = [layers, 'n_audio', textPlaces, width];
const CROSS = [layers, 'n_audio', audioPlaces, width];

/** Writes the folder that sherpa-onnx reads. Its list of tokens is that of `likeFolder`. */
export async function writeOnnxFolder(folder: string, likeFolder: string, script: Script): Promise<void> {
  await mkdir(folder, { recursive: true });
  await copyFile(join(likeFolder, 'tokens.txt'), join(folder, 'tokens.txt'));
  const all = new Map([...weights(script)].map((weight) => [weight.name, weight]));
  await writeFile(join(folder, 'encoder.onnx'), encoder(new Graph(all)));
  await writeFile(join(folder, 'decoder.onnx'), decoder(new Graph(all)));
}

/** Takes nodes down in the order in which they are computed; each method gives the name of its result. */
class Graph {
  readonly nodes: Buffer[] = [];
  readonly initializers: Buffer[] = [];
  readonly #weights: ReadonlyMap<string, Weight>;
  readonly #named = new Set<string>();

  constructor(all: ReadonlyMap<string, Weight>) {
    this.#weights = all;
  }

  add(
    operator: string,
    inputs: readonly string[],
    attributes: Buffer[] = [],
    output = `r${this.nodes.length}`,
  ): string {
    this.nodes.push(node(operator, inputs, output, attributes));
    return output;
  }

  /** Whole numbers, such as places and sizes. */
  whole(...numbers: number[]): string {
    return this.#once(`i${numbers.join('_')}`, (name) => tensor(name, [numbers.length], wholes(numbers)));
  }

  number(content: number): string {
    return this.#once(`f${content}`, (name) => tensor(name, [], Float32Array.of(content)));
  }

  weight(name: string, shape?: readonly number[]): string {
    const { shape: own, values } = this.#find(name);
    return this.#once(name, () => tensor(name, shape ?? own, values));
  }

  linear(input: string, name: string): string {
    const { shape, values } = this.#find(`${name}.weight`);
    const [outputs = 0, inputs = 0] = shape;
    const turned = this.#once(`${name}.turned`, (own) => tensor(own, [inputs, outputs], turn(values, outputs, inputs)));
    const product = this.add('MatMul', [input, turned]);
    return this.#weights.has(`${name}.bias`) ? this.add('Add', [product, this.weight(`${name}.bias`)]) : product;
  }

  norm(input: string, name: string): string {
    return this.add('LayerNormalization', [input, this.weight(`${name}.weight`), this.weight(`${name}.bias`)]);
  }

  gelu(input: string): string {
    const erf = this.add('Erf', [this.add('Div', [input, this.number(Math.SQRT2)])]);
    const halves = this.add('Mul', [input, this.add('Add', [erf, this.number(1)])]);
    return this.add('Mul', [halves, this.number(0.5)]);
  }

  slice(input: string, from: string, to: string, axis: number): string {
    return this.add('Slice', [input, from, to, this.whole(axis)]);
  }

  attention(query: string, keys: string, values: string, mask?: string): string {
    const sizes = this.whole(0, 0, heads, width / heads);
    const split = (input: string, order: number[]) =>
      this.add('Transpose', [this.add('Reshape', [input, sizes])], [ints('perm', order)]);
    const scaled = this.add('Mul', [split(query, [0, 2, 1, 3]), this.number((width / heads) ** -0.5)]);
    const scores = this.add('MatMul', [scaled, split(keys, [0, 2, 3, 1])]);
    const masked = mask === undefined ? scores : this.add('Add', [scores, mask]);
    const mixed = this.add('MatMul', [this.add('Softmax', [masked]), split(values, [0, 2, 1, 3])]);
    const together = this.add('Transpose', [mixed], [ints('perm', [0, 2, 1, 3])]);
    return this.add('Reshape', [together, this.whole(0, 0, width)]);
  }

  perceptron(input: string, block: string): string {
    const inner = this.gelu(this.linear(this.norm(input, `${block}.mlp_ln`), `${block}.mlp.0`));
    return this.add('Add', [input, this.linear(inner, `${block}.mlp.2`)]);
  }

  /** One layer behind the other, along a new first axis. */
  stack(inputs: readonly string[], output: string): void {
    const each = inputs.map((input) => this.add('Unsqueeze', [input, this.whole(0)]));
    this.add('Concat', each, [int('axis', 0)], output);
  }

  #find(name: string): Weight {
    const weight = this.#weights.get(name);
    if (weight === undefined) throw new Error(`There is no weight ${name}.`);
    return weight;
  }

  #once(name: string, make: (name: string) => Buffer): string {
    if (!this.#named.has(name)) this.initializers.push(make(name));
    this.#named.add(name);
    return name;
  }
}

function encoder(graph: Graph): Buffer {
  const convolve = (input: string, name: string, stride: number) => {
    const parts = [input, graph.weight(`${name}.weight`), graph.weight(`${name}.bias`, [width])];
    return graph.gelu(graph.add('Conv', parts, [ints('pads', [1, 1]), ints('strides', [stride])]));
  };
  const heard = convolve(convolve('mel', 'encoder.conv1', 1), 'encoder.conv2', 2);
  const turned = graph.add('Transpose', [heard], [ints('perm', [0, 2, 1])]);
  // What is shorter than the whole has fewer places.
  const length = graph.slice(graph.add('Shape', [turned]), graph.whole(1), graph.whole(2), 0);
  const places = graph.slice(graph.weight('encoder.positional_embedding'), graph.whole(0), length, 0);
  let state = graph.add('Add', [turned, places]);
  for (let layer = 0; layer < layers; layer += 1) {
    const block = `encoder.blocks.${layer}`;
    const input = graph.norm(state, `${block}.attn_ln`);
    const [query, key, values] = ['query', 'key', 'value'].map((part) => graph.linear(input, `${block}.attn.${part}`));
    const mixed = graph.attention(query as string, key as string, values as string);
    state = graph.perceptron(graph.add('Add', [state, graph.linear(mixed, `${block}.attn.out`)]), block);
  }
  const done = graph.norm(state, 'encoder.ln_post');
  const across = (part: string) =>
    Array.from({ length: layers }, (_, layer) => graph.linear(done, `decoder.blocks.${layer}.cross_attn.${part}`));
  graph.stack(across('key'), 'n_layer_cross_k');
  graph.stack(across('value'), 'n_layer_cross_v');
  const metadata = Object.fromEntries(Object.entries(METADATA).map(([name, fact]) => [name, String(fact)]));
  return modelOf({
    ...{ name: 'encoder', opset: OPSET, nodes: graph.nodes, initializers: graph.initializers, metadata },
    inputs: [value('mel', FLOAT, ['n_audio', melBands, 'frames'])],
    outputs: ['n_layer_cross_k', 'n_layer_cross_v'].map((name) => value(name, FLOAT, [layers, 'n_audio', 'T', width])),
  });
}

function decoder(graph: Graph): Buffer {
  const embedding = graph.weight('decoder.token_embedding.weight');
  const count = graph.slice(graph.add('Shape', ['tokens']), graph.whole(1), graph.whole(2), 0);
  const end = graph.add('Add', ['offset', count]);
  const places = graph.slice(graph.weight('decoder.positional_embedding'), 'offset', end, 0);
  let state = graph.add('Add', [graph.add('Gather', [embedding, 'tokens'], [int('axis', 0)]), places]);
  graph.initializers.push(tensor('mask', [textPlaces, textPlaces], lookingBack()));
  const mask = graph.slice(graph.slice('mask', 'offset', end, 0), graph.whole(0), end, 1);
  const layerOf = (name: string, layer: number) => {
    const one = graph.slice(name, graph.whole(layer), graph.whole(layer + 1), 0);
    return graph.add('Squeeze', [one, graph.whole(0)]);
  };
  const caches = { k: [] as string[], v: [] as string[] };
  for (let layer = 0; layer < layers; layer += 1) {
    const block = `decoder.blocks.${layer}`;
    const input = graph.norm(state, `${block}.attn_ln`);
    const remembered = (which: 'k' | 'v', part: string) => {
      const cache = layerOf(`in_n_layer_self_${which}_cache`, layer);
      const newest = graph.linear(input, `${block}.attn.${part}`);
      const before = graph.slice(cache, graph.whole(0), 'offset', 1);
      const known = graph.add('Concat', [before, newest], [int('axis', 1)]);
      const after = graph.slice(cache, end, graph.whole(textPlaces), 1);
      caches[which].push(graph.add('Concat', [known, after], [int('axis', 1)]));
      return known;
    };
    const query = graph.linear(input, `${block}.attn.query`);
    const own = graph.attention(query, remembered('k', 'key'), remembered('v', 'value'), mask);
    state = graph.add('Add', [state, graph.linear(own, `${block}.attn.out`)]);
    const asked = graph.linear(graph.norm(state, `${block}.cross_attn_ln`), `${block}.cross_attn.query`);
    const heard = graph.attention(asked, layerOf('n_layer_cross_k', layer), layerOf('n_layer_cross_v', layer));
    state = graph.add('Add', [state, graph.linear(heard, `${block}.cross_attn.out`)]);
    state = graph.perceptron(state, block);
  }
  graph.stack(caches.k, 'out_n_layer_self_k_cache');
  graph.stack(caches.v, 'out_n_layer_self_v_cache');
  const turned = graph.add('Transpose', [embedding], [ints('perm', [1, 0])]);
  graph.add('MatMul', [graph.norm(state, 'decoder.ln'), turned], [], 'logits');
  const cache = (name: string) => value(name, FLOAT, CACHE);
  return modelOf({
    ...{ name: 'decoder', opset: OPSET, nodes: graph.nodes, initializers: graph.initializers },
    inputs: [
      value('tokens', INT64, ['n_audio', 'n_tokens']),
      ...['in_n_layer_self_k_cache', 'in_n_layer_self_v_cache'].map(cache),
      ...['n_layer_cross_k', 'n_layer_cross_v'].map((name) => value(name, FLOAT, CROSS)),
      value('offset', INT64, [1]),
    ],
    outputs: [
      value('logits', FLOAT, ['n_audio', 'n_tokens', vocabulary]),
      ...['out_n_layer_self_k_cache', 'out_n_layer_self_v_cache'].map(cache),
    ],
  });
}

/** No place sees what comes after it. */
function lookingBack(): Float32Array {
  return Float32Array.from({ length: textPlaces ** 2 }, (_, index) =>
    index % textPlaces > Math.floor(index / textPlaces) ? FROM_NOW_ON : 0,
  );
}

function turn(values: Float32Array, rows: number, columns: number): Float32Array {
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      turned[column * rows + row] = values[row * columns + column] ?? 0;
    }
  }
  return turned;
}

function wholes(numbers: readonly number[]): BigInt64Array {
  return BigInt64Array.from(numbers.map(BigInt));
}

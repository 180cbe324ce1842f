/**
 * A voice activity model with the inputs and outputs of Silero's (version 4), written by hand as ONNX: it judges by the
 * loudness of each window alone. It stands in for the real one, which tests may not fetch: what is shown with it is
 * everything around the model, not how well the model hears.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Appliance } from './appliance.ts';

/** Mean square of samples between -1 and 1 from which a window counts as speech: -50 dB. */
const POWER_THRESHOLD = 1e-5;
/** So steep that the answer is yes or no. */
const GAIN = 1e6;
const FLOAT = 1;
const INT64 = 7;
const STATE_SHAPE = [2, 1, 64];

type Field = [number: number, value: number | string | Buffer];

export async function installVadModel(
  appliance: Pick<Appliance, 'dataDir'>,
  content: Uint8Array = loudnessVad(),
): Promise<void> {
  const folder = join(appliance.dataDir, 'models');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'silero-vad.onnx'), content);
}

export function loudnessVad(): Buffer {
  const nodes = [
    node('Mul', ['input', 'input'], 'squares'),
    node('ReduceMean', ['squares'], 'power', [ints('axes', [1])]),
    node('Sub', ['power', 'threshold'], 'above'),
    node('Mul', ['above', 'gain'], 'steep'),
    node('Sigmoid', ['steep'], 'output'),
    node('Identity', ['h'], 'hn'),
    node('Identity', ['c'], 'cn'),
  ];
  const inputs = [
    value('input', FLOAT, [1, 'samples']),
    value('sr', INT64, [1]),
    value('h', FLOAT, STATE_SHAPE),
    value('c', FLOAT, STATE_SHAPE),
  ];
  const outputs = [value('output', FLOAT, [1, 1]), value('hn', FLOAT, STATE_SHAPE), value('cn', FLOAT, STATE_SHAPE)];
  const graph = message([
    ...nodes.map((bytes): Field => [1, bytes]),
    [2, 'loudness'],
    [5, scalar('threshold', POWER_THRESHOLD)],
    [5, scalar('gain', GAIN)],
    ...inputs.map((bytes): Field => [11, bytes]),
    ...outputs.map((bytes): Field => [12, bytes]),
  ]);
  return message([
    [1, 7],
    [7, graph],
    [8, message([[2, 13]])],
  ]);
}

function node(operator: string, inputs: string[], output: string, attributes: Buffer[] = []): Buffer {
  return message([
    ...inputs.map((name): Field => [1, name]),
    [2, output],
    [4, operator],
    ...attributes.map((bytes): Field => [5, bytes]),
  ]);
}

function ints(name: string, values: number[]): Buffer {
  const INTS = 7;
  return message([[1, name], ...values.map((item): Field => [8, item]), [20, INTS]]);
}

function scalar(name: string, content: number): Buffer {
  const raw = Buffer.alloc(4);
  raw.writeFloatLE(content);
  return message([
    [2, FLOAT],
    [8, name],
    [9, raw],
  ]);
}

function value(name: string, type: number, shape: (number | string)[]): Buffer {
  const dimensions = shape.map((size): Field => [1, message([[typeof size === 'number' ? 1 : 2, size]])]);
  const tensor = message([
    [1, type],
    [2, message(dimensions)],
  ]);
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ]);
}

/** Protocol buffers: numbers as varints, everything else with its length before it. */
function message(fields: Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, content]) => {
      if (typeof content === 'number') return [varint(number << 3), varint(content)];
      const bytes = Buffer.from(content as Buffer);
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

function varint(number: number): Buffer {
  const bytes: number[] = [];
  for (let rest = number; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}

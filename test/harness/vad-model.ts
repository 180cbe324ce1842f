/**
 * A voice activity model with the inputs and outputs of Silero's (version 4), written by hand as ONNX: it judges by the
 * loudness of each window alone. It stands in for the real one, which tests may not fetch: what is shown with it is
 * everything around the model, not how well the model hears.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Appliance } from './appliance.ts';
import { FLOAT, INT64, ints, modelOf, node, tensor, value } from './onnx.ts';

/** Mean square of samples between -1 and 1 from which a window counts as speech: -50 dB. */
const POWER_THRESHOLD = 1e-5;
/** So steep that the answer is yes or no. */
const GAIN = 1e6;
const STATE_SHAPE = [2, 1, 64];

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
  return modelOf({
    ...{ name: 'loudness', opset: 13, nodes, inputs, outputs },
    initializers: [
      tensor('threshold', [], Float32Array.of(POWER_THRESHOLD)),
      tensor('gain', [], Float32Array.of(GAIN)),
    ],
  });
}

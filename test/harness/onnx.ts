/** ONNX models written by hand: what the tests and benchmarks need of the format, which is protocol buffers. */

export const FLOAT = 1;
export const INT64 = 7;
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_INTS = 7;
const IR_VERSION = 8;

type Field = [number: number, value: number | string | Buffer];

export interface OnnxModel {
  name: string;
  opset: number;
  nodes: Buffer[];
  initializers: Buffer[];
  inputs: Buffer[];
  outputs: Buffer[];
  metadata?: Readonly<Record<string, string>>;
}

export function modelOf({ name, opset, nodes, initializers, inputs, outputs, metadata = {} }: OnnxModel): Buffer {
  const graph = message([
    ...nodes.map((bytes): Field => [1, bytes]),
    [2, name],
    ...initializers.map((bytes): Field => [5, bytes]),
    ...inputs.map((bytes): Field => [11, bytes]),
    ...outputs.map((bytes): Field => [12, bytes]),
  ]);
  const facts = Object.entries(metadata).map(
    ([key, text]): Field => [
      14,
      message([
        [1, key],
        [2, text],
      ]),
    ],
  );
  return message([[1, IR_VERSION], [7, graph], [8, message([[2, opset]])], ...facts]);
}

export function node(operator: string, inputs: readonly string[], output: string, attributes: Buffer[] = []): Buffer {
  return message([
    ...inputs.map((name): Field => [1, name]),
    [2, output],
    [4, operator],
    ...attributes.map((bytes): Field => [5, bytes]),
  ]);
}

export function ints(name: string, values: readonly number[]): Buffer {
  return message([[1, name], ...values.map((item): Field => [8, item]), [20, ATTRIBUTE_INTS]]);
}

/** Not negative. */
export function int(name: string, content: number): Buffer {
  return message([
    [1, name],
    [3, content],
    [20, ATTRIBUTE_INT],
  ]);
}

/** A value that the model brings; without dimensions it is a scalar. */
export function tensor(name: string, shape: readonly number[], content: Float32Array | BigInt64Array): Buffer {
  const raw = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const type = content instanceof Float32Array ? FLOAT : INT64;
  return message([...shape.map((size): Field => [1, size]), [2, type], [8, name], [9, raw]]);
}

/** An input or output; a size that is not fixed has a name. */
export function value(name: string, type: number, shape: readonly (number | string)[]): Buffer {
  const dimensions = shape.map((size): Field => [1, message([[typeof size === 'number' ? 1 : 2, size]])]);
  const described = message([
    [1, type],
    [2, message(dimensions)],
  ]);
  return message([
    [1, name],
    [2, message([[1, described]])],
  ]);
}

/** Protocol buffers: numbers as varints, everything else with its length before it. */
function message(fields: Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, content]) => {
      if (typeof content === 'number') return [varint(number << 3), varint(content)];
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
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

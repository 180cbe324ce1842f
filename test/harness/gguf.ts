/** Just enough of GGUF to add a text to the facts of a model file (version 3, little-endian). */

const HEADER_BYTES = 24;
const COUNT_AT = 16;
const ALIGNMENT = 32;
const STRING = 8;
const ARRAY = 9;
/** Bytes of each type of value that has a fixed size, by its number. */
const SIZES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** The same model, saying `value` under `key`. */
export function withFact(model: Buffer, key: string, value: string): Buffer {
  const tensors = Number(model.readBigUInt64LE(8));
  const facts = Number(model.readBigUInt64LE(COUNT_AT));
  let at = HEADER_BYTES;
  for (let index = 0; index < facts; index += 1) at = afterValue(model, afterString(model, at));
  const factsEnd = at;
  for (let index = 0; index < tensors; index += 1) at = afterTensor(model, at);
  const header = Buffer.from(model.subarray(0, HEADER_BYTES));
  header.writeBigUInt64LE(BigInt(facts + 1), COUNT_AT);
  const type = Buffer.alloc(4);
  type.writeUInt32LE(STRING);
  const added = Buffer.concat([stringOf(key), type, stringOf(value)]);
  const before = [header, model.subarray(HEADER_BYTES, factsEnd), added, model.subarray(factsEnd, at)];
  const infoBytes = at + added.length;
  return Buffer.concat([...before, Buffer.alloc(padding(infoBytes)), model.subarray(at + padding(at))]);
}

function padding(bytes: number): number {
  return (ALIGNMENT - (bytes % ALIGNMENT)) % ALIGNMENT;
}

function stringOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([length, bytes]);
}

function afterString(model: Buffer, at: number): number {
  return at + 8 + Number(model.readBigUInt64LE(at));
}

/** @param at where the type of a value stands */
function afterValue(model: Buffer, at: number): number {
  return afterContent(model, at + 4, model.readUInt32LE(at));
}

function afterContent(model: Buffer, at: number, type: number): number {
  if (type === STRING) return afterString(model, at);
  if (type !== ARRAY) return at + (SIZES[type] ?? 0);
  const of = model.readUInt32LE(at);
  const count = Number(model.readBigUInt64LE(at + 4));
  let end = at + 12;
  for (let index = 0; index < count; index += 1) end = afterContent(model, end, of);
  return end;
}

function afterTensor(model: Buffer, at: number): number {
  const dimensionsAt = afterString(model, at);
  return dimensionsAt + 4 + model.readUInt32LE(dimensionsAt) * 8 + 4 + 8;
}

/**
 * A line to another machine, over a stream that carries bytes in order. A message is its length (four bytes) and its
 * structured clone. An empty one is a heartbeat: a network or a process that stops without a word ends nothing else.
 */

import type { Duplex } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import { QuarryError } from '../errors.ts';
import { tell } from '../text/say.ts';
import { MIB } from '../units.ts';
import type { OpenLine } from './rpc.ts';

const HEADER_BYTES = 4;

const MESSAGE_MAX_BYTES = 128 * MIB;

const HEARTBEAT = Buffer.alloc(HEADER_BYTES);

export interface StreamTiming {
  beatMs: number;
  /** Silence of the other side that ends the line. */
  leaseMs: number;
}

export function streamLine(stream: Duplex, { beatMs, leaseMs }: StreamTiming): OpenLine {
  return ({ onMessage, onEnd }) => {
    let cause: unknown = 'The connection was closed.';
    const failStreamLine = (error: unknown) => {
      cause = error;
      stream.destroy();
    };
    let heardAt = performance.now();
    let beatAt = heardAt;
    const beat = setInterval(() => {
      const now = performance.now();
      // This process itself was frozen: what came meanwhile is read after this.
      if (now - beatAt > leaseMs / 2) heardAt = now;
      beatAt = now;
      if (now - heardAt > leaseMs) failStreamLine('The other side does not answer.');
      else stream.write(HEARTBEAT);
    }, beatMs);
    const read = messageReader(onMessage);
    stream.on('data', (piece: Buffer) => {
      heardAt = performance.now();
      try {
        read(piece);
      } catch (error) {
        failStreamLine(error);
      }
    });
    stream.on('error', (error) => {
      cause = error;
    });
    // Half of a connection is of no use.
    stream.once('end', () => stream.destroy());
    const endStreamLine = () => {
      clearInterval(beat);
      onEnd(cause);
    };
    if (stream.closed) setImmediate(endStreamLine);
    else stream.once('close', endStreamLine);
    return {
      send: (message) => {
        const data = serialize(message);
        if (data.length > MESSAGE_MAX_BYTES) {
          throw new QuarryError('engine_failed', tell`A message has at most ${MESSAGE_MAX_BYTES / MIB} MB.`);
        }
        if (stream.destroyed) return;
        const header = Buffer.alloc(HEADER_BYTES);
        header.writeUInt32BE(data.length);
        stream.write(header);
        stream.write(data);
      },
      end: () => void stream.destroy(),
    };
  };
}

/** Throws for a message that is too large, or is none. */
function messageReader(onMessage: (message: unknown) => void): (piece: Buffer) => void {
  let held: Buffer[] = [];
  let size = 0;
  let length: number | null = null;
  const takeMessageBytes = (bytes: number): Buffer => {
    const [first = HEARTBEAT] = held;
    const all = held.length === 1 ? first : Buffer.concat(held);
    held = [all.subarray(bytes)];
    size -= bytes;
    return all.subarray(0, bytes);
  };
  return (piece) => {
    held.push(piece);
    size += piece.length;
    for (;;) {
      if (length === null) {
        if (size < HEADER_BYTES) return;
        length = takeMessageBytes(HEADER_BYTES).readUInt32BE();
        if (length > MESSAGE_MAX_BYTES) throw new Error('A message of the other side is too large.');
      }
      if (size < length) return;
      const data = takeMessageBytes(length);
      length = null;
      if (data.length > 0) onMessage(deserialize(data));
    }
  };
}

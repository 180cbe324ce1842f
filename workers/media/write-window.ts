import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { windowSamples } from './speech-windows.ts';
import type { SpeechWindow } from './tasks.ts';

const SAMPLE_BYTES = 2;
const WAV_HEADER_BYTES = 44;
/** whisper.cpp passes over sound of less than a second: a short word gets silence behind it. */
const LEAST_SECONDS = 1.2;

interface Sound {
  pcmPath: string;
  sampleRate: number;
  signal: AbortSignal;
}

/** The sound of a window as a .wav file. Errors: the signal's reason. */
export async function writeWindow(sound: Sound, window: SpeechWindow, path: string): Promise<void> {
  const dataBytes = windowSamples(window) * SAMPLE_BYTES;
  const missingBytes = Math.max(0, Math.ceil(LEAST_SECONDS * sound.sampleRate) * SAMPLE_BYTES - dataBytes);
  const file = await open(path, 'w');
  try {
    await file.writeFile(wavHeader(dataBytes + missingBytes, sound.sampleRate));
    for (const [from, to] of window.pieces) {
      if (from === to) continue;
      const range = { start: from * SAMPLE_BYTES, end: to * SAMPLE_BYTES - 1, signal: sound.signal };
      for await (const bytes of createReadStream(sound.pcmPath, range)) await file.writeFile(bytes as Buffer);
    }
    await file.writeFile(Buffer.alloc(missingBytes));
  } finally {
    await file.close();
  }
}

function wavHeader(dataBytes: number, sampleRate: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

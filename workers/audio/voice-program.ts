/**
 * A neural voice in a process of its own: a native engine that aborts takes this process down and no other, and ending
 * it stops its work at once and gives the memory back. It ends when its owner has ended.
 */

import type { OfflineTts } from 'sherpa-onnx-node';
import sherpa from 'sherpa-onnx-node';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { ownerLine } from '../../src-server/platform/rpc/lines.ts';
import { serve } from '../../src-server/platform/rpc/rpc.ts';

export interface VoiceFiles {
  model: string;
  /** Empty where the voice has none; `lexicon` and `dataFolder` too. */
  tokens: string;
  lexicon: string;
  dataFolder: string;
}

export interface Voice {
  load(files: VoiceFiles, threads: number): void;
  speak(text: string): { samples: Int16Array; sampleRate: number };
}

const FULL_SCALE = 32_767;

let voice: OfflineTts | null = null;

// Before the engine starts threads of its own, which inherit the priority.
standBack(process.pid);

serve<Voice>(
  {
    load: (files, threads) => {
      voice = load(files, threads);
    },
    speak: (text) => speak(text),
  },
  ownerLine,
);

function speak(text: string): ReturnType<Voice['speak']> {
  if (voice === null) throw new Error('No voice is loaded.');
  // Electron rejects external buffers, so the engine copies.
  const { samples, sampleRate } = voice.generate({ text, sid: 0, speed: 1, enableExternalBuffer: false });
  const whole = Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * FULL_SCALE));
  return { samples: whole, sampleRate };
}

function load({ model, tokens, lexicon, dataFolder }: VoiceFiles, threads: number): OfflineTts {
  return new sherpa.OfflineTts({
    model: {
      vits: { model, tokens, lexicon, dataDir: dataFolder },
      numThreads: threads,
      provider: 'cpu',
      debug: false,
    },
    maxNumSentences: 1,
  });
}

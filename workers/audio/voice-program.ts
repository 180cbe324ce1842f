/**
 * A neural voice in a process of its own: a native engine that aborts takes this process down and no other, and ending
 * it stops its work at once and gives the memory back. It ends when its owner has ended.
 */

import type { OfflineTts } from 'sherpa-onnx-node';
import sherpa from 'sherpa-onnx-node';
import type { VoiceFolder } from '../../src-server/features/models/schema.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { ownerLine } from '../../src-server/platform/rpc/lines.ts';
import { serveMethods } from '../../src-server/platform/rpc/rpc.ts';
import { voiceConfig } from './voice-config.ts';

export interface VoiceManner {
  speakerId: number;
  /** Factor of the pace. */
  speed: number;
  /** The name by which espeak-ng knows the language; empty for the model's own. */
  language: string;
}

export interface Voice {
  load(model: VoiceFolder, threads: number): void;
  speak(text: string, manner: VoiceManner): { samples: Int16Array; sampleRate: number };
}

const FULL_SCALE = 32_767;

let voice: OfflineTts | null = null;

// Before the engine starts threads of its own, which inherit the priority.
standBack(process.pid);

serveMethods<Voice>(
  {
    load: (model, threads) => {
      voice = new sherpa.OfflineTts(voiceConfig(model, threads));
    },
    speak: (text, manner) => speak(text, manner),
  },
  ownerLine,
);

function speak(text: string, { speakerId, speed, language }: VoiceManner): ReturnType<Voice['speak']> {
  if (voice === null) throw new Error('No voice is loaded.');
  let { samples, sampleRate } = generateSpeech(voice, text, { speakerId, speed, language });
  // Models of eight bits give no numbers for some short sentences; another pace gives some.
  if (!samples.every(Number.isFinite))
    ({ samples, sampleRate } = generateSpeech(voice, text, { speakerId, speed: speed * 0.97, language }));
  if (!samples.every(Number.isFinite)) throw new Error('The voice gave samples that are not numbers.');
  const whole = Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * FULL_SCALE));
  return { samples: whole, sampleRate };
}

function generateSpeech(engine: OfflineTts, text: string, { speakerId, speed, language }: VoiceManner) {
  const extra = language === '' ? undefined : { lang: language };
  const generationConfig = { sid: speakerId, speed, ...omitUndefined({ extra }) };
  // Electron rejects external buffers, so the engine copies.
  return engine.generate({ text, generationConfig, enableExternalBuffer: false });
}

/**
 * A neural voice in its own process. If the native engine aborts, only this process ends; killing it stops the work at
 * once and frees the memory. It exits when its parent is gone.
 */

import type { OfflineTts } from 'sherpa-onnx-node';
import sherpa from 'sherpa-onnx-node';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { openOwnerLine } from '../../src-server/platform/rpc/child-process.ts';
import type { VoiceCommand, VoiceMessage } from './voice-protocol.ts';

const FULL_SCALE = 32_767;

let voice: OfflineTts | null = null;

// Runs before the engine starts threads, which inherit the priority.
standBack(process.pid);

const send = openOwnerLine<VoiceCommand, VoiceMessage>((command) => {
  try {
    receive(command);
  } catch (error) {
    send({ kind: 'failed', cause: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});

function receive(command: VoiceCommand): void {
  if (command.kind === 'load') {
    voice = load(command);
    send({ kind: 'ready' });
  } else speak(command.text);
}

function speak(text: string): void {
  if (voice === null) throw new Error('No voice is loaded.');
  // Electron rejects external buffers, so the engine copies.
  const { samples, sampleRate } = voice.generate({ text, sid: 0, speed: 1, enableExternalBuffer: false });
  const whole = Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * FULL_SCALE));
  send({ kind: 'spoken', samples: Buffer.from(whole.buffer).toString('base64'), sampleRate });
}

function load({ model, tokens, lexicon, dataFolder, threads }: Extract<VoiceCommand, { kind: 'load' }>): OfflineTts {
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

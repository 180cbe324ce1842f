import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { TaskChild } from '../task-child.ts';
import type { TaskContext } from '../tasks.ts';
import type { Utterance } from './flite.ts';
import type { OpenSpeaker } from './speakers.ts';
import type { Speaker } from './tasks.ts';
import type { VoiceCommand, VoiceMessage } from './voice-protocol.ts';

type VitsSpeaker = Extract<Speaker, { engine: 'vits' }>;

/**
 * An installed neural voice, in a child process that ends with `close`, with the signal, or with the task.
 * Errors, of speaking too: `engine_failed`, and the signal's reason.
 */
export async function openNeuralVoice(
  { modelFolder, threads }: VitsSpeaker,
  context: TaskContext,
): Promise<OpenSpeaker> {
  const names = await readdir(modelFolder);
  const model = names.find((name) => name.endsWith('.onnx')) ?? '';
  const at = (name: string) => (names.includes(name) ? join(modelFolder, name) : '');
  await access(join(modelFolder, model));
  const child = new TaskChild<VoiceCommand, VoiceMessage>(context, { name: 'voice', failed });
  const load: VoiceCommand = {
    kind: 'load',
    model: join(modelFolder, model),
    tokens: at('tokens.txt'),
    lexicon: at('lexicon.txt'),
    dataFolder: at('espeak-ng-data'),
    threads,
  };
  try {
    await child.ask(load, 'ready');
  } catch (error) {
    child.close();
    throw error;
  }
  return { speak: (text) => speak(child, text), close: () => child.close() };
}

async function speak(child: TaskChild<VoiceCommand, VoiceMessage>, text: string): Promise<Utterance> {
  const { samples, sampleRate } = await child.ask({ kind: 'speak', text }, 'spoken');
  // A copy of its own, since what Buffer gives may begin at an odd place.
  const whole = new Int16Array(new Uint8Array(Buffer.from(samples, 'base64')).buffer);
  return { samples: whole, sampleRate, phones: null };
}

function failed(cause: string): QuarryError {
  const message = 'The installed voice could not speak: its files are damaged, or of a kind that is not read here.';
  return new QuarryError('engine_failed', message, { cause });
}

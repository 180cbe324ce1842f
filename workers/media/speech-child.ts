import { QuarryError } from '../../src-server/platform/errors.ts';
import { TaskChild } from '../task-child.ts';
import type { TaskContext } from '../tasks.ts';
import type { SpeechCommand, SpeechMessage } from './speech-protocol.ts';

/** The child process that holds sherpa-onnx. Errors of asking it: `engine_failed`, and the signal's reason. */
export function startSpeechChild(
  context: Pick<TaskContext, 'startChild' | 'signal'>,
): TaskChild<SpeechCommand, SpeechMessage> {
  return new TaskChild(context, { name: 'speech', failed });
}

function failed(cause: string): QuarryError {
  const message = 'The speech recogniser stopped unexpectedly. Try again, or with another transcriptionModel.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

import { QuarryError } from '../../src-server/contract/errors.ts';
import type { SpeechCommand, SpeechMessage } from '../child/speech-protocol.ts';
import { TaskChild } from '../task-child.ts';
import type { TaskContext } from '../tasks.ts';

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

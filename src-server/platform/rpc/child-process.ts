/**
 * Programs of this project that run in a process of their own, since they hold native engines that may abort. Who
 * starts one does not know how: under plain Node it is forked; under the desktop shell the shell starts it, because
 * the packaged app cannot run itself as Node.
 */

/** The programs, and their files below `workers`. A shell starts these and no others. */
export const CHILD_PROGRAM_FILES = {
  embedding: 'text/embedding',
  speech: 'media/speech-program',
  'text-model': 'text/text-model',
  voice: 'audio/voice-program',
} as const;

export type ChildProgramName = keyof typeof CHILD_PROGRAM_FILES;

export interface ChildListeners {
  onMessage(message: unknown): void;
  /** Said once, whatever the reason was: it ended, was ended, or could not be started. `cause` is for the log. */
  onEnd(cause: string): void;
}

export interface ChildProgram {
  /** Says nothing where the process has ended: its end is told to the listener. */
  send(message: unknown): void;
  /** Ends the process at once; a native engine does not listen to anything gentler. */
  end(): void;
}

export type StartChildProgram = (name: ChildProgramName, listeners: ChildListeners) => ChildProgram;

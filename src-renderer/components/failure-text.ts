import { knownServerText } from '../language/server-texts.ts';
import { messages } from '../language/start-messages.ts';
import { wordsBy } from './literals.ts';

/** What failed: a stable code, where there is one, and the server's sentence. */
export interface FailedWith {
  code?: string | undefined;
  message: string;
}

/** Why something failed, in the reader's language: the server's sentence, or what its code means without a message. */
export function failureText({ code = '', message }: FailedWith): string {
  return knownServerText(message) ?? wordsBy(messages.errors)[code]?.title ?? message;
}

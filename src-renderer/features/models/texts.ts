import { wordsBy } from '../../components/literals.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/service-messages.ts';

export const { models } = messages;

export const mediaTools = extend(messages.mediaTools, { from: wordsBy(messages.mediaTools.from) });

export const settings = extend(messages.settings, {
  names: wordsBy(messages.settings.names),
  choices: wordsBy<Record<string, string>>(messages.settings.choices),
  hints: wordsBy(messages.settings.hints),
});

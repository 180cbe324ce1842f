import { wordsBy } from '../../components/literals.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/work-messages.ts';

export const run = extend(messages.run, {
  fields: wordsBy(messages.run.fields),
  fieldsOf: wordsBy<Record<string, string>>(messages.run.fieldsOf),
  names: wordsBy(messages.run.names),
  choices: wordsBy<Record<string, string>>(messages.run.choices),
});

import { wordsBy } from './components/literals.ts';
import { add } from './features/add/texts.ts';
import { jobs } from './features/jobs/texts.ts';
import { palette } from './features/palette/texts.ts';
import { uploads } from './features/uploads/texts.ts';
import { extend } from './language/messages.ts';
import { messages } from './language/start-messages.ts';

const common = extend(messages.common, { chunkKinds: wordsBy(messages.common.chunkKinds) });

const overview = extend(messages.overview, { checkNames: wordsBy(messages.overview.checkNames) });

const { shell, language, money, entryStates, madeByKey, notLinked, notFound, unsaved, signIn } = messages;

/** All texts of the window, by page. Texts from the server (summaries, errors) are shown unchanged. */
export const texts = {
  common,
  shell,
  unsaved,
  palette,
  uploads,
  money,
  signIn,
  notLinked,
  madeByKey,
  entryStates,
  notFound,
  overview,
  jobs,
  add,
  language,
};

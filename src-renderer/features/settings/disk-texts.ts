import { wordsBy } from '../../components/literals.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/service-messages.ts';
import { library } from '../library/texts.ts';

/** Texts of what takes room on the disk. */
export const disk = extend(messages.disk, {
  kind: (kind: string) => wordsBy(library.kinds)[kind] ?? kind,
});

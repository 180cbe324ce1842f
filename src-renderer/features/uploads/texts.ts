import { joinTexts } from '../../components/format.ts';
import { wordsBy } from '../../components/literals.ts';
import type { Kind } from '../../components/work.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/start-messages.ts';

const LEFT_OUT_NAMES = 5;

export const uploads = extend(messages.uploads, {
  willBeOf: (kind: Kind) => wordsBy(messages.uploads.willBe)[kind],
  known: {
    own: ({ notes, tags, collections }: Record<'notes' | 'tags' | 'collections', number>) => {
      const { known } = messages.uploads;
      const parts = [
        notes > 0 && known.notes({ count: notes }),
        tags > 0 && known.tags({ count: tags }),
        collections > 0 && known.collections({ count: collections }),
      ].filter((part) => part !== false);
      return parts.length === 0 ? known.nothingYet : joinTexts(parts);
    },
  },
  leftOutOf: (names: readonly string[]) => {
    const shown = joinTexts(names.slice(0, LEFT_OUT_NAMES));
    const more = names.length > LEFT_OUT_NAMES ? ', …' : '';
    return messages.uploads.leftOut({ count: names.length, names: `${shown}${more}` });
  },
});

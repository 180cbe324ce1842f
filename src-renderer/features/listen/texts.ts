import { joinTexts } from '../../components/format.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/work-messages.ts';

const UNREAD = ['tables', 'code', 'formulas', 'footnotes', 'pictures'] as const;

/** Texts of what reads items aloud. */
export const listen = extend(messages.listen, {
  named: (counts: Readonly<Record<(typeof UNREAD)[number], number>>) => {
    const { unread } = messages.listen;
    const parts = UNREAD.filter((name) => counts[name] > 0).map((name) => unread[name]({ count: counts[name] }));
    return parts.length === 0 ? null : unread.all({ parts: joinTexts(parts) });
  },
});

import type { ItemKind } from '../../api/library.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/start-messages.ts';

/** Texts of the Library and of the pages of items. */
export const library = extend(messages.library, {
  /** Names of kinds, for several items. */
  kinds: messages.kinds,
  orders: messages.orders,
  countedKind: (kind: ItemKind, count: number) => messages.countedKinds[kind]({ count }),
  kindName: (kind: ItemKind) => messages.kindNames[kind],
  /** A length of time, as whole minutes or hours. */
  spokenTime: (seconds: number) =>
    seconds < 3600
      ? messages.library.minutes({ count: Math.max(1, Math.round(seconds / 60)) })
      : messages.library.hours({ count: Math.round(seconds / 3600) }),
});

/** Texts of the collections in the rail, and of the page of one item. */
export const { collections, item } = messages;

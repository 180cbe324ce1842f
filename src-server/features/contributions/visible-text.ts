import { z } from 'zod';

/** A letter, digit, mark of punctuation or symbol; not one of those that are drawn as nothing. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Text for people to read: of zero bytes, spaces or joiners alone nobody could see what to decide about. */
export function visibleText(maxChars: number) {
  return (
    z
      .string()
      .trim()
      .min(1)
      .max(maxChars)
      // No `regex`: the OpenAPI document would hold a pattern that few generators of clients can read.
      .refine((text) => text === '' || VISIBLE.test(text), 'Give a text with at least one character that can be seen.')
  );
}

import { messages } from '../../language/work-messages.ts';

/** Texts of the page that compares two versions. */
export const { comparison } = messages;

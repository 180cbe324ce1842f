import { messages } from '../../language/service-messages.ts';

/** Texts of what takes room on the disk, and of where data and models live. */
export const { disk, places } = messages;

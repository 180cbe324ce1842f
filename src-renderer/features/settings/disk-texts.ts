import { messages } from '../../language/service-messages.ts';

/** Texts of what takes room on the disk. */
export const { disk } = messages;

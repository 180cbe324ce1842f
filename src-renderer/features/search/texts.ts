import { messages } from '../../language/work-messages.ts';

export const { search } = messages;

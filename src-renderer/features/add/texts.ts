import { messages } from '../../language/start-messages.ts';

export const { add } = messages;

import { messages } from '../../language/start-messages.ts';

export const { palette } = messages;

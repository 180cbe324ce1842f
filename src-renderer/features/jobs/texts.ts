import { messages } from '../../language/start-messages.ts';

export const { jobs } = messages;

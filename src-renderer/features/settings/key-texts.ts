import { messages } from '../../language/service-messages.ts';

export const { keys } = messages;

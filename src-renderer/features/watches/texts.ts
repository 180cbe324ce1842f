import { messages } from '../../language/service-messages.ts';

export const { watches, folders, feeds } = messages;

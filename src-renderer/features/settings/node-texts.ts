import { messages } from '../../language/service-messages.ts';

export const { nodes } = messages;

import { messages } from '../../language/service-messages.ts';

export const { webhooks } = messages;

import { loadMessages } from './messages.ts';

export const messages = await loadMessages('service');

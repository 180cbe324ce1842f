import { messages } from '../../language/service-messages.ts';

export const { backups, mirrors, aiApps } = messages;

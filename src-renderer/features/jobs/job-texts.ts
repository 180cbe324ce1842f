import { wordsBy } from '../../components/literals.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/work-messages.ts';

export const job = extend(messages.job, { forms: wordsBy(messages.job.forms) });

/** Every English text of the window, by page. What the server says (summaries, errors) is shown as it comes. */

import { jobs } from '../features/jobs/texts.ts';
import { limits } from '../features/limits/texts.ts';
import { mediaTools, models, settings } from '../features/models/texts.ts';
import { payments } from '../features/payments/texts.ts';
import { run } from '../features/run/texts.ts';
import { contributions, search } from '../features/search/texts.ts';
import { webhooks } from '../features/webhooks/texts.ts';
import { common, notFound, overview, shell, signIn } from './shell.ts';

export const texts = {
  common,
  shell,
  signIn,
  notFound,
  overview,
  jobs,
  run,
  search,
  contributions,
  webhooks,
  payments,
  limits,
  models,
  mediaTools,
  settings,
};

/** Every English text of the window, by page. What the server says (summaries, errors) is shown as it comes. */
import { contributions, search } from './texts/community.ts';
import { jobs } from './texts/jobs.ts';
import { limits } from './texts/limits.ts';
import { mediaTools, models, settings } from './texts/models.ts';
import { payments } from './texts/payments.ts';
import { run } from './texts/run.ts';
import { common, notFound, overview, shell, signIn } from './texts/shell.ts';
import { webhooks } from './texts/webhooks.ts';

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

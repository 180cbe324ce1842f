import { QuarryError } from '../../platform/errors.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { JobService } from '../jobs/service.ts';
import { PAGE_BYTES_MAX, readTextPage, type TextPage } from './job-text.ts';

/** Finished jobs as resources: their text, for clients that let the user choose what to read. */
const PREFIX = 'quarry://jobs/';

const LIST_MAX = 50;

export const TEMPLATE = {
  uriTemplate: `${PREFIX}{id}`,
  name: 'job',
  title: 'Text of a finished job',
  description: `The first ${PAGE_BYTES_MAX} bytes of its text; the tool get_text reads the rest.`,
  mimeType: 'text/plain',
};

/** The newest completed jobs. */
export function listResources({ jobs }: JobService) {
  const page = jobs.listJobPage({ status: 'completed' }, null, LIST_MAX);
  return page.jobs.map((text) => {
    const { jobId, jobType, sourceName, createdAt } = parseOwnJson<Record<string, string>>(text);
    const name = sourceName ?? `${jobType} ${jobId}`;
    return { uri: PREFIX + jobId, name, description: `${jobType}, ${createdAt}`, mimeType: 'text/plain' };
  });
}

/** Errors: `not_found`, `job_expired`, `conflict`. */
export async function readResource(service: JobService, uri: string) {
  if (!uri.startsWith(PREFIX)) {
    throw new QuarryError('not_found', `There is no resource ${uri}. resources/list names them.`);
  }
  const { text, nextOffset } = await readResourceText(service, uri.slice(PREFIX.length));
  const rest = nextOffset === null ? '' : `\n\n[The text goes on: get_text with offset ${nextOffset}.]`;
  return { uri, mimeType: 'text/plain', text: text + rest };
}

async function readResourceText(service: JobService, jobId: string): Promise<Pick<TextPage, 'text' | 'nextOffset'>> {
  try {
    return await readTextPage(service, jobId, { format: 'text', offset: 0, limit: PAGE_BYTES_MAX });
  } catch (error) {
    const { jobs } = service;
    if (!(error instanceof QuarryError) || error.code !== 'not_found') throw error;
    // Results without text, such as speech, are shown as their job object.
    const body = jobs.jobBodyText(jobs.row(jobId));
    if (typeof body !== 'string' || body.length > PAGE_BYTES_MAX) throw error;
    return { text: body, nextOffset: null };
  }
}

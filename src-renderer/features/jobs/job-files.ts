/** The files of a job for download, named after the source: `talk.srt`, `report.md`. */

import { adminPath } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { resultFiles, withAccessTicket } from '../results/shapes.ts';
import { job as texts } from './job-texts.ts';

interface JobFile {
  name: string;
  path: string;
  about?: string;
}

/** Order in the menu. The first is on the button. Of two endings of a name the longer one counts. */
const ORDER = ['.md', 'pages.jsonl', '.mp3', '.srt', '-digest.md', '.txt', '.vtt', '.wav', '.json', '.jsonl'];

/** Pictures are shown in the result; previews are the beginning of the sound. */
const LEFT_OUT = /\.(?:png|jpe?g|webp)$|preview/i;

/** Names of results that are the text or sound itself: only their ending matters. */
const WHOLE = /^(?:document|transcript|audio|captions?|speech|music)\.(\w+)$/i;

export function downloadsOf(environment: EnvironmentName, job: Job, record: JobRecord | undefined): JobFile[] {
  const base = baseName(record?.label || job.sourceName || job.jobType.replaceAll('/', '-'));
  const files = resultFiles(job, record)
    .filter(({ name }) => !LEFT_OUT.test(name))
    .map(({ name, url }): JobFile => {
      const ending = WHOLE.exec(name)?.[1];
      return describedJobFile(ending === undefined ? `${base}-${name}` : `${base}.${ending}`, url);
    })
    .sort((one, other) => jobFileOrder(one.name) - jobFileOrder(other.name));
  const taken = new Set(files.map(({ name }) => name));
  // The text of `notes.txt` has the same name.
  const source = uploadedSourceFiles(environment, record).map((file) =>
    taken.has(file.name) ? { ...file, name: file.name.replace(/(\.\w+)?$/, ' (source)$1') } : file,
  );
  return [...files, ...source];
}

function describedJobFile(name: string, path: string): JobFile {
  const about = texts.forms[name.split('.').at(-1) ?? ''];
  return about === undefined ? { name, path } : { name, path, about };
}

function jobFileOrder(name: string): number {
  const [ending] = ORDER.filter((one) => name.endsWith(one)).sort((one, other) => other.length - one.length);
  return ending === undefined ? ORDER.length : ORDER.indexOf(ending);
}

/** The uploaded file, if the job has one. */
export function uploadedSourceFiles(environment: EnvironmentName, record: JobRecord | undefined): JobFile[] {
  if (!record?.source) return [];
  const path = withAccessTicket(adminPath(environment, `/jobs/${record.jobId}/source`), record);
  return [{ name: record.source.fileName ?? texts.sourceFile, path, about: texts.forms.original ?? '' }];
}

const NAME_MAX = 48;

/** A file name without its ending, or the host of an address. */
export function baseName(source: string): string {
  const url = /^https?:\/\//i.test(source) ? URL.parse(source) : null;
  const name = (url?.pathname ?? source).replace(/\.[a-z0-9]{1,5}$/i, '');
  const plain = `${url?.host ?? ''}${name}`.replace(/[\\/:*?"<>|\p{Cc}]+/gu, '-');
  const short = plain.length > NAME_MAX ? plain.slice(0, NAME_MAX).replace(/\s\S*$/, '') : plain;
  return short.replace(/^[-\s]+|[-\s.]+$/g, '') || 'result';
}

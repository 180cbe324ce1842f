import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Rendered, renderMarkdown } from './markdown.ts';

/** A guide: a Markdown file of the reference folder, named by the file. */
export interface Guide extends Rendered {
  name: string;
  title: string;
}

/** What a newcomer reads first, and what is looked up last; guides named in neither stand between, by name. */
const FIRST = ['getting-started', 'jobs', 'payments', 'payment-errors', 'webhooks', 'errors', 'limits'];
const LAST = ['changes'];

const FILE_NAME = /^([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/;

/** The default address, in commands and tables. The one in JSON within JSON is part of a signed text, and stays. */
const DEFAULT_ORIGIN = /(?<!\\")http:\/\/127\.0\.0\.1:8402\b/g;

/** Reads every guide of the folder: a new file needs no registration. @param origin the address that they show */
export function loadGuides(folder: string, origin: string): Guide[] {
  const names = readdirSync(folder).flatMap((file) => FILE_NAME.exec(file)?.[1] ?? []);
  return names.sort(byPlace).map((name) => {
    const rendered = renderMarkdown(
      readFileSync(join(folder, `${name}.md`), 'utf8').replaceAll(DEFAULT_ORIGIN, origin),
    );
    const title = rendered.headings.find(({ level }) => level === 1)?.text;
    if (title === undefined) throw new Error(`The guide ${name}.md has no heading of the first level.`);
    return { name, title, ...rendered };
  });
}

function byPlace(one: string, other: string): number {
  return placeOf(one) - placeOf(other) || (one < other ? -1 : 1);
}

function placeOf(name: string): number {
  if (LAST.includes(name)) return FIRST.length + 1 + LAST.indexOf(name);
  return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
}

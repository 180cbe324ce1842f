/** Sentences of the server in the words of the command line: its flags and commands in place of fields and routes. */

import { byName } from '../platform/records.ts';

/** Flags whose field has another name. The others differ in their hyphens alone. */
const FLAGS: Readonly<Record<string, string>> = byName({
  transcriptionModel: '--model',
  durationSeconds: '--duration',
  scopes: '--scope',
  expiresAt: '--expires-days',
  language: '--language',
  speakers: '--speakers',
  depth: '--depth',
  maxPages: '--max-pages',
  include: '--include',
  exclude: '--exclude',
  render: '--render',
  priority: '--priority',
  voice: '--voice',
  limit: '--limit',
  mode: '--mode',
  filter: '--filter',
  name: '--name',
});

/** Commands in place of routes, the first that fits. */
const ROUTES: readonly [RegExp, string][] = [
  [/\bPOST \/admin\/\S*\/install\b(?:\?from=source)?/g, '--install'],
  [/`?Prefer: install(?:=ask)?`?/g, '--install'],
  [/\bPOST (?:\/v1)?\/extract\/(?:hosted-)?video\b(?: as sourceUrl)?/g, 'quarry transcribe'],
  [/\bPOST (?:\/v1)?\/extract\/[a-z-]+/g, 'quarry read'],
  [/\bPOST (?:\/v1)?\/crawl\b/g, 'quarry crawl'],
  [/\bPOST (?:\/v1)?\/search\b/g, 'quarry search'],
  [/\bPOST (?:\/v1)?\/generate\/audio\b/g, 'quarry say'],
  [/\bGET (?:\/v1)?\/jobs\b(?!\/)/g, 'quarry jobs list'],
  [/\bGET (?:\/v1)?\/jobs\/\{?\w+\}?/g, 'quarry jobs show'],
  [/\bGET \/admin\/keys\b/g, 'quarry key list'],
  [/\b(?:GET|POST|PUT|PATCH|DELETE) \/[^\s,;)]*[^\s,;).:]/g, 'the API'],
];

/** A message of the server, which names fields and routes of the API, for someone who types commands. */
export function nameFlags(message: string): string {
  const named = ROUTES.reduce((text, [route, command]) => text.replaceAll(route, command), message);
  return named.replace(/^(?:options\.|request\.)?([A-Za-z]+)(?:\.\d+)?(?=: )/, (whole, field: string) =>
    Object.hasOwn(FLAGS, field) ? (FLAGS[field] ?? whole) : whole,
  );
}

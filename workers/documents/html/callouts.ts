/** Admonitions: boxes of documentation sites that are notes, tips or warnings, by their classes. */

import { byName } from '../../../src-server/platform/records.ts';

const FRAME = new RegExp(
  '(?:^|\\s)(?:admonition(?:block)?|markdown-alert|theme-admonition|custom-block|callout|bd-callout|notecard|' +
    'starlight-aside|hint|alert|NOTE|TIP|IMPORTANT|WARNING|CAUTION)(?:\\s|$)',
);

/** Python-Markdown makes `details` with the kind alone as their class. */
const ONLY_KIND = /^(?:note|tip|info|warning|danger|caution|important)$/;

const KIND = new RegExp(
  '(?:^|[\\s_-])(note|info|information|seealso|abstract|summary|question|example|quote|todo|tip|hint|' +
    'success|important|warning|attention|caution|danger|error|failure|bug)(?:[\\s_-]|$)',
  'i',
);

/** An `alert` without a kind is a message of the site. */
const NEEDS_KIND = /(?:^|\s)(?:alert|hint|callout|custom-block)(?:\s|$)/;

const TITLE = /(?:title|heading|header)(?:$|[\s_-])/i;

export type CalloutKind = 'NOTE' | 'TIP' | 'IMPORTANT' | 'WARNING' | 'CAUTION';

const KINDS: Readonly<Record<string, CalloutKind>> = byName({
  tip: 'TIP',
  hint: 'TIP',
  success: 'TIP',
  important: 'IMPORTANT',
  warning: 'WARNING',
  attention: 'WARNING',
  caution: 'CAUTION',
  danger: 'CAUTION',
  error: 'CAUTION',
  failure: 'CAUTION',
  bug: 'CAUTION',
});

/** The kind of an admonition, of those that GitHub's Markdown knows; null for other elements. */
export function calloutKind(tag: string, attributes: Readonly<Record<string, string>>): CalloutKind | null {
  const { class: classes = '', 'data-callout': stated } = attributes;
  const isFrame = FRAME.test(classes) || (tag === 'details' && ONLY_KIND.test(classes));
  if (!isFrame || (tag !== 'div' && tag !== 'aside' && tag !== 'details' && tag !== 'section')) return null;
  const kind = (stated ?? KIND.exec(classes)?.[1])?.toLowerCase();
  if (kind === undefined && NEEDS_KIND.test(classes)) return null;
  return KINDS[kind ?? ''] ?? 'NOTE';
}

export function isCalloutTitle(tag: string, { class: classes = '' }: Readonly<Record<string, string>>): boolean {
  return tag === 'summary' || TITLE.test(classes);
}

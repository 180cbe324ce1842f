/** What a page says of itself: who wrote it, when, in which language, and how certain that is. */

import type { ReactNode } from 'react';
import { formatDate, joinTexts } from '../../components/format.ts';
import { knownLanguageName } from '../../components/language-name.ts';
import { type Fields, objectFields } from './shapes.ts';
import { results as texts } from './texts.ts';

/** @param fields of a page of a crawl; facts that it does not state are left out */
export function StatedFacts({ fields }: { fields: Fields }): ReactNode {
  const t = texts.crawl;
  const stated = [
    { fact: 'author', name: t.author, format: String },
    { fact: 'published', name: t.published, format: formatDate },
    { fact: 'modified', name: t.modified, format: formatDate },
    { fact: 'language', name: t.language, format: knownLanguageName },
  ];
  const evidence = objectFields(fields.evidence);
  return stated.map(({ fact, name, format }) => {
    const value = fields[fact];
    if (typeof value !== 'string' || value === '') return null;
    const doubt = doubtOf(objectFields(evidence?.[fact]), format);
    return (
      <div key={fact}>
        <dt>{name}</dt>
        <dd>
          <bdi>{format(value)}</bdi>
          {doubt !== null && <span className="dim fact-doubt">{doubt}</span>}
        </dd>
      </div>
    );
  });
}

/** Null for what the page states, and nothing denies. */
function doubtOf(evidence: Fields | null, format: (value: string) => string): string | null {
  const { certainty, others } = evidence ?? {};
  if (certainty === 'inferred') return texts.crawl.inferred;
  if (certainty !== 'doubtful') return null;
  const said = Array.isArray(others) ? others.map((other) => format(String(other))) : [];
  return said.length === 0 ? texts.crawl.uncertain : texts.crawl.uncertainOf({ others: joinTexts(said) });
}

/** How certain a fact about a page is. */

/** What says it. */
export type EvidenceSource = 'json-ld' | 'meta' | 'html' | 'time' | 'url' | 'text';

export interface FactEvidence {
  /**
   * `stated`: the page states it, and nothing says otherwise. `inferred`: a time without a label, the address or the
   * text says it. `doubtful`: something else says otherwise.
   */
  certainty: 'stated' | 'inferred' | 'doubtful';
  by: EvidenceSource[];
  /** What else is said. */
  others: string[];
}

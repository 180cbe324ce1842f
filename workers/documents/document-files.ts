/** Names of the files that extraction leaves in the job's folder. */
export const DOCUMENT_FILES = {
  markdown: 'document.md',
  text: 'document.txt',
  /** The normalised blocks: what chunking anew reads. */
  normalized: 'document.json',
  chunks: 'chunks.jsonl',
} as const;

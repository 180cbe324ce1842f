/** The specification's resources as schemas. The only barrel in the tree: what clients of the server may see. */
export * from './account.ts';
export * from './audio.ts';
export * from './challenge.ts';
export * from './chunk.ts';
export * from './contribution.ts';
export * from './crawl.ts';
export * from './document.ts';
export * from './errors.ts';
export * from './job.ts';
export * from './job-draft.ts';
export * from './problem.ts';
export * from './search.ts';
export * from './settings.ts';
export * from './source.ts';
export * from './task-error.ts';
export * from './transcript.ts';
export * from './webhook.ts';

import { type SourceFile, visit } from './source-files.ts';

/** The functions of features/jobs/store.ts that can change a row's status. */
const JOB_WRITERS = new Set(['insertJob', 'changeJob']);

/** Kysely's and SQL's ways to write the table of jobs. */
const WRITES_JOBS =
  /\b(?:insertInto|updateTable|deleteFrom)\(\s*['"`]jobs['"`]|\b(?:insert into|update|delete from) jobs\b/i;

/** Whether the file passes a status to one of the writers of job rows. */
export function writesStatus(file: SourceFile): boolean {
  let found = false;
  visit(file.program, (node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return;
    if (!JOB_WRITERS.has(node.callee.name)) return;
    for (const argument of node.arguments) {
      visit(argument, (inner) => {
        found ||= inner.type === 'Property' && inner.key.type === 'Identifier' && inner.key.name === 'status';
      });
    }
  });
  return found;
}

/** Whether the file writes the table of jobs itself. Migrations are frozen and may. */
export function writesJobs({ path, text }: SourceFile): boolean {
  return !path.endsWith('/migrations.ts') && WRITES_JOBS.test(text);
}

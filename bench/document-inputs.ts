/** .docx files for the benchmarks, as pandoc writes them. */
import { execFileSync } from 'node:child_process';

const WORDS = 'The appliance reads a document and cuts its text into chunks that follow paragraphs and headings. ';

/** A document as people write it, about a third of a page a section: headings, bold and italic words, lists, tables. */
export function writeDocument(path: string, sections: number): void {
  const parts = Array.from({ length: sections }, (_, n) => {
    const text = Array.from({ length: 4 }, (_, k) => `${WORDS}Sentence **${n}.${k}** of section *${n}*. `).join('');
    const table =
      n % 10 === 0 ? `| Item | Count |\n|---|---|\n| first ${n} | ${n} |\n| second ${n} | ${n * 2} |\n\n` : '';
    return `## Section ${n}\n\n${text}\n\n- one of ${n}\n- another of ${n}\n\n${table}`;
  });
  execFileSync('pandoc', ['-f', 'markdown', '-t', 'docx', '-o', path], { input: parts.join('\n') });
}

import { DocumentExtraction, DocumentResult } from '../../contract/index.ts';
import { defineOperation } from '../../operation.ts';
import { MIB } from '../../platform/units.ts';

export const extractDoc = defineOperation({
  id: 'extract/doc',
  summary: 'Extract the text of a document as chunks',
  description: `Reads .docx, .docm, .dotx, .doc, .odt, .rtf, .txt, .md and .html, judged by their bytes, and cuts the
text into chunks of about \`segmentLength\` characters that follow paragraphs, headings and sentences. Embedded images
are ignored, captions are kept. Tracked changes are accepted and comments removed unless \`includeComments\` is true. A
small document's chunks ride in the 202 already. A .pdf becomes a job of type \`extract/pdf\`.`,
  mode: 'job',
  price: { amount: 140_000, timeoutSeconds: 300 },
  idPrefix: 'job',
  lane: 'light',
  request: DocumentExtraction,
  source: {
    kinds: ['docx', 'doc', 'odt', 'rtf', 'text', 'markdown', 'html', 'ole', 'old-word'],
    sizeLimit: 'document',
    reroutes: { pdf: 'extract/pdf' },
  },
  result: DocumentResult,
  example: { request: { sourceUrl: 'https://files.example/annual-report.docx', sourceName: 'Annual report' } },
  retry: { attempts: 3, baseDelaySeconds: 5 },
  timeLimitSeconds: 600,
  firstRun: { seconds: 1, secondsPerMegabyte: 1 },
  inlineWait: { milliseconds: 1500, belowBytes: MIB },
  run: (request, ports, signal) => ports.documents.extract(ports.source, request.options, signal),
});

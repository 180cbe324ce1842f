import { DocumentExtraction, DocumentResult } from '../../contract/index.ts';
import { defineOperation } from '../../operation.ts';

export const extractPdf = defineOperation({
  id: 'extract/pdf',
  summary: 'Extract the text of a PDF as chunks with page numbers',
  description: `Reads a PDF's text in reading order, with its page numbers, headings, lists and tables where they can be
found, and cuts it into chunks of about \`segmentLength\` characters. Pages without a usable text layer are recognised
(OCR) in \`language\`, or in the language the document states; \`document.ocr\` says which pages those were and how sure
the recognition is. \`includeComments\` keeps annotations. A PDF that needs a password is refused.`,
  mode: 'job',
  price: { amount: 140_000, timeoutSeconds: 300 },
  idPrefix: 'job',
  lane: 'heavy',
  request: DocumentExtraction,
  source: { kinds: ['pdf'], sizeLimit: 'document' },
  result: DocumentResult,
  example: { request: { sourceUrl: 'https://files.example/annual-report.pdf', sourceName: 'Annual report' } },
  retry: { attempts: 3, baseDelaySeconds: 5 },
  // Two thousand scanned pages at two pages a second, with room for a slow machine.
  timeLimitSeconds: 7200,
  firstRun: { seconds: 2, secondsPerMegabyte: 2 },
  run: (request, ports, signal) => ports.documents.extract(ports.source, request.options, signal),
});

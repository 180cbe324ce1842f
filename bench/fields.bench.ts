/**
 * JSON by schema on documents with known fields: an invoice, a form and minutes. Counts values that are right, null
 * though stated, wrong, and invented (the document does not state them).
 *
 *     npm run bench fields
 *
 * `QUARRY_BENCH_MODEL` is the path of a .gguf file, `QUARRY_BENCH_TEXT_SERVER` the address of a text server. Without
 * either, the tiny model of the tests shows only that nothing is invented.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Extracted } from '../src-server/features/fields/schema.ts';
import type { Job } from '../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../test/harness/appliance.ts';
import { fileForm, finished } from '../test/harness/jobs.ts';
import { TINY_MODEL_PATH } from '../test/harness/text-models.ts';
import { printTable } from './figures.ts';

interface Sample {
  name: string;
  text: string;
  properties: Record<string, object>;
  truth: Record<string, unknown>;
}

const text = (description: string) => ({ type: 'string', description });
const date = (description: string) => ({ type: 'string', format: 'date', description });
const amount = (description: string) => ({ type: 'number', description });

const SAMPLES: readonly Sample[] = [
  {
    name: 'invoice',
    text: [
      '# Invoice',
      '',
      'Harbour Supplies Ltd, 3 Quay Road, Portsmouth',
      '',
      'Invoice number: HS-20417',
      '',
      'Invoice date: 24 November 2026',
      '',
      'Payable by: 24 December 2026',
      '',
      '| Item | Quantity | Price |',
      '|---|---|---|',
      '| Rope, 20 m | 3 | 37.50 |',
      '| Anchor chain | 1 | 1,230.00 |',
      '| Paint, red | 4 | 58.00 |',
      '',
      'Net: 1,325.50 EUR',
      '',
      'Tax 20 %: 265.10 EUR',
      '',
      'Total: 1,590.60 EUR',
    ].join('\n'),
    properties: {
      seller: text('Company that sends the invoice'),
      number: text('Number of the invoice'),
      date: date('Date of the invoice'),
      due: date('Day by which the invoice is to be paid'),
      total: amount('Total with tax'),
      currency: { enum: ['EUR', 'USD', 'GBP'] },
      iban: text('Bank account number (IBAN)'),
      items: {
        type: 'array',
        items: { type: 'object', properties: { name: text('Name of the item'), price: amount('Price') } },
      },
    },
    truth: {
      ...{ '/seller': 'Harbour Supplies Ltd', '/number': 'HS-20417', '/date': '2026-11-24', '/due': '2026-12-24' },
      ...{ '/total': 1590.6, '/currency': 'EUR', '/iban': null, '/items/0/name': 'Rope, 20 m', '/items/0/price': 37.5 },
      ...{
        '/items/1/name': 'Anchor chain',
        '/items/1/price': 1230,
        '/items/2/name': 'Paint, red',
        '/items/2/price': 58,
      },
    },
  },
  {
    name: 'form',
    text: [
      '# Application for a berth',
      '',
      'Surname: Lovelace',
      '',
      'First name: Ada',
      '',
      'Born: 10 December 1990',
      '',
      'Telephone:',
      '',
      'Boat: Analytical Engine, sailing yacht, length 9.4 m',
      '',
      '☒ Insurance attached',
      '',
      '☐ Electricity wanted',
    ].join('\n'),
    properties: {
      surname: text('Surname of the applicant'),
      firstName: text('First name of the applicant'),
      born: date('Date of birth'),
      telephone: text('Telephone number'),
      boat: text('Name of the boat'),
      length: amount('Length of the boat in metres'),
      insured: { type: 'boolean', description: 'Whether the insurance is attached' },
    },
    truth: {
      ...{ '/surname': 'Lovelace', '/firstName': 'Ada', '/born': '1990-12-10', '/telephone': null },
      ...{ '/boat': 'Analytical Engine', '/length': 9.4, '/insured': true },
    },
  },
  {
    name: 'minutes',
    text: [
      '# Minutes of the harbour board, 3 March 2026',
      '',
      'Chair: Grace Hopper. Present: A. Turing, K. Johnson, E. Noether.',
      '',
      'The board spoke about the weather of the season, the state of the moorings and the visitors of the summer. '.repeat(
        40,
      ),
      '',
      '## Budget',
      '',
      'The board approved a budget of 48,000 EUR for the new crane.',
      '',
      'Several members asked for figures of former years, which the office will send. '.repeat(40),
      '',
      '## Next meeting',
      '',
      'The next meeting is on 7 April 2026 at 18:30.',
    ].join('\n'),
    properties: {
      chair: text('Who chaired the meeting'),
      date: date('Date of this meeting'),
      budget: amount('Approved budget in EUR'),
      next: date('Date of the next meeting'),
      vote: text('Result of the vote'),
      present: { type: 'array', items: text('Name of a person who was present') },
    },
    truth: {
      ...{ '/chair': 'Grace Hopper', '/date': '2026-03-03', '/budget': 48_000, '/next': '2026-04-07', '/vote': null },
      ...{ '/present/0': 'A. Turing', '/present/1': 'K. Johnson', '/present/2': 'E. Noether' },
    },
  },
];

async function main(): Promise<void> {
  const { QUARRY_BENCH_MODEL: modelPath, QUARRY_BENCH_TEXT_SERVER: server } = process.env;
  const appliance = await startAppliance({ knownTextServers: server === undefined ? [] : [server] });
  try {
    if (server === undefined) {
      await mkdir(join(appliance.dataDir, 'models'), { recursive: true });
      await copyFile(modelPath ?? TINY_MODEL_PATH, join(appliance.dataDir, 'models', 'bench.gguf'));
    }
    const rows: Record<string, string | number>[] = [];
    for (const sample of SAMPLES) rows.push(await measure(appliance, sample));
    printTable(rows);
  } finally {
    await appliance.close();
  }
}

async function measure(appliance: Appliance, { name, text: content, properties, truth }: Sample) {
  const options = JSON.stringify({ schema: { type: 'object', properties } });
  const started = performance.now();
  const body = fileForm(content, `${name}.md`, { options });
  const accepted = await appliance.owner('/v1/extract/doc', { method: 'POST', body });
  const job: Job = await finished(appliance.owner, ((await accepted.json()) as Job).jobId);
  const seconds = (performance.now() - started) / 1000;
  const { extracted } = job.result as unknown as { extracted: Extracted };
  const found = new Map(extracted.fields.map(({ path, value }) => [path, value]));
  const counts = { right: 0, null: 0, wrong: 0, invented: 0 };
  for (const path of new Set([...Object.keys(truth), ...found.keys()])) {
    const [value, stated] = [found.get(path) ?? null, truth[path] ?? null];
    if (value === stated) counts.right += 1;
    else counts[value === null ? 'null' : stated === null ? 'invented' : 'wrong'] += 1;
  }
  return { document: name, values: Object.keys(truth).length, ...counts, questions: extracted.passes, seconds };
}

await main();

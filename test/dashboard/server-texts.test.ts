import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compileMessages, eachMessage, type Messages, readMessages, templateOf } from '../../scripts/messages.ts';
import { presentAlert } from '../../src-server/features/alerts/present.ts';
import type { AlertFacts } from '../../src-server/features/alerts/schema.ts';
import type { AlertRow } from '../../src-server/features/alerts/store.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { parseWithSchema } from '../../src-server/platform/http/validate.ts';
import type { MessageModule } from '../../src-server/platform/text/format-message.ts';
import { findTemplate, isBare } from '../../src-server/platform/text/match-template.ts';
import { type KnownText, readingServerTexts } from '../../src-server/platform/text/read-server-text.ts';
import { pagesSaid, saidTogether, say } from '../../src-server/platform/text/say.ts';
import { TimeZone } from '../../src-server/platform/time-zone.ts';
import { ROOT } from '../architecture/source-files.ts';

const english = serverMessagesOf('en');

const TEMPLATES = [...english].map(([key, message]) => templateOf(key, message));

/** Languages without one Latin word, but for names of programs, formats and options. */
const OTHER_SCRIPTS = ['ja', 'zh-Hans', 'ar'];

function serverMessagesOf(language: string): Map<string, string> {
  const { server } = readMessages(join(ROOT, 'resources/languages', `${language}.json`));
  return new Map(eachMessage(server as Messages));
}

async function readAs(language: string): Promise<KnownText> {
  const messages = Object.fromEntries(serverMessagesOf(language));
  const source = `data:text/javascript,${encodeURIComponent(compileMessages(messages))}`;
  const { default: make }: MessageModule = await import(source);
  return readingServerTexts(TEMPLATES, make, { language, locale: language });
}

/** A value that no template has, and that no text between values contains. */
const wordAt = (index: number) => `w${index}x`;

const madeOf = (texts: readonly string[], valueAt: (index: number) => string) =>
  texts.map((text, index) => `${text}${index < texts.length - 1 ? valueAt(index) : ''}`).join('');

describe('texts of the server in the language of the reader', () => {
  test('each template is found again, with its values', () => {
    const lost = TEMPLATES.filter(([, texts, names]) => {
      const found = findTemplate(TEMPLATES, madeOf(texts, wordAt), () => true);
      const values = names.map((_, index) => wordAt(index));
      // Two templates may differ in the names of their values alone: each language says both alike, see below.
      const shape = TEMPLATES.find(([other]) => other === found?.key)?.[1];
      return shape?.join('{}') !== texts.join('{}') || Object.values(found?.values ?? {}).join() !== values.join();
    });
    expect(lost.map(([key]) => key)).toEqual([]);
  });

  test('a template without words of its own is found only around a text that is known', () => {
    const isSentence = (value: string) => value === 'The file is empty.';
    expect(findTemplate(TEMPLATES, 'note: anything at all', isSentence)).toBeNull();
    expect(findTemplate(TEMPLATES, 'a.txt: The file is empty.', isSentence)).not.toBeNull();
  });

  test.each(['de', 'fr', 'es', 'pt-BR', 'ja', 'zh-Hans', 'ar'])('%s: each text is shown in it', async (language) => {
    const inLanguage = await readAs(language);
    const messages = serverMessagesOf(language);
    const wrong = TEMPLATES.filter(([, texts]) => !isBare(texts)).flatMap(([key, texts]) => {
      const shown = inLanguage(madeOf(texts, wordAt))?.replaceAll(/[\u2068\u2069]/g, '');
      const [, own, names] = templateOf(key, messages.get(key) ?? '');
      const order = new Map(templateOf(key, english.get(key) ?? '')[2].map((name, index) => [name, index]));
      const wanted = madeOf(own, (index) => wordAt(order.get(names[index] ?? '') ?? -1));
      return shown === wanted ? [] : [`${key}: ${shown}`];
    });
    expect(wrong).toEqual([]);
  });

  test('values are said in the language too: counts, numbers, sizes, languages, sentences within sentences', async () => {
    const inGerman = await readAs('de');
    const german = serverMessagesOf('de');
    expect(inGerman(say`Read ${3} of ${pagesSaid(12)}`)).toContain('12 Seiten');
    const inside = say`The file is empty.`;
    expect(inGerman(say`The pictures could not be read: ${inside}`)).toContain(german.get('theFileIsEmpty') ?? '?');
    expect(inGerman(saidTogether([inside, say`Drawings are not read.`]))).toBe(
      `${german.get('theFileIsEmpty')} ${german.get('drawingsAreNotRead')}`,
    );
    expect(inGerman(say`No speech model for ${'French'} is installed.`)).toContain('Französisch');
    expect(inGerman('1,234 pages')).toBe('1.234 Seiten');
  });

  test.each(OTHER_SCRIPTS)('%s has no English word', (language) => {
    const wrong = [...serverMessagesOf(language)].flatMap(([key, message]) => {
      const plain = message
        .replaceAll(/\{\w+\}|<[^<>]*>/g, ' ')
        .replaceAll(/openssl rand -base64 24|sudo [\w ]+|brew install.*|winget install.*/g, ' ');
      // A name of a format, a program, an option or an address stands in the English text as it is, not as a word of it.
      const words = (plain.match(/(?<![\w./`-])[a-z]{3,}(?![\w./`-])/g) ?? []).filter((word) => !NAMES.has(word));
      return words.length === 0 ? [] : [`${key}: ${words.join()}`];
    });
    expect(wrong).toEqual([]);
  });

  test.each(['de', 'ja', 'ar'])('%s: each alert is said in it, and why a field is not valid', async (language) => {
    const inLanguage = await readAs(language);
    const alerts = ALERTS.map((facts) =>
      presentAlert(
        { ...NO_ALERT, kind: facts.kind, facts: JSON.stringify(facts) },
        { environment: 'production', operations: [], isInstalling: () => false },
      ),
    );
    const said = [...alerts.flatMap(({ title, message }) => [title, message]), ...fieldErrors()];
    expect(said.length).toBeGreaterThan(30);
    expect(said.filter((text) => inLanguage(text) === null)).toEqual([]);
    const shown = said.map((text) => inLanguage(text)?.replaceAll(/[\u2068\u2069]/g, '') ?? '');
    expect(shown.filter((text) => /\b(?:the|at|is|give|jobs?)\b/.test(text))).toEqual([]);
  });

  test('a text of a foreign program has no message', async () => {
    const inJapanese = await readAs('ja');
    expect(inJapanese('ffmpeg: moov atom not found')).toBeNull();
    expect(inJapanese('')).toBeNull();
  });

  test('a long Arabic name stays whole in a Latin sentence', async () => {
    const inGerman = await readAs('de');
    const name = 'ملف'.repeat(67).slice(0, 200);
    expect(inGerman(say`Reading ${name}`)).toContain(name);
  });
});

/** Names of options and their values, programs and formats, which no language translates. */
const NO_ALERT: AlertRow = {
  ...{ seq: 1, id: 'alr_1', kind: 'disk-low', subject: 'disk', facts: '{}' },
  ...{ raised_at: 0, updated_at: 0, cleared_at: null },
};

const REASON = say`The file is empty.`;

const JOB = { jobId: 'job_1', jobName: 'Report.pdf', reason: REASON };

const FAILING = { kind: 'jobs-failing', operationId: 'extract/doc', ...JOB, failedAt: 0, isMended: false } as const;

const ENDPOINT = { webhookId: 'whk_1', name: null, url: 'http://127.0.0.1/', notice: null };

const NEEDED = {
  ...JOB,
  missing: null,
  choice: {
    ...{ kind: 'model' as const, name: 'tiny', title: 'Tiny', sizeBytes: 1_000_000, licence: 'MIT', note: '' },
    ...{ source: '127.0.0.1', recommended: true, fits: true },
  },
};

const ALERTS: AlertFacts[] = [
  { ...FAILING, failures: 1 },
  { ...FAILING, failures: 3 },
  { kind: 'endpoint-failing', ...ENDPOINT, responseStatus: 500, errorClass: null },
  { kind: 'endpoint-failing', ...ENDPOINT, responseStatus: null, errorClass: 'timeout' },
  { kind: 'disk-low', freeBytes: 1_073_741_824, limitBytes: 2_147_483_648 },
  { kind: 'backup-failed', reason: say`The disk is full. Free some space, then try again.` },
  { kind: 'install-needed', ...NEEDED, waitingJobs: 0, forNode: false },
  { kind: 'install-needed', ...NEEDED, waitingJobs: 1, forNode: false },
  { kind: 'install-needed', ...NEEDED, waitingJobs: 1, forNode: true },
  { kind: 'install-needed', ...NEEDED, waitingJobs: 2, forNode: false },
  { kind: 'install-needed', ...NEEDED, waitingJobs: 2, forNode: true },
];

/** Sentences of each kind of field error. */
function fieldErrors(): string[] {
  const Everything = z.strictObject({
    ...{ text: z.string(), count: z.int(), is: z.boolean(), many: z.array(z.string()), one: z.enum(['a', 'b']) },
    ...{ url: z.url(), time: z.iso.datetime(), email: z.email(), short: z.string().max(3), long: z.string().min(3) },
    ...{
      few: z.array(z.string()).max(1),
      some: z.array(z.string()).min(2),
      low: z.number().max(3),
      high: z.int().min(5),
    },
    ...{
      above: z.number().gt(2),
      below: z.number().lt(2),
      even: z.number().multipleOf(2),
      form: z.string().regex(/^x/),
    },
    ...{ letter: z.string().min(1), zone: TimeZone },
  });
  const wrong = {
    ...{ text: 1, count: 'x', is: 'x', many: 1, one: 'c', url: 'x', time: 'x', email: 'x', short: 'abcd', long: 'a' },
    ...{ few: ['a', 'b'], some: [], low: 4, high: 1, above: 1, below: 3, even: 3, form: 'y', letter: '', zone: 'Mars' },
  };
  return [{}, wrong, { ...wrong, text: 'x', texts: 'x' }].flatMap((value) => {
    try {
      parseWithSchema(Everything, value);
    } catch (error) {
      if (error instanceof QuarryError) return (error.fields ?? []).map(({ message }) => message);
    }
    return [];
  });
}

const NAMES = new Set([
  ...['ffmpeg', 'npm', 'run', 'zip', 'midi', 'http', 'https'],
  ...['tempo', 'speed', 'language', 'voice', 'render', 'always', 'omitted'],
  ...['ggml', 'root', 'extra', 'asset', 'mode', 'lexical', 'node'],
  // Options, and examples of what is typed.
  ...['auto', 'webhook', 'woodge', 'soft', 'piano', 'rain', 'roof', 'clara', 'eng', 'file', 'null', 'pdf', 'tls'],
  // Models of Whisper, and what pages say of links.
  ...['tiny', 'base', 'small', 'medium', 'large', 'nofollow'],
  // Of SSML, as people write it.
  ...['name', 'level', 'strong', 'moderate', 'none', 'reduced', 'pitch', 'high', 'rate', 'slow', 'strength', 'weak'],
  ...['volume', 'loud', 'time', 'alias'],
]);

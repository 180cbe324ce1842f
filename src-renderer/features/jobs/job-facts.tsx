import type { ReactNode } from 'react';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { clockTime, formatByteCount, formatElapsedTime, joinTexts, shortId } from '../../components/format.ts';
import { Money } from '../../components/money.tsx';
import { type Fact, Time } from '../../components/page-elements.tsx';
import { JobState, jobStateTone } from '../../components/state.tsx';
import { workOf } from '../../components/work.ts';
import { perLocale } from '../../language/locale.ts';
import { messages } from '../../language/start-messages.ts';
import { type Fields, numberOrNull, objectFields, recordList, resultOf } from '../results/shapes.ts';
import { job as texts } from './job-texts.ts';

/** One line of state: what came of the job, when, and what it cost. */
export function jobFacts(job: Job, record: JobRecord | undefined): Fact[] {
  if (job.status === 'completed') {
    return [
      ...contentFacts(job),
      { said: <Ended job={job} record={record} word={texts.facts.done} /> },
      jobPaymentFact(record),
      ...madeWith(record),
    ];
  }
  const state: Fact = { said: <JobState job={job} />, tone: FACT_TONES[jobStateTone(job)] };
  if (job.status === 'failed') {
    const cancelled = job.error?.code === 'cancelled';
    return [
      ...(cancelled
        ? [state]
        : [
            {
              said: job.error === undefined ? texts.facts.failed : messages.errors[job.error.code].heading,
              tone: 'bad' as const,
            },
          ]),
      ...sourceFacts(record),
      { said: <Ended job={job} record={record} word={cancelled ? '' : texts.facts.failed} /> },
      jobPaymentFact(record),
      ...madeWith(record),
    ];
  }
  const submitted = (
    <>
      {texts.facts.submitted} <Time at={job.createdAt} />
    </>
  );
  return [state, ...sourceFacts(record), { said: submitted }, jobPaymentFact(record), ...madeWith(record)];
}

const FACT_TONES = { good: undefined, idle: undefined, bad: 'bad', busy: 'run', warn: 'wait' } as const;

function Ended({ job, record, word }: { job: Job; record: JobRecord | undefined; word: string }): ReactNode {
  const endedAt = record?.endedAt ?? job.updatedAt;
  const started = record?.stages[0]?.startedAt ?? record?.startedAt;
  const took = started ? texts.facts.took({ time: formatElapsedTime(Date.parse(endedAt) - Date.parse(started)) }) : '';
  return (
    <>
      {word} <Time at={endedAt} />
      {took}
    </>
  );
}

function sourceFacts(record: JobRecord | undefined): Fact[] {
  return record?.source ? [{ said: formatByteCount(record.source.sizeBytes) }] : [];
}

const OWNER = 'owner';

function jobPaymentFact(record: JobRecord | undefined): Fact {
  if (record?.payment == null) {
    const isOwn = record === undefined || record.accountId === OWNER;
    return {
      said: isOwn
        ? texts.facts.free
        : joinTexts([texts.facts.free, texts.facts.from({ account: shortId(record.accountId) }).trim()]),
    };
  }
  const { amount, mode, status } = record.payment;
  if (status === 'failed') return { said: texts.facts.notCharged };
  return {
    said: (
      <span title={record.accountId}>
        <Money amount={amount} mode={mode} />
        {texts.facts.from({ account: shortId(record.accountId) })}
      </span>
    ),
  };
}

function madeWith(record: JobRecord | undefined): Fact[] {
  return [
    ...(record?.keyName ? [{ said: texts.facts.madeWith({ key: record.keyName }) }] : []),
    ...(record?.node ? [{ said: texts.facts.onNode({ node: record.node }) }] : []),
  ];
}

/** The size and language of what the job made. */
function contentFacts(job: Job): Fact[] {
  const result = resultOf(job);
  return factsByKind(job, result)
    .filter((said) => said !== null && said !== '')
    .map((said) => ({ said }));
}

function factsByKind(job: Job, result: Fields): (string | null)[] {
  switch (workOf(job).group) {
    case 'read': {
      const facts = objectFields(result.document) ?? {};
      const pages = numberOrNull(facts.pages) ?? 1;
      return [
        pages > 1 ? texts.facts.pages({ count: pages }) : null,
        languageCodeName(facts.language),
        texts.facts.words({ count: numberOrNull(facts.words) ?? 0 }),
      ];
    }
    case 'transcribe': {
      const media = objectFields(result.media) ?? {};
      const length =
        numberOrNull(media.durationSeconds) ?? numberOrNull(objectFields(result.video)?.durationSeconds) ?? 0;
      const said = media.videoCodec == null ? texts.facts.sound : texts.facts.video;
      const transcript = objectFields(result.transcript) ?? {};
      const speakers = recordList(result.speakers).length;
      return [
        length > 0 ? said(clockTime(length)) : null,
        languageCodeName(transcript.language),
        speakers > 0 ? texts.facts.speakers({ count: speakers }) : null,
        texts.facts.words({ count: numberOrNull(transcript.words) ?? 0 }),
      ];
    }
    case 'crawl': {
      const pages = numberOrNull(objectFields(result.stats)?.pages) ?? recordList(result.pages).length;
      const languages = [...new Set(recordList(result.pages).map(({ language }) => languageCodeName(language)))];
      return [texts.facts.pagesRead({ count: pages }), ...languages.slice(0, 3)];
    }
    case 'speak':
    case 'compose': {
      const length = numberOrNull(result.durationSeconds) ?? 0;
      const voice = objectFields(result.voice);
      const made = voice === null ? objectFields(result.music)?.genre : voice.name;
      return [texts.facts.sound({ length: clockTime(length) }), typeof made === 'string' ? made : null];
    }
    case 'write': {
      const content = typeof result.content === 'string' ? result.content : '';
      const words = content.split(/\s+/).filter((word) => word !== '').length;
      return [
        texts.facts.words({ count: words }),
        typeof result.model === 'string' ? texts.facts.model({ model: result.model }) : null,
      ];
    }
    default:
      return [workOf(job).noun];
  }
}

const languages = perLocale((locale) => new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' }));

/** `English` for `en`; null for what is no language code. */
function languageCodeName(code: unknown): string | null {
  if (typeof code !== 'string' || code === '' || code === 'auto') return null;
  try {
    return languages().of(code) ?? null;
  } catch {
    return code;
  }
}

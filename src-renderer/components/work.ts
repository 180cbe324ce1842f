/** Operations in words, as they declare them, and the kinds of work they belong to. An id is never a title. */
import type { FileKind } from '../../src-server/platform/files/kinds.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import type { Job } from '../api/generated/public.ts';
import { OPERATIONS, WORK_GROUPS } from '../api/generated/tables.ts';
import { perLanguage } from '../language/locale.ts';
import { knowWords } from '../language/server-texts.ts';
import { messages } from '../language/start-messages.ts';
import type { IconName } from './icon.tsx';
import { wordsBy } from './literals.ts';

export type Kind = (typeof WORK_GROUPS)[number];

/** Words for the jobs of an operation, or of a variant of it. */
export interface Work {
  group: Kind;
  icon: IconName;
  /** "Document": what the job made, in a list. */
  noun: string;
  /** "PDF documents": in a filter. */
  plural: string;
  /** "Reading": while it runs. */
  doing: string;
  /** Of the one that stands for its kind: its tile, and the name of sums. */
  leads?: { label: string; about: string; plural: string };
}

interface OperationWork extends Work {
  /** "Read a document": for prices, payments and keys. */
  name: string;
  /** "Read documents": for each of many sources. */
  short?: string;
  variants?: Readonly<Record<string, Work>>;
  takes: 'file' | 'page' | 'site' | null;
  /** Kinds of files. */
  reads: readonly FileKind[];
  /** Whether its caller waits for the result. */
  isAnswer: boolean;
  /** Whether the same request may be sent again, or changed. */
  isRepeatable: boolean;
  /** Whether its chunks can be searched. */
  isSearched: boolean;
}

const WORKS: Readonly<Record<string, OperationWork>> = OPERATIONS;

/** All operations in the order of the reference. */
export const OPERATION_IDS: readonly string[] = Object.keys(WORKS);

/** An operation in words. One that this window does not know goes by its id. */
export function workOfOperation(operationId: string): OperationWork {
  const id = operationId;
  const names = { noun: id, plural: id, name: id, doing: id };
  const facts = { takes: null, reads: [], isAnswer: false, isRepeatable: true, isSearched: false };
  const work = WORKS[id];
  return work === undefined ? { group: 'other', icon: 'play', ...names, ...facts } : inLanguage(id, work);
}

const translated = perLanguage(() => new Map<string, OperationWork>());

type TranslatedWords = Partial<Pick<OperationWork, 'name' | 'noun'>> & { variants?: Record<string, { noun?: string }> };

/** The same words in the language of the window. */
function inLanguage(id: string, work: OperationWork): OperationWork {
  const known = translated().get(id);
  if (known !== undefined) return known;
  const { variants = {}, ...own } = wordsBy<TranslatedWords>(messages.operations)[id] ?? {};
  const made: OperationWork = {
    ...work,
    ...own,
    ...omitUndefined({
      variants:
        work.variants &&
        Object.fromEntries(Object.entries(work.variants).map(([name, one]) => [name, { ...one, ...variants[name] }])),
    }),
  };
  translated().set(id, made);
  return made;
}

/** English words of operations by the operation, and by the field that has them in each language. */
const ENGLISH = new Map(
  Object.entries(WORKS).flatMap(([id, { noun, plural, name }]) => [
    [name, () => workOfOperation(id).name] as const,
    [plural, () => workOfOperation(id).plural] as const,
    [noun, () => workOfOperation(id).noun] as const,
  ]),
);

knowWords((word) => ENGLISH.get(word)?.() ?? null);

/** Of each kind the one that stands for it, with its operation. */
const LEADERS = perLanguage(
  () =>
    new Map(
      OPERATION_IDS.flatMap((operationId) => {
        const work = workOfOperation(operationId);
        return [work, ...Object.values(work.variants ?? {})]
          .filter(({ leads }) => leads !== undefined)
          .map((one) => [one.group, { operationId, work: one }] as const);
      }),
    ),
);

/** The kinds that the Run page offers, in their order there. */
export const INTENTS = WORK_GROUPS.filter((kind) => kind !== 'other');

/** The words of a kind: those of the operation, or the variant, that stands for it. */
export function workOfKind(kind: Kind): Work {
  return LEADERS().get(kind)?.work ?? workOfOperation('');
}

/** "Read a document", and one sentence about it. */
export function tileOf(kind: Kind): { label: string; about: string } {
  return workOfKind(kind).leads ?? { label: '', about: '' };
}

/** The operation that an intent runs. */
export function operationOf(kind: Kind): string {
  return LEADERS().get(kind)?.operationId ?? '';
}

/** An operation in words, for prices and payments. */
export function operationName(operationId: string | null): string {
  return operationId === null ? '–' : workOfOperation(operationId).name;
}

/** What an operation does to each of many sources. */
export function eachName(operationId: string): string {
  const { short, name } = workOfOperation(operationId);
  return short ?? name;
}

/** What sums by operation add: kinds of work, and each operation that belongs to none. Plots sort by `place`. */
export interface Sum {
  key: string;
  label: string;
  colour: string;
  place: number;
}

export function sumOf(operationId: string): Sum {
  const { group, plural } = workOfOperation(operationId);
  const place = WORK_GROUPS.indexOf(group);
  const { leads } = workOfKind(group);
  if (group === 'other' || leads === undefined) {
    return { key: operationId, label: plural, colour: 'var(--q-line-control)', place };
  }
  return { key: group, label: leads.plural, colour: `var(--q-kind-${group})`, place };
}

interface KindFacts extends Pick<Job, 'jobType' | 'result'> {
  /** From the job's record or the list. */
  variant?: string | null | undefined;
}

/** The words of a job: those of its variant, such as music, where it has its own. */
export function workOf({ jobType, result, variant }: KindFacts): Work {
  const work = workOfOperation(jobType);
  const made = variant ?? result?.kind;
  return (typeof made === 'string' && work.variants?.[made]) || work;
}

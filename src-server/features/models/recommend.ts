/** Chooses the models to offer for a need, by language, memory and disk. The catalogue holds the facts. */

import { languageCode } from '../../platform/text/language.ts';
import { MIB } from '../../platform/units.ts';
import { aboutBytesOf, type CatalogueModel, type ModelKind } from './schema.ts';

/** Memory and free disk of a machine. */
export interface MachineRoom {
  memoryBytes: number;
  freeDiskBytes: number;
}

export interface Recommendation {
  name: string;
  /** Exactly one is recommended, the first. */
  recommended: boolean;
  /** Whether the machine has the memory to run it and the disk to keep it. */
  fits: boolean;
  /** One sentence on quality, speed and languages. */
  note: string;
}

const MOST = 4;

/** Engines hold the weights and about half as much again for their work. */
const MEMORY_PER_BYTE = 1.5;

const ENGINE_BYTES = 200_000_000;

/** Share of the memory that a model may take beside everything else that runs. */
const MEMORY_SHARE = 0.5;

/** Disk that a download leaves free. */
const DISK_RESERVE_BYTES = 256 * MIB;

/** Needs a program that is not part of the product. */
const GGML = /\.ggml\.bin$/;

/**
 * The models to offer for a need, the recommended one first, at most four. Empty when the catalogue has none for the
 * language. `language` is a BCP 47 or ISO 639 code; null when it is unknown.
 */
export function recommendModels(
  catalogue: readonly CatalogueModel[],
  need: ModelKind,
  language: string | null,
  machine: MachineRoom,
): Recommendation[] {
  const code = languageCode(language);
  const ofKind = catalogue.filter((model) => model.kind === need && !model.files.some(({ name }) => GGML.test(name)));
  const known = ofKind.filter((model) => isMadeForLanguage(model, code));
  // Each voice speaks few languages. For an unknown one, the first of each language are offered.
  const offered = known.length === 0 && code === null ? ofKind.filter(isFirst) : known;
  const able = offered.toSorted((a, b) => recommendationRank(a, code) - recommendationRank(b, code));
  const first = able.find((model) => fitsMachine(model, machine)) ?? able.toSorted(bySize)[0];
  if (first === undefined) return [];
  return [first, ...able.filter((model) => model !== first)].slice(0, MOST).map((model) => ({
    name: model.name,
    recommended: model === first,
    fits: fitsMachine(model, machine),
    note: model.note ?? '',
  }));
}

/** Models for this very language, then the general one to install first, then the order of the catalogue. */
function recommendationRank({ recommendedFor, recommended }: CatalogueModel, code: string | null): number {
  if (code !== null && recommendedFor?.includes(code)) return 0;
  return recommended ? 1 : 2;
}

function isFirst({ recommended, recommendedFor }: CatalogueModel): boolean {
  return recommended === true || recommendedFor !== undefined;
}

/** A model of few languages is no choice for an unknown one. */
function isMadeForLanguage({ languages }: CatalogueModel, code: string | null): boolean {
  return languages === undefined || (code !== null && languages.includes(code));
}

function fitsMachine(model: CatalogueModel, { memoryBytes, freeDiskBytes }: MachineRoom): boolean {
  const bytes = aboutBytesOf(model);
  const needed = bytes * MEMORY_PER_BYTE + ENGINE_BYTES;
  return needed <= memoryBytes * MEMORY_SHARE && bytes + DISK_RESERVE_BYTES <= freeDiskBytes;
}

function bySize(a: CatalogueModel, b: CatalogueModel): number {
  return aboutBytesOf(a) - aboutBytesOf(b);
}

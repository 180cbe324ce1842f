import { toIsoTime } from '../../platform/clock.ts';
import type { DownloadProgress } from '../../platform/net/download.ts';
import type { InstalledModel, InstallRecord, ModelFormat } from './installed.ts';
import { aboutBytesOf, type CatalogueModel, type ModelKind } from './schema.ts';

/** A model as people are shown it. */
export interface ModelView {
  name: string;
  kind: ModelKind;
  title: string;
  language: string | null;
  licence: string | null;
  /** Of its kind, the model to install first. */
  recommended: boolean;
  /** Of the installed files; of the download where it is not installed. */
  sizeBytes: number;
  installed: boolean;
  format: ModelFormat | null;
  origin: 'catalogue' | 'by-hand' | null;
  /** Whether the installed bytes were compared with a checksum that upstream publishes. */
  verified: boolean;
  /** Whether upstream publishes a checksum for all of its files; null where it is not in the catalogue. */
  verifiable: boolean | null;
  installedAt: string | null;
  /** When it was last used by this process. */
  lastUsedAt: string | null;
  download: DownloadProgress | null;
}

/** What is known of one model: at least one of `model` and `installed` is given. */
export interface ModelFacts {
  name: string;
  model: CatalogueModel | null;
  installed: InstalledModel | null;
  record: InstallRecord | null;
  lastUsed: number | undefined;
  download: DownloadProgress | null;
}

export function viewOf({ name, model, installed, record, lastUsed, download }: ModelFacts): ModelView {
  return {
    name,
    kind: installed?.kind ?? (model as CatalogueModel).kind,
    title: model?.title ?? name,
    language: model?.language ?? null,
    licence: model?.licence ?? null,
    recommended: model?.recommended === true,
    sizeBytes: installed?.sizeBytes ?? aboutBytesOf(model as CatalogueModel),
    installed: installed !== null,
    format: installed?.format ?? null,
    origin: installed?.origin ?? null,
    verified: installed?.verified ?? false,
    verifiable: model === null ? null : model.files.every((file) => file.checksum !== null),
    installedAt: record === null ? null : toIsoTime(record.installedAt),
    lastUsedAt: lastUsed === undefined ? null : toIsoTime(lastUsed),
    download,
  };
}

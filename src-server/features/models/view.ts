import { toIsoTime } from '../../platform/clock.ts';
import type { DownloadProgress } from '../../platform/net/download.ts';
import type { InstalledModel, InstallRecord } from './installed.ts';
import { aboutBytesOf, type CatalogueModel, type ModelView } from './schema.ts';

/** Facts about one model. At least one of `model` and `installed` is set. */
export interface ModelFacts {
  name: string;
  model: CatalogueModel | null;
  installed: InstalledModel | null;
  record: InstallRecord | null;
  lastUsed: number | undefined;
  download: DownloadProgress | null;
}

export function modelViewOf({ name, model, installed, record, lastUsed, download }: ModelFacts): ModelView {
  return {
    name,
    kind: installed?.kind ?? (model as CatalogueModel).kind,
    title: model?.title ?? name,
    language: model?.language ?? null,
    licence: model?.licence ?? null,
    recommended: model?.recommended === true,
    sampleSource: model?.sample === undefined ? null : new URL(model.sample.url).host,
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

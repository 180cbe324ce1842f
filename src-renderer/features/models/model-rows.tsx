import { Badge, Button, Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import type { ModelView } from '../../api/generated/owner.ts';
import { modelsQuery, needsQuery } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { failureText } from '../../components/failure-text.ts';
import { formatByteCount, joinTexts } from '../../components/format.ts';
import { Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { serverText } from '../../language/server-texts.ts';
import { ModelSample } from './model-sample.tsx';
import { isModelDownloadUnderWay, type ModelRow } from './tasks.ts';
import { models as modelsTexts } from './texts.ts';

interface ModelRowsProps {
  rows: readonly ModelRow[];
  label: string;
  /** Name of the model whose button stands out. */
  next?: string | undefined;
}

/** Models with their note, size, licence, state and action. */
export function ModelRows({ rows, label, next }: ModelRowsProps): ReactNode {
  return (
    <ul className="rows model-rows" aria-label={label}>
      {rows.map((row) => (
        <li key={row.model.name}>
          <ModelName {...row} />
          <span className="model-size">{formatByteCount(row.model.sizeBytes)}</span>
          <span className="model-licence">{row.model.licence ?? '–'}</span>
          <div className="model-act">
            {!row.model.installed && <ModelSample model={row.model} />}
            <ModelState model={row.model} />
            <ModelAction model={row.model} filled={row.model.name === next} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function ModelName({ model, choice }: ModelRow) {
  const t = modelsTexts;
  const recommended = !model.installed && (choice?.recommended ?? model.recommended);
  const note = choice?.note ? serverText(choice.note) : undefined;
  return (
    <div className="grow">
      <div className="label break">
        <span lang="en">{model.title}</span> {recommended && <Badge variant="light">{t.recommended}</Badge>}
      </div>
      <div className="small dim break">
        {note ?? (model.language === null ? model.name : joinTexts([model.name, model.language]))}
        {choice?.fits === false && <span className="model-slow"> {t.tooLarge}</span>}
      </div>
    </div>
  );
}

function ModelState({ model }: { model: ModelView }) {
  const t = modelsTexts;
  const { download } = model;
  if (isModelDownloadUnderWay(model) && download !== null) {
    const said =
      download.status === 'verifying'
        ? t.verifying
        : t.downloading({ got: formatByteCount(download.receivedBytes), all: formatByteCount(download.totalBytes) });
    return (
      <div className="model-progress">
        <Text size="xs" c="var(--q-run)" role="status">
          {said}
        </Text>
        <Progress value={(100 * download.receivedBytes) / Math.max(1, download.totalBytes)} aria-label={model.name} />
      </div>
    );
  }
  if (model.installed) {
    return (
      <div>
        <State tone="good">{t.installed}</State>
        <Text size="xs" c="dimmed">
          {model.origin === 'by-hand' ? t.byHand : model.verified ? t.verified : t.unverified}
          {model.lastUsedAt !== null && (
            <>
              {joinTexts(['', t.lastUsed])} <Time at={model.lastUsedAt} />
            </>
          )}
        </Text>
      </div>
    );
  }
  if (download?.status !== 'failed') return null;
  return (
    <div role="alert">
      <State tone="bad">{t.failed}</State>
      <Text size="xs" c="dimmed">
        {download.error && failureText(download.error)}
      </Text>
    </div>
  );
}

function ModelAction({ model, filled }: { model: ModelView; filled: boolean }) {
  const t = modelsTexts;
  const params = { path: { name: model.name } };
  const renews = { renews: [modelsQuery().queryKey, needsQuery().queryKey] };
  const install = useChange(() => owner.POST('/admin/models/{name}/install', { params }), renews);
  const cancel = useChange(() => owner.POST('/admin/models/{name}/cancel', { params }), renews);
  const remove = useChange(() => owner.DELETE('/admin/models/{name}', { params }), renews);
  if (isModelDownloadUnderWay(model)) {
    return (
      <Button size="compact-sm" variant="default" onClick={() => cancel.mutate()}>
        {t.cancel}
      </Button>
    );
  }
  if (!model.installed) {
    return (
      <Button
        size="compact-sm"
        variant={filled ? 'filled' : 'default'}
        aria-label={t.installName({ name: model.name })}
        loading={install.isPending}
        onClick={() => install.mutate()}
      >
        {t.install}
      </Button>
    );
  }
  const confirmModelRemoval = () =>
    askFirst({
      title: t.removeSure({ name: model.name }),
      about: t.removeAbout,
      yes: t.remove,
      no: t.keep,
      onYes: () => remove.mutate(),
    });
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={t.removeName({ name: model.name })}
      onClick={confirmModelRemoval}
    >
      {t.remove}
    </Button>
  );
}

import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import { jobKey, needsQuery } from '../../api/queries.ts';
import { failureText } from '../../components/failure-text.ts';
import { clockTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { InstallDialog } from '../models/install-dialog.tsx';
import { type Fields, numberOrNull, objectFields, recordList } from './shapes.ts';
import { results as texts } from './texts.ts';

const POLL_MS = 2000;

/** The view of the digest; none without one. */
export function digestViews(result: Fields): { value: 'digest'; label: string }[] {
  return objectFields(result.digest) === null ? [] : [{ value: 'digest', label: texts.digest.view }];
}

interface DigestProps {
  result: Fields;
  /** Plays from a second; undefined where there is nothing to play. */
  onSeek: ((seconds: number) => void) | undefined;
}

/** Title, summary and action items by the text model. */
export function DigestView({ result, onSeek }: DigestProps) {
  const digest = objectFields(result.digest) ?? {};
  const { title, model } = digest;
  const [summary, actionItems] = [recordList(digest.summary), recordList(digest.actionItems)];
  const t = texts.digest;
  return (
    <div className="digest">
      {typeof title === 'string' && <h2 className="digest-title">{title}</h2>}
      {summary.length === 0 ? (
        <Text c="dimmed">{t.none}</Text>
      ) : (
        <Sentences label={t.summary} sentences={summary} onSeek={onSeek} />
      )}
      {actionItems.length > 0 && (
        <>
          <h3 className="digest-head">{t.actionItems}</h3>
          <Sentences label={t.actionItems} sentences={actionItems} onSeek={onSeek} />
        </>
      )}
      <Text size="sm" c="dimmed">
        {t.madeBy({ model: String(model) })}
      </Text>
    </div>
  );
}

interface SentencesProps extends Pick<DigestProps, 'onSeek'> {
  label: string;
  sentences: readonly Fields[];
}

function Sentences({ label, sentences, onSeek }: SentencesProps) {
  return (
    <ul aria-label={label} className="digest-lines">
      {sentences.map(({ text, who, startSeconds }, index) => {
        const seconds = numberOrNull(startSeconds) ?? 0;
        const at = clockTime(seconds);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: sentences may repeat and never move.
          <li key={index} className="digest-line">
            <button
              type="button"
              className="num digest-at"
              aria-label={texts.seek({ time: at })}
              disabled={onSeek === undefined}
              onClick={() => onSeek?.(seconds)}
            >
              {at}
            </button>
            <span>
              {typeof who === 'string' && <b>{who}: </b>}
              {String(text)}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** Makes the digest of a finished job. Without a text model it asks what to install, and continues afterwards. */
export function Summarise({ jobId, again }: { jobId: string; again: boolean }) {
  const environment = useEnvironment();
  const [asks, setAsks] = useState(false);
  const [installing, setInstalling] = useState<string | null>(null);
  const interval = installing === null ? {} : { refetchInterval: POLL_MS };
  const needs = useQuery({ ...needsQuery(), ...interval });
  const need = needs.data?.needs.find((one) => one.need === 'text');
  const ready = need?.ready === true;
  const download = useQuery({
    ...pageQueryOptions(['models', installing, 'progress'], (signal) =>
      owner.GET('/admin/models/{name}/progress', { params: { path: { name: installing ?? '' } }, signal }),
    ),
    ...interval,
    enabled: installing !== null,
  });
  const { status, error } = download.data ?? {};
  const hasEnded = status === 'failed' || status === 'cancelled';
  const { mutate, isPending } = useChange(
    () => owner.POST('/admin/jobs/{jobId}/digest', { params: { path: { jobId }, query: queryIn(environment, {}) } }),
    { renews: [jobKey(environment, jobId)] },
  );
  useEffect(() => {
    if (installing === null || !ready) return;
    setInstalling(null);
    mutate();
  }, [installing, ready, mutate]);
  const t = texts.digest;
  const waits = installing !== null && !hasEnded;
  return (
    <div className="summarise">
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="sparkles" size={14} />}
        loading={isPending || waits}
        disabled={need === undefined}
        onClick={() => (ready ? mutate() : setAsks(true))}
      >
        {again ? t.again : t.make}
      </Button>
      {(isPending || waits) && (
        <span className="small dim" role="status">
          {waits ? t.installing : t.reading}
        </span>
      )}
      {hasEnded && <span className="small bad">{t.notInstalled({ reason: error ? failureText(error) : '' })}</span>}
      {need !== undefined && (
        <InstallDialog
          need="text"
          name={t.name}
          reason={t.noModel}
          choices={need.choices}
          opened={asks}
          onClose={() => setAsks(false)}
          onInstall={async ({ name }) => {
            await owner.POST('/admin/models/{name}/install', { params: { path: { name } } });
            setInstalling(name);
          }}
        />
      )}
    </div>
  );
}

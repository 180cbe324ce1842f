import { Button, Group } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { owner, useEnvironment } from '../../api/client.ts';
import type { InstallChoice } from '../../api/generated/public.ts';
import { modelsQuery, needsQuery, VOICE_OFFER, voiceOfferQuery, voicesQuery } from '../../api/queries.ts';
import { formatByteCount } from '../../components/format.ts';
import { perLocale } from '../../language/locale.ts';
import { InstallDialog } from '../models/install-dialog.tsx';
import { isModelDownloadUnderWay } from '../models/tasks.ts';
import { run as runTexts } from './texts.ts';

const POLL_MS = 1000;

/** The offer follows the text once the keys rest. */
const PAUSE_MS = 600;

/** Enough to know its language. */
const TEXT_CHARS = 2000;

const languageNames = perLocale((locale) => new Intl.DisplayNames(locale, { type: 'language' }));

interface VoiceOfferProps {
  /** What is to be spoken. */
  text: string;
  /** A download has started. A job that names the voice waits for it and then starts by itself. */
  onInstalling: (slug: string) => void;
}

/** Offers the recommended natural voice of the text's language in one line, and shows its download. */
export function VoiceOffer({ text, onInstalling }: VoiceOfferProps): ReactNode {
  const client = useQueryClient();
  const environment = useEnvironment();
  const [asks, setAsks] = useState(false);
  const [settled] = useDebouncedValue(text.slice(0, TEXT_CHARS), PAUSE_MS);
  const offer = useQuery({ ...voiceOfferQuery(settled), placeholderData: keepPreviousData });
  const models = useQuery({
    ...modelsQuery(),
    refetchInterval: ({ state }) => state.data?.models.some(isModelDownloadUnderWay) === true && POLL_MS,
  });
  const natural = models.data?.models.filter(({ kind }) => kind === 'voice') ?? [];
  const installed = natural.filter((model) => model.installed).length;
  useEffect(() => {
    if (installed === 0) return;
    void client.invalidateQueries({ queryKey: [VOICE_OFFER] });
    void client.invalidateQueries({ queryKey: voicesQuery(environment).queryKey });
    void client.invalidateQueries({ queryKey: needsQuery().queryKey });
  }, [client, environment, installed]);
  const { choices, language } = offer.data ?? { choices: [], language: null };
  const [choice] = choices;
  const download = natural.find(isModelDownloadUnderWay)?.download;
  const failed = natural.find((model) => model.download?.status === 'failed')?.download?.error;
  const t = runTexts.voices.offer;
  if (choice === undefined) return null;
  const installVoiceModel = async ({ name }: InstallChoice) => {
    await owner.POST('/admin/models/{name}/install', { params: { path: { name } } });
    await client.invalidateQueries({ queryKey: modelsQuery().queryKey });
    onInstalling(firstVoiceSlug(name));
  };
  return (
    <Group className="voice-offer" gap="sm" justify="space-between">
      {download ? (
        <span role="status">
          {t.downloading({
            received: formatByteCount(download.receivedBytes),
            total: formatByteCount(download.totalBytes),
          })}
        </span>
      ) : (
        <>
          <span>{offerLine(foreignLanguageName(language), formatByteCount(choice.sizeBytes))}</span>
          <Button size="compact-sm" variant="default" onClick={() => setAsks(true)}>
            {t.install}
          </Button>
        </>
      )}
      {failed && !download && (
        <span className="small bad" role="alert">
          {t.failed({ reason: failed.message })}
        </span>
      )}
      <InstallDialog
        need="voice"
        name={t.name}
        offer={t.title}
        reason={t.reason}
        choices={choices}
        opened={asks}
        onClose={() => setAsks(false)}
        onInstall={installVoiceModel}
      />
    </Group>
  );
}

/** Null for English, which the built-in voices speak, and for an unknown language. */
function foreignLanguageName(language: string | null): string | null {
  if (language === null || language.split('-')[0] === 'en') return null;
  return languageNames().of(language) ?? null;
}

/** The slug that names a model's first voice, installed or not. */
function firstVoiceSlug(model: string): string {
  return `voice-${model}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function offerLine(language: string | null, size: string): string {
  const t = runTexts.voices.offer;
  return language === null ? t.any({ size }) : t.line({ language, size });
}

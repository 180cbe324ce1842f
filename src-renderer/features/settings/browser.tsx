import { Box, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import { followEventStream } from '../../api/event-stream.ts';
import type { BrowserView, DownloadProgress } from '../../api/generated/owner.ts';
import { failureText } from '../../components/failure-text.ts';
import { formatByteCount, joinTexts } from '../../components/format.ts';
import { Failure, Panel, Skeletons } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { mediaTools, models, settings } from '../models/texts.ts';

const browserQuery = () => pageQueryOptions(['browser'], (signal) => owner.GET('/admin/browser', { signal }));

/** The browser of crawls: where it is from, and one to download where none is found. */
export function BrowserPanel() {
  const browser = useQuery(browserQuery());
  const t = settings.browser;
  return (
    <Panel title={settings.parts.reading.lists.browser} about={t.about}>
      {browser.isPending && <Skeletons rows={2} />}
      {browser.isError && <Failure error={browser.error} retry={() => void browser.refetch()} />}
      {browser.data && (
        <Group justify="space-between" align="start" wrap="nowrap">
          <BrowserFacts browser={browser.data} />
          <BrowserButtons browser={browser.data} />
        </Group>
      )}
    </Panel>
  );
}

function BrowserFacts({ browser: { from, offered, fetched } }: { browser: BrowserView }) {
  const t = settings.browser;
  const { states } = mediaTools;
  return (
    <div>
      <Group gap="xs">
        <State tone={from === null ? 'idle' : 'good'}>{from === null ? states.installable : states.ready}</State>
        {from !== null && (
          <Text size="sm">{from === 'system' ? mediaTools.from.path : (mediaTools.from[from] ?? from)}</Text>
        )}
      </Group>
      {fetched !== null && (
        <Text size="xs" c="dimmed" className="break">
          {joinTexts([fetched.version, t.fetched({ size: formatByteCount(fetched.sizeBytes), sum: fetched.sha256 })])}
        </Text>
      )}
      {from === null && offered === null && <Text size="xs">{t.none}</Text>}
      {from === null && offered !== null && (
        <Text size="xs" c="dimmed">
          {t.offer({
            title: offered.title,
            source: offered.source,
            size: formatByteCount(offered.sizeBytes),
            licence: offered.licence,
          })}
        </Text>
      )}
    </div>
  );
}

function BrowserButtons({ browser: { from, offered, fetched, download } }: { browser: BrowserView }) {
  const client = useQueryClient();
  const underWay = download?.status === 'downloading' || download?.status === 'verifying';
  const renews = [browserQuery().queryKey];
  const fetchIt = useChange<void, DownloadProgress>(() => owner.POST('/admin/browser/install'), { renews });
  const remove = useChange(() => owner.DELETE('/admin/browser'), { renews });
  const cancel = useChange(() => owner.POST('/admin/browser/cancel'), { renews });
  useEffect(() => {
    if (!underWay) return;
    const stop = followEventStream('/admin/browser/progress', {
      handlers: {
        progress: (progress: DownloadProgress) => {
          client.setQueryData(browserQuery().queryKey, (all) => all && { ...all, download: progress });
          if (progress.status === 'downloading' || progress.status === 'verifying') return;
          stop();
          void client.invalidateQueries({ queryKey: browserQuery().queryKey });
        },
      },
    });
    return stop;
  }, [client, underWay]);
  if (underWay) return <BrowserProgress download={download} onCancel={() => cancel.mutate(undefined)} />;
  return (
    <Stack gap={4} align="end">
      {from === null && offered !== null && (
        <Button size="compact-sm" variant="default" loading={fetchIt.isPending} onClick={() => fetchIt.mutate()}>
          {models.install}
        </Button>
      )}
      {fetched !== null && (
        <Button size="compact-sm" variant="default" loading={remove.isPending} onClick={() => remove.mutate(undefined)}>
          {models.remove}
        </Button>
      )}
      {download?.status === 'failed' && (
        <Text size="xs" c="red" role="alert">
          {download.error && failureText(download.error)}
        </Text>
      )}
    </Stack>
  );
}

function BrowserProgress({ download, onCancel }: { download: DownloadProgress; onCancel: () => void }) {
  const { status, receivedBytes, totalBytes } = download;
  const figures = { got: formatByteCount(receivedBytes), all: formatByteCount(totalBytes) };
  return (
    <Box miw={160}>
      <Progress
        value={(100 * receivedBytes) / Math.max(1, totalBytes)}
        aria-label={settings.parts.reading.lists.browser}
      />
      <Group justify="space-between" gap="xs" mt={4}>
        <Text size="xs" c="dimmed" role="status">
          {status === 'verifying' ? models.verifying : models.downloading(figures)}
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={onCancel}>
          {models.cancel}
        </Button>
      </Group>
    </Box>
  );
}

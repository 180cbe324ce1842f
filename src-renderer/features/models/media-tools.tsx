import { Box, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { read, useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import { follow } from '../../api/event-stream.ts';
import type { DownloadProgress, MediaTool, operations } from '../../api/generated/owner.ts';
import { bytes } from '../../components/format.ts';
import { Failure, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { texts } from '../../texts.ts';

type MediaAnswer = operations['listMediaTools']['responses'][200]['content']['application/json'];

const mediaToolsQuery = () => read(['media-tools'], (signal) => owner.GET('/admin/media', { signal }));

/** External programs for media. The user can download yt-dlp and update it. */
export function MediaTools() {
  const media = useQuery(mediaToolsQuery());
  return (
    <>
      {media.isPending && <Skeletons rows={3} />}
      {media.isError && <Failure error={media.error} retry={() => void media.refetch()} />}
      <Stack gap="sm">
        {media.data?.tools.map((tool) => (
          <Tool key={tool.name} tool={tool} ytDlp={tool.name === 'yt-dlp' ? media.data.ytDlp : null} />
        ))}
      </Stack>
    </>
  );
}

const TONES = { ready: 'good', buildable: 'idle', missing: 'warn' } as const;

function Tool({ tool, ytDlp }: { tool: MediaTool; ytDlp: MediaAnswer['ytDlp'] | null }) {
  const t = texts.mediaTools;
  return (
    <Group justify="space-between" align="start" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text fw={550}>{tool.name}</Text>
          <State tone={TONES[tool.state]}>{t.states[tool.state]}</State>
        </Group>
        <Text size="xs" c="dimmed">
          {tool.purpose}
          {tool.version !== null && `, ${tool.version}`}
          {tool.from !== null && `, ${t.from[tool.from] ?? tool.from}`}
          {ytDlp?.lastSuccessAt && (
            <>
              , {t.lastSuccess} <Time at={ytDlp.lastSuccessAt} />
            </>
          )}
        </Text>
        {tool.advice !== null && <Text size="xs">{tool.advice}</Text>}
      </div>
      {ytDlp !== null && <FetchYtDlp ytDlp={ytDlp} />}
    </Group>
  );
}

function FetchYtDlp({ ytDlp }: { ytDlp: MediaAnswer['ytDlp'] }) {
  const t = texts.mediaTools;
  const client = useQueryClient();
  const { download } = ytDlp;
  const underWay = download?.status === 'downloading' || download?.status === 'verifying';
  const fetchIt = useChange(() => owner.POST('/admin/media/yt-dlp/install'), { renews: [mediaToolsQuery().queryKey] });
  useEffect(() => {
    if (!underWay) return;
    const stop = follow('/admin/media/yt-dlp/progress', {
      handlers: {
        progress: (data) => {
          const progress = data as DownloadProgress;
          client.setQueryData(
            mediaToolsQuery().queryKey,
            (all) => all && { ...all, ytDlp: { ...all.ytDlp, download: progress } },
          );
          if (progress.status === 'downloading' || progress.status === 'verifying') return;
          stop();
          void client.invalidateQueries({ queryKey: mediaToolsQuery().queryKey });
        },
      },
    });
    return stop;
  }, [client, underWay]);
  if (underWay) {
    return (
      <Box miw={160}>
        <Progress value={(100 * download.receivedBytes) / Math.max(1, download.totalBytes)} aria-label="yt-dlp" />
        <Text size="xs" c="dimmed" role="status">
          {download.status === 'verifying'
            ? texts.models.verifying
            : texts.models.downloading(bytes(download.receivedBytes), bytes(download.totalBytes))}
        </Text>
      </Box>
    );
  }
  return (
    <Stack gap={4} align="end">
      <Button size="compact-sm" variant="default" loading={fetchIt.isPending} onClick={() => fetchIt.mutate()}>
        {ytDlp.fetchedVersion === null ? t.fetch : t.update}
      </Button>
      {download?.status === 'failed' && (
        <Text size="xs" c="red" role="alert">
          {download.error?.message}
        </Text>
      )}
    </Stack>
  );
}

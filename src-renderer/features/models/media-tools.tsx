import { Box, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import { followEventStream } from '../../api/event-stream.ts';
import type { DownloadProgress, MediaTool, operations } from '../../api/generated/owner.ts';
import { failureText } from '../../components/failure-text.ts';
import { formatByteCount, joinTexts } from '../../components/format.ts';
import { Failure, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { serverText } from '../../language/server-texts.ts';
import { mediaTools as mediaToolsTexts, models as modelsTexts } from './texts.ts';

type MediaAnswer = operations['listMediaTools']['responses'][200]['content']['application/json'];

const mediaToolsQuery = () => pageQueryOptions(['media-tools'], (signal) => owner.GET('/admin/media', { signal }));

/** What reads and fetches media. The user can download yt-dlp and ffmpeg, and update them. */
export function MediaTools() {
  const media = useQuery(mediaToolsQuery());
  return (
    <>
      {media.isPending && <Skeletons rows={3} />}
      {media.isError && <Failure error={media.error} retry={() => void media.refetch()} />}
      <Stack gap="sm">
        {media.data?.tools.map((tool) => (
          <Tool key={tool.name} tool={tool} release={releaseOf(tool, media.data)} />
        ))}
      </Stack>
    </>
  );
}

const TONES = { ready: 'good', installable: 'idle', missing: 'warn' } as const;

type Release = MediaAnswer['ytDlp'];

/** The fields of the answer with a download, by the name of their program. */
const RELEASES = { 'yt-dlp': 'ytDlp', ffmpeg: 'ffmpeg' } as const;
type Fetchable = keyof typeof RELEASES;

function isFetchable(name: string): name is Fetchable {
  return name in RELEASES;
}

function releaseOf({ name }: MediaTool, all: MediaAnswer): Release | null {
  return isFetchable(name) ? all[RELEASES[name]] : null;
}

function Tool({ tool, release }: { tool: MediaTool; release: Release | null }) {
  const t = mediaToolsTexts;
  return (
    <Group justify="space-between" align="start" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text fw={550}>{tool.name}</Text>
          <State tone={TONES[tool.state]}>{t.states[tool.state]}</State>
        </Group>
        <Text size="xs" c="dimmed">
          {serverText(tool.purpose)}
          {tool.version !== null && joinTexts(['', tool.version])}
          {tool.from !== null && joinTexts(['', t.from[tool.from] ?? tool.from])}
          {release?.lastSuccessAt && (
            <>
              {joinTexts(['', t.lastSuccess])} <Time at={release.lastSuccessAt} />
            </>
          )}
        </Text>
        {tool.advice !== null && <Text size="xs">{serverText(tool.advice)}</Text>}
      </div>
      {release !== null && isFetchable(tool.name) && <FetchTool name={tool.name} release={release} />}
    </Group>
  );
}

function FetchTool({ name, release }: { name: Fetchable; release: Release }) {
  const t = mediaToolsTexts;
  const client = useQueryClient();
  const { download } = release;
  const underWay = download?.status === 'downloading' || download?.status === 'verifying';
  const fetchIt = useChange<void, DownloadProgress>(
    () => (name === 'ffmpeg' ? owner.POST('/admin/media/ffmpeg/install') : owner.POST('/admin/media/yt-dlp/install')),
    { renews: [mediaToolsQuery().queryKey] },
  );
  useEffect(() => {
    if (!underWay) return;
    const stop = followEventStream(`/admin/media/${name}/progress`, {
      handlers: {
        progress: (progress: DownloadProgress) => {
          client.setQueryData(
            mediaToolsQuery().queryKey,
            (all) => all && { ...all, [RELEASES[name]]: { ...all[RELEASES[name]], download: progress } },
          );
          if (progress.status === 'downloading' || progress.status === 'verifying') return;
          stop();
          void client.invalidateQueries({ queryKey: mediaToolsQuery().queryKey });
        },
      },
    });
    return stop;
  }, [client, name, underWay]);
  if (underWay) {
    return (
      <Box miw={160}>
        <Progress value={(100 * download.receivedBytes) / Math.max(1, download.totalBytes)} aria-label={name} />
        <Text size="xs" c="dimmed" role="status">
          {download.status === 'verifying'
            ? modelsTexts.verifying
            : modelsTexts.downloading({
                got: formatByteCount(download.receivedBytes),
                all: formatByteCount(download.totalBytes),
              })}
        </Text>
      </Box>
    );
  }
  return (
    <Stack gap={4} align="end">
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${release.fetchedVersion === null ? t.fetch : t.update}: ${name}`}
        loading={fetchIt.isPending}
        onClick={() => fetchIt.mutate()}
      >
        {release.fetchedVersion === null ? t.fetch : t.update}
      </Button>
      {download?.status === 'failed' && (
        <Text size="xs" c="red" role="alert">
          {download.error && failureText(download.error)}
        </Text>
      )}
    </Stack>
  );
}

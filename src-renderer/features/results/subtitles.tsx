import { Button, Group, Menu, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { ApiError, owner, queryIn, saveAs, useEnvironment } from '../../api/client.ts';
import type { JobRecord, SubtitledVideo } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { failureText } from '../../components/failure-text.ts';
import { formatByteCount, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure } from '../../components/page-elements.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { serverText } from '../../language/server-texts.ts';
import { withAccessTicket } from './shapes.ts';
import { results as texts } from './texts.ts';

const PRESETS = ['standard', 'netflix', 'netflix-children', 'youtube'] as const;

const FORMS = ['track-mp4', 'track-mkv', 'burned-in'] as const;

type Form = (typeof FORMS)[number];

const POLL_MS = 1000;

interface SubtitlesProps {
  job: Job;
  record: JobRecord | undefined;
  /** Whether the job keeps a video that can carry them. */
  hasVideo: boolean;
  onWritten: () => void;
}

/** The layout of the subtitle files, and videos with them. */
export function Subtitles({ job: { jobId, statusUrl }, record, hasVideo, onWritten }: SubtitlesProps) {
  const environment = useEnvironment();
  const t = texts.subtitles;
  const params = { path: { jobId }, query: queryIn(environment, {}) };
  const key = ['subtitled-video', environment, jobId];
  const made = useQuery({
    ...pageQueryOptions(key, (signal) => owner.GET('/admin/jobs/{jobId}/video', { params, signal })),
    enabled: hasVideo,
    refetchInterval: ({ state }) => (isSubtitlingUnderWay(state.data) ? POLL_MS : false),
  });
  const write = useChange(
    (preset: (typeof PRESETS)[number]) => owner.POST('/admin/jobs/{jobId}/subtitles', { params, body: { preset } }),
    {
      onDone: (written) => {
        showToast({ icon: 'check', message: [t.written, ...(written?.warnings ?? []).map(serverText)].join(' ') });
        onWritten();
      },
    },
  );
  const make = useChange((form: Form) => owner.POST('/admin/jobs/{jobId}/video', { params, body: { form } }), {
    renews: [key],
    showsError: true,
  });
  const cancel = useChange(() => owner.DELETE('/admin/jobs/{jobId}/video', { params }), { renews: [key] });
  const saveSubtitleFile = (name: string) =>
    void saveAs(withAccessTicket(`${new URL(statusUrl).pathname}/files/${name}`, record), name).catch(toastFailure);
  return (
    <div className="subtitle-tools">
      <Group gap={8}>
        <Choice label={t.label} icon="captions" items={PRESETS} names={t.presets} onChoose={write.mutate} />
        {hasVideo && <Choice label={t.video} icon="download" items={FORMS} names={t.forms} onChoose={make.mutate} />}
        {made.data?.files.map(({ name, sizeBytes }) => (
          <Button key={name} size="compact-sm" variant="subtle" onClick={() => saveSubtitleFile(name)}>
            {joinTexts([name, formatByteCount(sizeBytes)])}
          </Button>
        ))}
      </Group>
      {make.isError && <NotMade error={make.error} />}
      {made.data?.status === 'failed' && <Text size="sm">{made.data.error && failureText(made.data.error)}</Text>}
      {isSubtitlingUnderWay(made.data) && (
        <Group gap={8}>
          <Progress flex={1} value={made.data?.percent ?? 0} aria-label={t.making} />
          <Text size="sm">{made.data?.status === 'waiting' ? t.waiting : t.making}</Text>
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => cancel.mutate()}>
            {t.cancel}
          </Button>
        </Group>
      )}
    </div>
  );
}

function isSubtitlingUnderWay(video: SubtitledVideo | undefined): boolean {
  return video?.status === 'waiting' || video?.status === 'making';
}

interface ChoiceProps<Item extends string> {
  label: string;
  icon: 'captions' | 'download';
  items: readonly Item[];
  names: Readonly<Record<Item, string>>;
  onChoose: (item: Item) => void;
}

function Choice<Item extends string>({ label, icon, items, names, onChoose }: ChoiceProps<Item>) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="compact-sm" variant="default" leftSection={<Icon name={icon} size={14} />}>
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map((item) => (
          <Menu.Item key={item} onClick={() => onChoose(item)}>
            {names[item]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Without ffmpeg the window offers to fetch it. */
function NotMade({ error }: { error: Error }) {
  const t = texts.subtitles;
  const fetchIt = useChange(() => owner.POST('/admin/media/ffmpeg/install'));
  const lacks = error instanceof ApiError && error.problem.code === 'engine_unavailable';
  if (!lacks) return <Failure error={error} />;
  return (
    <Group gap={8}>
      <Text size="sm">{fetchIt.isSuccess ? t.fetching : t.needs}</Text>
      {!fetchIt.isSuccess && (
        <Button size="compact-sm" loading={fetchIt.isPending} onClick={() => fetchIt.mutate()}>
          {t.fetch}
        </Button>
      )}
    </Group>
  );
}

import { Anchor, Badge, Button, Grid, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { adminPath, ask, useEnvironment } from '../../api/client.ts';
import type { ModeratedContribution } from '../../api/generated/owner.ts';
import type { ContributionStatus } from '../../api/names.ts';
import { contributionsQuery } from '../../api/queries.ts';
import { shortId } from '../../components/format.ts';
import { CopyId, Empty, Failure, PageHead, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';

const route = getRouteApi('/contributions');

/** Contributions to review. */
export function Contributions() {
  const environment = useEnvironment();
  const { status = 'pending' } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(contributionsQuery(environment, status));
  const found = list.data?.pages.flatMap((page) => page.contributions) ?? [];
  const t = texts.contributions;
  return (
    <>
      <PageHead title={t.title} about={t.about} />
      <SegmentedControl
        mb="md"
        aria-label={texts.jobs.status}
        value={status}
        data={Object.entries(t.statuses).map(([value, label]) => ({ value, label }))}
        onChange={(value) => void navigate({ search: { status: value as ContributionStatus } })}
      />
      <Stack gap="md">
        {list.isPending && <Skeletons rows={5} height={40} />}
        {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
        {list.data && found.length === 0 && (
          <Panel>
            <Empty icon="message-square-diff" title={status === 'pending' ? t.none : t.noneIn}>
              {t.noneHow}
            </Empty>
          </Panel>
        )}
        {found.map((contribution) => (
          <ContributionPanel key={contribution.contributionId} contribution={contribution} />
        ))}
        {list.hasNextPage && (
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {t.more}
          </Button>
        )}
      </Stack>
    </>
  );
}

function ContributionPanel({ contribution }: { contribution: ModeratedContribution }) {
  const t = texts.contributions;
  const { kind, text, chunk, author, contributor, reports, url, license, jobId, reason } = contribution;
  const sender = author === null ? t.anonymous : t.by(author);
  return (
    <Panel
      title={`${t.kinds[kind] ?? kind} ${shortId(contribution.contributionId)}`}
      about={`${sender}, ${t.contributor(contributor.approved, contributor.rejected)}`}
      aside={<Time at={contribution.createdAt} />}
    >
      <Stack gap="md">
        {reports > 0 && <Badge color="red.8">{t.reports(reports)}</Badge>}
        {kind === 'correction' ? (
          <Grid gap="md">
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Quoted title={t.now} text={chunk?.text ?? t.chunkGone} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 6 }}>
              <Quoted title={t.proposed} text={text} />
            </Grid.Col>
          </Grid>
        ) : (
          <Quoted title={t.text} text={text} />
        )}
        <Group gap="lg">
          {url !== null && (
            <Text size="sm" className="break">
              {t.evidence}: {url}
            </Text>
          )}
          {license !== null && (
            <Text size="sm">
              {t.licence}: {license}
            </Text>
          )}
          {jobId !== null && (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/jobs/$jobId"
                  params={{ jobId }}
                  search={{ chunk: contribution.chunkId ?? undefined }}
                />
              )}
            >
              {t.job} {shortId(jobId)}
            </Anchor>
          )}
          <CopyId value={contribution.accountId} label={texts.jobs.facts.account} />
        </Group>
        {reason !== null && (
          <Text size="sm">
            {t.reason}: {reason}
          </Text>
        )}
        <Decision contribution={contribution} />
      </Stack>
    </Panel>
  );
}

function Quoted({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {title}
      </Text>
      <div className="chunk-text">{text}</div>
    </div>
  );
}

function Decision({ contribution }: { contribution: ModeratedContribution }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const t = texts.contributions;
  const decide = useMutation({
    mutationFn: (action: 'approve' | 'reject') => {
      const path = adminPath(environment, `/contributions/${contribution.contributionId}/${action}`);
      return ask(path, { method: 'POST', body: reason.trim() === '' ? {} : { reason: reason.trim() } });
    },
    onSuccess: async (_, action) => {
      notifications.show({ message: action === 'approve' ? t.approved : t.rejected });
      await client.invalidateQueries({ queryKey: ['contributions', environment] });
    },
  });
  if (contribution.status === 'rejected') return null;
  return (
    <Stack gap="sm">
      {decide.isError && <Failure error={decide.error} />}
      <Group align="flex-end" gap="sm" wrap="wrap">
        <TextInput
          flex="1 1 260px"
          label={t.reason}
          description={t.reasonHint}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {contribution.status === 'pending' && (
          <Button loading={decide.isPending} onClick={() => decide.mutate('approve')}>
            {t.approve}
          </Button>
        )}
        <Button
          color="red"
          variant="outline"
          disabled={reason.trim() === ''}
          loading={decide.isPending}
          onClick={() => decide.mutate('reject')}
        >
          {contribution.status === 'pending' ? t.reject : t.withdraw}
        </Button>
      </Group>
    </Stack>
  );
}

import { Alert, Button, Group, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { ModeratedContribution } from '../../api/generated/owner.ts';
import { contributionsQuery } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { clockTime, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { KeyHint } from '../../components/key-hint.tsx';
import { pair } from '../../components/literals.ts';
import { CopyId, Empty, Facts, Failure, PageHead, Skeletons, Time } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { correctionReachText } from '../results/correction-reach.ts';
import { contributions as contributionsTexts } from './texts.ts';
import { shortTitle, titleOfDiff, wordDiff } from './word-diff.ts';

const route = getRouteApi('/contributions');

/** Corrections, remarks and sources to review: a list, and the selected one beside it. */
export function Contributions(): ReactNode {
  const environment = useEnvironment();
  const { status = 'pending', id } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useInfiniteQuery(contributionsQuery(environment, status));
  const found = list.data?.pages.flatMap((page) => page.contributions) ?? [];
  const selected = found.find(({ contributionId }) => contributionId === id) ?? found[0];
  const t = contributionsTexts;
  const count = `${formatWholeNumber(found.length)}${list.hasNextPage ? '+' : ''}`;
  return (
    <>
      <PageHead title={t.title} facts={list.data ? [t.counts[status]({ count }), t.use] : []}>
        <SegmentedControl
          aria-label={t.status}
          value={status}
          data={choicesOf(t.statuses)}
          onChange={(value) => void navigate({ search: { status: value } })}
        />
      </PageHead>
      {list.isPending && <Skeletons rows={5} height={56} />}
      {list.isError && <Failure error={list.error} retry={() => void list.refetch()} />}
      {list.data && selected === undefined && (
        <Empty icon="message-square-diff" title={status === 'pending' ? t.none : t.noneIn}>
          {t.noneHow}
        </Empty>
      )}
      {selected && (
        <div className="band review">
          <nav className="review-list" aria-label={t.list}>
            {found.map((contribution) => (
              <Entry
                key={contribution.contributionId}
                contribution={contribution}
                isSelected={contribution === selected}
              />
            ))}
            {list.hasNextPage && (
              <Button
                variant="subtle"
                m="sm"
                loading={list.isFetchingNextPage}
                onClick={() => void list.fetchNextPage()}
              >
                {t.more}
              </Button>
            )}
          </nav>
          <Review key={selected.contributionId} contribution={selected} />
        </div>
      )}
    </>
  );
}

/** What a contribution is about, in a few words. */
function contributionTitle({ kind, text, chunk, url }: ModeratedContribution): string {
  const t = contributionsTexts;
  if (kind === 'correction') {
    return chunk === null ? shortTitle(text) : titleOfDiff(wordDiff(chunk.originalText ?? chunk.text, text));
  }
  return kind === 'source' && url !== null && URL.canParse(url)
    ? t.source({ host: new URL(url).host })
    : shortTitle(text);
}

/** `Rebuilding the sea wall, at 12:41`. */
function contributionPlace({ chunk, url }: ModeratedContribution): string {
  const t = contributionsTexts;
  if (chunk === null) return url ?? t.remark;
  const place =
    chunk.startSeconds === null ? t.page({ page: chunk.page }) : t.at({ time: clockTime(chunk.startSeconds) });
  const name = chunk.sourceName ?? chunk.url ?? chunk.heading;
  if (name === null) return place;
  return chunk.url === null ? joinTexts([name, place]) : name;
}

function Sender({ contribution: { author, contributor, createdAt } }: { contribution: ModeratedContribution }) {
  const t = contributionsTexts;
  return (
    <>
      {joinTexts([author ?? t.anonymous, t.before({ approved: contributor.approved }), ''])}
      <Time at={createdAt} />
    </>
  );
}

function Entry({ contribution, isSelected }: { contribution: ModeratedContribution; isSelected: boolean }) {
  return (
    <Link
      className="review-entry"
      to="/contributions"
      search={{ status: contribution.status, id: contribution.contributionId }}
      aria-current={isSelected}
    >
      <b>{contributionTitle(contribution)}</b>
      <span className="dim">{contributionPlace(contribution)}</span>
      <span className="faint">
        <Sender contribution={contribution} />
      </span>
    </Link>
  );
}

function Review({ contribution }: { contribution: ModeratedContribution }) {
  const t = contributionsTexts;
  const { kind, text, chunk, contributor, reports, url, license, reason, accountId } = contribution;
  const facts: [string, ReactNode][] = [
    ...(url === null ? [] : [pair(t.evidence, url)]),
    ...(license === null ? [] : [pair(t.licence, license)]),
    ...(reason === null ? [] : [pair(t.replied, reason)]),
    [t.account, <CopyId key="account" value={accountId} label={t.account} />],
  ];
  const concerns = [
    ...(reports > 0 ? [t.reports({ count: reports })] : []),
    ...(contributor.rejected > 0 ? [t.declinedBefore({ rejected: contributor.rejected })] : []),
  ];
  return (
    <section className="review-one" aria-label={contributionTitle(contribution)}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <div className="grow">
          <Title order={2} className="written">
            {contributionTitle(contribution)}
          </Title>
          <Text size="sm" c="dimmed" className="break">
            {contributionPlace(contribution)}
          </Text>
        </div>
        <OpenSource contribution={contribution} />
      </Group>
      {kind === 'correction' ? (
        <Passage before={chunk === null ? null : (chunk.originalText ?? chunk.text)} after={text} />
      ) : (
        <p className="review-text">{text}</p>
      )}
      {concerns.length > 0 && (
        <Alert color="yellow" icon={<Icon name="triangle-alert" />}>
          {joinTexts(concerns)}
        </Alert>
      )}
      <Decision contribution={contribution} />
      <Facts rows={facts} />
    </section>
  );
}

/** Opens the job at the passage; a recording plays there. */
function OpenSource({ contribution: { jobId, chunkId, chunk } }: { contribution: ModeratedContribution }) {
  const t = contributionsTexts;
  if (jobId === null) return null;
  const isHeard = chunk !== null && chunk.startSeconds !== null;
  return (
    <Button
      variant="default"
      flex="none"
      leftSection={<Icon name={isHeard ? 'play' : 'file-text'} />}
      renderRoot={(props) => (
        <Link {...props} to="/jobs/$jobId" params={{ jobId }} search={{ chunk: chunkId ?? undefined }} />
      )}
    >
      {isHeard ? t.hear : t.open}
    </Button>
  );
}

/** The passage with its changed words marked: removed ones struck out, new ones after them. */
function Passage({ before, after }: { before: string | null; after: string }) {
  if (before === null) {
    return (
      <>
        <Text size="sm" c="dimmed">
          {contributionsTexts.chunkGone}
        </Text>
        <p className="review-text">{after}</p>
      </>
    );
  }
  return (
    <p className="review-text">
      {wordDiff(before, after).map(({ value, kind }, index) => {
        const Part = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
        // biome-ignore lint/suspicious/noArrayIndexKey: runs are identified by position only.
        return <Part key={index}>{value}</Part>;
      })}
    </p>
  );
}

/** Whether an accepted correction is not in every file. */
function isPartial({ correction }: ModeratedContribution): boolean {
  return correction !== null && (!correction.isWritten || correction.notCorrected.length > 0);
}

function Decision({ contribution: { contributionId, status } }: { contribution: ModeratedContribution }) {
  const environment = useEnvironment();
  const [reply, setReply] = useState('');
  const [lacksReply, setLacksReply] = useState(false);
  const t = contributionsTexts;
  const said = reply.trim();
  const params = { path: { contributionId }, query: queryIn(environment, {}) };
  const renews = [['contributions', environment]];
  const accept = useChange(
    () =>
      owner.POST('/admin/contributions/{contributionId}/approve', {
        params,
        body: said === '' ? {} : { reason: said },
      }),
    {
      renews,
      onDone: (decided) =>
        showToast({ message: decided !== undefined && isPartial(decided) ? correctionReachText(decided) : t.approved }),
      showsError: true,
    },
  );
  const decline = useChange(
    () => owner.POST('/admin/contributions/{contributionId}/reject', { params, body: { reason: said } }),
    { renews, onDone: () => showToast({ message: t.rejected }), showsError: true },
  );
  const isBusy = accept.isPending || decline.isPending;
  const acceptOnce = () => {
    if (status === 'pending' && !isBusy) accept.mutate();
  };
  const declineWithReply = () => {
    setLacksReply(said === '');
    if (said !== '' && !isBusy) decline.mutate();
  };
  useHotkeys([
    ['a', acceptOnce],
    ['d', declineWithReply],
  ]);
  if (status === 'rejected') return null;
  const error = accept.error ?? decline.error;
  return (
    <Stack gap="sm">
      {error && <Failure error={error} />}
      <TextInput
        maw={520}
        label={t.reply}
        error={lacksReply && said === '' ? t.replyNeeded : null}
        value={reply}
        onChange={(event) => setReply(event.currentTarget.value)}
      />
      <Group gap="sm">
        {status === 'pending' && (
          <Button loading={accept.isPending} leftSection={<Icon name="check" />} onClick={acceptOnce}>
            {t.accept} <KeyHint>a</KeyHint>
          </Button>
        )}
        <Button variant="default" loading={decline.isPending} onClick={declineWithReply}>
          {status === 'pending' ? t.decline : t.withdraw} <KeyHint>d</KeyHint>
        </Button>
      </Group>
    </Stack>
  );
}

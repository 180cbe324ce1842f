import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useChange } from '../../api/changes.ts';
import { owner } from '../../api/client.ts';
import type { OwnerSession } from '../../api/generated/owner.ts';
import { sessionsQuery } from '../../api/queries.ts';
import { forgetSession, SIGNS_ITSELF_IN } from '../../api/session.ts';
import { joinTexts } from '../../components/format.ts';
import { Failure, Panel, Skeletons, Time } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { showToast } from '../../components/toast.tsx';
import { settings as settingsTexts } from '../models/texts.ts';

/** Signed-in browsers, each with a sign-out button. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery());
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  const t = settingsTexts.sessions;
  const signOutOthers = useChange(() => owner.DELETE('/admin/sessions'), {
    renews: [sessionsQuery().queryKey],
    onDone: () => showToast({ message: t.othersSignedOut }),
  });
  return (
    <Panel title={t.title} about={t.about}>
      {sessions.isPending && <Skeletons rows={2} />}
      {sessions.isError && <Failure error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.data && (
        <Stack gap="md" component="ul" className="plain-list">
          {[...sessions.data]
            .sort((one, other) => Number(other.current) - Number(one.current))
            .map((session) => (
              <SessionRow key={session.sessionId} session={session} />
            ))}
        </Stack>
      )}
      {others.length > 1 && (
        <Button mt="md" variant="default" loading={signOutOthers.isPending} onClick={() => signOutOthers.mutate()}>
          {t.signOutOthers}
        </Button>
      )}
    </Panel>
  );
}

function SessionRow({ session }: { session: OwnerSession }) {
  const { sessionId, browser, createdAt, lastUsedAt, current } = session;
  const t = settingsTexts.sessions;
  const client = useQueryClient();
  const signOut = useChange(() => owner.DELETE('/admin/sessions/{sessionId}', { params: { path: { sessionId } } }), {
    renews: current ? [] : [sessionsQuery().queryKey],
    onDone: () => {
      if (!current) return showToast({ message: t.signedOut({ browser }) });
      forgetSession();
      // All pages refetch and then show the sign-in page.
      void client.resetQueries();
    },
  });
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Group gap="xs">
          <Text fw={550}>{browser}</Text>
          {current && <State tone="good">{t.current}</State>}
        </Group>
        <Text size="xs" c="dimmed">
          {t.lastUsed} <Time at={lastUsedAt} />
          {joinTexts(['', t.signedIn.toLowerCase()])} <Time at={createdAt} />
        </Text>
      </div>
      {!(current && SIGNS_ITSELF_IN) && (
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          aria-label={current ? t.signOut : t.signOutOf({ browser })}
          loading={signOut.isPending}
          onClick={() => signOut.mutate()}
        >
          {t.signOut}
        </Button>
      )}
    </Group>
  );
}

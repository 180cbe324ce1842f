import { Anchor, Button, Center, Code, Paper, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError, isThere } from './api/client.ts';
import { useLiveState } from './api/live-state.ts';
import { Failure, PageHead } from './components/page-elements.tsx';
import { texts } from './components/texts.ts';

/** Says how to get in. The window never asks for the token: typing it is not needed anywhere. */
export function SignIn() {
  const client = useQueryClient();
  const { title, why, browser, browserHow, lost, again } = texts.signIn;
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" maw={520} className="panel">
        <Stack gap="sm">
          <Title order={1}>{title}</Title>
          <Text>{why}</Text>
          <Title order={2} mt="sm">
            {browser}
          </Title>
          <Text>{browserHow}</Text>
          <Code block>Sign in: {window.location.origin}/login#…</Code>
          <Text>{lost}</Text>
          <Code block>npm run token</Code>
          <Button mt="sm" onClick={() => void client.resetQueries()}>
            {again}
          </Button>
        </Stack>
      </Paper>
    </Center>
  );
}

export function NotFound() {
  return (
    <>
      <PageHead title={texts.notFound.title} />
      <Stack gap="xs" align="flex-start">
        <Text>{texts.notFound.why}</Text>
        <Anchor renderRoot={(props) => <Link {...props} to="/" />}>{texts.notFound.home}</Anchor>
        <Anchor href="/reference">{texts.notFound.reference}</Anchor>
      </Stack>
    </>
  );
}

/** A page that broke keeps the frame around it. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const isUnread = error instanceof ApiError && error.status === 0;
  return (
    <>
      <PageHead title={texts.shell.pageFailure} />
      {isUnread ? <Unread error={error} /> : <Failure error={error} retry={reset} />}
    </>
  );
}

/** The code of a page could not be read, since no server is there. The window is loaded anew once one is. */
function Unread({ error }: { error: Error }) {
  const live = useLiveState();
  const wasAway = useRef(false);
  useEffect(() => {
    if (!live) wasAway.current = true;
    else if (wasAway.current) window.location.reload();
  }, [live]);
  const retry = () =>
    void isThere().then(
      () => window.location.reload(),
      () => undefined,
    );
  return <Failure error={error} retry={retry} />;
}

import {
  ActionIcon,
  Anchor,
  AppShell,
  Box,
  Burger,
  Button,
  Center,
  Code,
  Group,
  NavLink,
  Paper,
  ScrollArea,
  SegmentedControl,
  Stack,
  Text,
  Title,
  Tooltip,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, Outlet, useNavigate, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError, checkServer, useEnvironment } from './api/client.ts';
import { useLiveState } from './api/event-stream.ts';
import { useLiveChanges } from './api/live.ts';
import { overviewQuery } from './api/queries.ts';
import { Confirm } from './components/confirm.tsx';
import { focusPage } from './components/focus.ts';
import { Icon, type IconName } from './components/icon.tsx';
import { Failure, PAGE_TITLE, PageHead, State } from './components/page-elements.tsx';
import { texts } from './texts.ts';

const HEADER_HEIGHT = 56;

const NAV_WIDTH = 210;

const PAGES = [
  { to: '/', name: 'overview' },
  { to: '/jobs', name: 'jobs' },
  { to: '/run', name: 'run' },
  { to: '/search', name: 'search' },
  { to: '/contributions', name: 'contributions' },
  { to: '/webhooks', name: 'webhooks' },
  { to: '/payments', name: 'payments' },
  { to: '/limits', name: 'limits' },
  { to: '/models', name: 'models' },
  { to: '/settings', name: 'settings' },
] as const satisfies readonly { to: string; name: IconName }[];

/** The frame of all pages: navigation, environment and live state. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const owner = useQuery(overviewQuery());
  const signedOut = owner.error instanceof ApiError && owner.error.status === 401;
  useLiveChanges(owner.data !== undefined && !signedOut);
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        // Keep the focus on the first load.
        if (fromLocation !== undefined && pathChanged) focusPage();
      }),
    [router],
  );
  // For an unknown path only this frame matches.
  const unknown = useRouterState({ select: ({ matches }) => matches.length === 1 });
  // The visitor of a mistyped API path may not be the owner, so show no sign-in.
  if (signedOut && unknown) {
    return (
      <Box component="main" p="lg">
        <NotFound />
      </Box>
    );
  }
  if (signedOut) return <SignIn />;
  return (
    <AppShell
      header={{ height: HEADER_HEIGHT }}
      navbar={{ width: NAV_WIDTH, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding="lg"
      // No animation.
      transitionDuration={0}
    >
      <a href="#main" className="skip">
        {texts.shell.skip}
      </a>
      <AppShell.Header className="shell-nav">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={toggle} hiddenFrom="md" size="sm" aria-label={texts.shell.menu} />
            <Link to="/" className="brand">
              <Mark />
              <span className="brand-name">Quarry</span>
            </Link>
          </Group>
          <Group gap="md" wrap="nowrap">
            <LiveState />
            <EnvironmentSwitch />
            <SchemeToggle />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className="shell-nav" data-opened={opened} aria-label={texts.shell.pages}>
        <AppShell.Section grow component={ScrollArea}>
          <Navigation onNavigate={close} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} aria-labelledby={PAGE_TITLE}>
        <Outlet />
        <Confirm />
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  return PAGES.map(({ to, name }) => {
    const current = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
    return (
      <NavLink
        key={to}
        className="nav-link"
        active={current}
        renderRoot={(props) => (
          <Link {...props} to={to} onClick={onNavigate} {...(current ? { 'aria-current': 'page' as const } : {})} />
        )}
        label={texts.shell.names[name]}
        leftSection={<Icon name={name} />}
      />
    );
  });
}

function LiveState() {
  const live = useLiveState();
  return (
    <span role="status">
      <Tooltip label={live ? texts.shell.liveAbout : texts.shell.pausedAbout}>
        <span>
          <State tone={live ? 'good' : 'warn'}>{live ? texts.shell.live : texts.shell.paused}</State>
        </span>
      </Tooltip>
    </span>
  );
}

function EnvironmentSwitch() {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const path = useRouterState({ select: (state) => state.location.pathname });
  return (
    <SegmentedControl
      size="xs"
      aria-label={texts.shell.environment}
      value={environment}
      data={[
        { value: 'production', label: texts.shell.production },
        { value: 'staging', label: texts.shell.staging },
      ]}
      onChange={(value) => {
        // A job belongs to one environment, so switching leads to the job list.
        const to = path.startsWith('/jobs/') ? '/jobs' : path;
        void navigate({ to, search: { environment: value === 'staging' ? 'staging' : undefined } as never });
      }}
    />
  );
}

const SCHEMES = ['auto', 'light', 'dark'] as const;

const SCHEME_ICONS = { auto: 'auto', light: 'sun', dark: 'moon' } as const;

function SchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = SCHEMES[(SCHEMES.indexOf(colorScheme) + 1) % SCHEMES.length] ?? 'auto';
  const label = texts.shell.scheme(texts.shell.schemes[colorScheme], texts.shell.schemes[next]);
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => setColorScheme(next)}>
        <Icon name={SCHEME_ICONS[colorScheme]} />
      </ActionIcon>
    </Tooltip>
  );
}

/** The logo: cut stone blocks. */
function Mark() {
  return (
    <svg className="brand-mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path fill="currentColor" d="M2 13h9v9H2z" />
      <path fill="currentColor" opacity="0.72" d="M13 13h9v9h-9z" />
      <path fill="currentColor" opacity="0.45" d="M7.5 2h9v9h-9z" />
    </svg>
  );
}

/** Explains how to sign in. The window never asks for the token. */
function SignIn() {
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

/** An error page inside the frame. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const isUnread = error instanceof ApiError && error.status === 0;
  return (
    <>
      <PageHead title={texts.shell.pageFailure} />
      {isUnread ? <Unread error={error} /> : <Failure error={error} retry={reset} />}
    </>
  );
}

/** The code of a page failed to load, because there is no server. Reloads the window when the server is back. */
function Unread({ error }: { error: Error }) {
  const live = useLiveState();
  const wasAway = useRef(false);
  useEffect(() => {
    if (!live) wasAway.current = true;
    else if (wasAway.current) window.location.reload();
  }, [live]);
  const retry = () =>
    void checkServer().then(
      () => window.location.reload(),
      () => undefined,
    );
  return <Failure error={error} retry={retry} />;
}

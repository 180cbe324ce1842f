import {
  ActionIcon,
  Anchor,
  Box,
  Button,
  Center,
  Code,
  Stack,
  Text,
  Title,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { omitUndefined } from '../src-server/platform/omit-undefined.ts';
import { SERVER_URL, serverPath } from './api/base-path.ts';
import { ApiError, checkServer, requestJson, useEnvironment } from './api/client.ts';
import { useLiveState } from './api/event-stream.ts';
import { itemCountsQuery } from './api/library.ts';
import { useLiveChanges } from './api/live.ts';
import { contributionsQuery, endpointsQuery, isFailing, overviewQuery } from './api/queries.ts';
import { forgetSession, IS_DEVICE } from './api/session.ts';
import { Confirm } from './components/confirm.tsx';
import { isOfDevice } from './components/device-pages.ts';
import { focusPage } from './components/focus.ts';
import { formatWholeNumber } from './components/format.ts';
import { Icon } from './components/icon.tsx';
import { LanguageMenu } from './components/language-menu.tsx';
import { SandboxBand, usePlayMoney } from './components/money.tsx';
import { Failure, PAGE_TITLE, PageHead } from './components/page-elements.tsx';
import { toastFailure } from './components/toast.tsx';
import { openAdd, useOpenedAdd } from './features/add/open-add.ts';
import { useNeeded } from './features/overview/needs-you.tsx';
import { FindButton, FindOrDo, showKeys } from './features/palette/find-or-do.tsx';
import { useKnownUploads } from './features/uploads/queue.ts';
import { DropAnywhere } from './features/uploads/uploads.tsx';
import { FOOT, isOfService, LIBRARY_HALF, type PageLink, SERVICE_HALF, TABS } from './pages.ts';
import { texts } from './texts.ts';

const AddDialog = lazy(async () => ({ default: (await import('./features/add/add-dialog.tsx')).AddDialog }));

const CollectionsNav = lazy(async () => ({
  default: (await import('./features/library/collections-nav.tsx')).CollectionsNav,
}));

const EnvironmentSwitch = lazy(async () => ({
  default: (await import('./environment-switch.tsx')).EnvironmentSwitch,
}));

const MoreSheet = lazy(async () => ({ default: (await import('./more-sheet.tsx')).MoreSheet }));

const KnownDialog = lazy(async () => ({ default: (await import('./features/library/known-dialog.tsx')).KnownDialog }));

/** Below this width the rail becomes tabs at the bottom: `styles/shell.css`. */
const PHONE = '(max-width: 720px)';

/** The frame of all pages: the rail with its counts, the page, and tabs on a phone. */
export function Shell() {
  const owner = useQuery(overviewQuery());
  // The owner has no limits: a 429 answers a stranger whose address has used up its own.
  const signedOut = owner.error instanceof ApiError && [401, 429].includes(owner.error.status);
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
  const isAdding = useOpenedAdd() !== null;
  const hasKnown = useKnownUploads().length > 0;
  const phone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  // For an unknown path only this frame matches.
  const unknown = useRouterState({ select: ({ matches }) => matches.length === 1 });
  const isHere = useRouterState({ select: ({ location }) => isOfDevice(`/${location.pathname.split('/')[1]}`) });
  const isService = useRouterState({ select: ({ location }) => isOfService(location.pathname) });
  // The visitor of a mistyped API path may not be the owner, so show no sign-in.
  if (signedOut && unknown) {
    return (
      <Box component="main" p="lg">
        <NotFound />
      </Box>
    );
  }
  if (signedOut) return IS_DEVICE ? <NotLinked /> : <SignIn />;
  return (
    <div className="app">
      <a href="#main" className="skip">
        {texts.shell.skip}
      </a>
      {!phone && <Rail />}
      <main id="main" className="main" tabIndex={-1} aria-labelledby={PAGE_TITLE}>
        {isService && <SandboxBand />}
        {isHere ? <Outlet /> : <OwnersPage />}
        <Confirm />
      </main>
      <DropAnywhere />
      <Suspense fallback={null}>{isAdding && <AddDialog />}</Suspense>
      <Suspense fallback={null}>{hasKnown && <KnownDialog />}</Suspense>
      <FindOrDo />
      {phone && <TabBar />}
    </div>
  );
}

function Rail() {
  return (
    <aside className="rail" aria-label="Quarry">
      <Link to="/" className="brand">
        <Mark />
        <span className="brand-name">Quarry</span>
      </Link>
      <div className="find-row">
        <FindButton />
        <ActionIcon
          variant="default"
          size={36}
          aria-label={texts.add.title}
          title={texts.add.title}
          onClick={() => openAdd()}
        >
          <Icon name="plus" />
        </ActionIcon>
      </div>
      <nav aria-label={texts.shell.pages}>
        <Pages />
      </nav>
      <RailFoot />
    </aside>
  );
}

function RailFoot() {
  return (
    <div className="rail-foot">
      <LiveState />
      {IS_DEVICE && <SignOutDevice />}
      <div className="rail-tools">
        <SchemeToggle />
        <KeysButton />
        <Suspense fallback={null}>
          <EnvironmentSwitch />
        </Suspense>
      </div>
    </div>
  );
}

interface PagesProps {
  /** Closes the sheet of a phone. */
  onNavigate?: () => void;
}

/** Both halves with their counts, and Settings. */
function Pages({ onNavigate }: PagesProps) {
  return (
    <>
      <PageLinks pages={LIBRARY_HALF} onNavigate={onNavigate} />
      <Suspense fallback={null}>
        <CollectionsNav onNavigate={onNavigate} />
      </Suspense>
      {SERVICE_HALF.length > 0 && (
        <div className="half">
          <span className="half-name">{texts.shell.service}</span>
          <SandboxMark />
        </div>
      )}
      <PageLinks pages={SERVICE_HALF} onNavigate={onNavigate} />
      <PageLinks pages={FOOT} onNavigate={onNavigate} />
    </>
  );
}

function PageLinks({ pages, onNavigate }: { pages: readonly PageLink[]; onNavigate: (() => void) | undefined }) {
  const isCurrent = useIsCurrent();
  const counts = useCounts();
  return (
    <div className="pages">
      {pages.map(({ to, name, icon }) => (
        <div key={to} className="page-item">
          <Link
            to={to}
            className="page-link"
            title={texts.shell.names[name]}
            {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
            {...(isCurrent(to) ? { 'aria-current': 'page' as const } : {})}
            {...describedBy(`count-${name}`, counts[name])}
          >
            <Icon name={icon} />
            <span className="page-name">{texts.shell.names[name]}</span>
          </Link>
          <Count id={`count-${name}`} count={counts[name]} />
        </div>
      ))}
    </div>
  );
}

function useIsCurrent(): (to: string) => boolean {
  const path = useRouterState({ select: (state) => state.location.pathname });
  // The API form is a page of its own below the address of Activity.
  const current = (to: string) => path === to || (to !== '/' && to !== '/service' && path.startsWith(`${to}/`));
  // An item is of the Library.
  return (to) => current(to) || (to === '/library' && path.startsWith('/items/'));
}

interface PageCount {
  said: string;
  /** A calm one is told where there is room for the number. */
  tone?: 'run' | 'bad' | 'calm';
}

/** What the rail says about pages: open alerts, running jobs, failing endpoints, corrections to review. */
function useCounts(): Partial<Record<PageLink['name'], PageCount>> {
  const environment = useEnvironment();
  const overview = useQuery(overviewQuery());
  const alerts = useNeeded();
  const endpoints = useInfiniteQuery(endpointsQuery(environment));
  const corrections = useInfiniteQuery(contributionsQuery(environment, 'pending'));
  const running = overview.data?.queues.find((queue) => queue.environment === environment)?.running ?? 0;
  const failing = endpoints.data?.pages.flatMap((page) => page.endpoints).filter(isFailing).length ?? 0;
  const [first] = corrections.data?.pages ?? [];
  const waiting = first?.contributions.length ?? 0;
  const more = first?.nextCursor == null ? '' : '+';
  const { data: kept } = useQuery(itemCountsQuery(environment, {}));
  return omitUndefined<Record<string, PageCount | undefined>>({
    library: kept !== undefined && kept.total > 0 ? { said: formatWholeNumber(kept.total), tone: 'calm' } : undefined,
    activity: alerts > 0 ? { said: texts.shell.alerts({ count: alerts }), tone: 'bad' } : undefined,
    jobs: running > 0 ? { said: texts.shell.running({ count: formatWholeNumber(running) }), tone: 'run' } : undefined,
    webhooks:
      failing > 0 ? { said: texts.shell.failing({ count: formatWholeNumber(failing) }), tone: 'bad' } : undefined,
    contributions: waiting > 0 ? { said: `${formatWholeNumber(waiting)}${more}` } : undefined,
  });
}

/** The count is heard with its link, not as a number of its own. */
function describedBy(id: string, count: PageCount | undefined) {
  return count === undefined ? {} : { 'aria-describedby': id };
}

function Count({ id, count }: { id: string; count: PageCount | undefined }) {
  if (count === undefined) return null;
  return (
    <span id={id} className="page-count" data-tone={count.tone} aria-hidden="true">
      {count.said}
    </span>
  );
}

const TAB_PAGES = LIBRARY_HALF.filter(({ to }) => TABS.some((tab) => tab === to));

/** Home and Library. */
const TABS_BEFORE_ADD = 2;

/** The tabs of a phone: pages of the library, and all others behind More. */
function TabBar() {
  const live = useLiveState();
  const [opened, { open, close }] = useDisclosure();
  // The sheet stays for its closing.
  const wasOpen = useRef(false);
  wasOpen.current ||= opened;
  const isCurrent = useIsCurrent();
  const counts = useCounts();
  const behindMore = counts.activity ?? counts.webhooks ?? counts.contributions;
  const tabElement = ({ to, name, icon }: PageLink) => (
    <div key={to} className="tab-item">
      <Link
        to={to}
        className="tab-link"
        {...(isCurrent(to) ? { 'aria-current': 'page' as const } : {})}
        {...describedBy(`tab-count-${name}`, counts[name])}
      >
        <Icon name={icon} size={20} />
        {texts.shell.names[name]}
      </Link>
      <Count id={`tab-count-${name}`} count={counts[name]} />
    </div>
  );
  return (
    <>
      {/* There before its text: what comes later is said. */}
      <div role="status">{!live && <div className="tab-away">{texts.shell.pausedAbout}</div>}</div>
      <nav className="tab-bar" aria-label={texts.shell.pages}>
        {TAB_PAGES.slice(0, TABS_BEFORE_ADD).map(tabElement)}
        <div className="tab-item">
          <button type="button" className="tab-link tab-add" onClick={() => openAdd()} aria-haspopup="dialog">
            <Icon name="plus" size={20} />
            {texts.shell.names.add}
          </button>
        </div>
        {TAB_PAGES.slice(TABS_BEFORE_ADD).map(tabElement)}
        <div className="tab-item">
          <button
            type="button"
            className="tab-link"
            onClick={open}
            aria-haspopup="dialog"
            {...describedBy('tab-count-more', behindMore)}
          >
            <Icon name="ellipsis" size={20} />
            {texts.shell.more}
          </button>
          <Count id="tab-count-more" count={behindMore} />
        </div>
      </nav>
      <Suspense fallback={null}>
        {wasOpen.current && (
          <MoreSheet opened={opened} onClose={close}>
            <FindButton onOpen={close} />
            <nav aria-label={texts.shell.more}>
              <Pages onNavigate={close} />
            </nav>
            <RailFoot />
          </MoreSheet>
        )}
      </Suspense>
    </>
  );
}

/** Beside the name of the Service half: payments are play money. */
function SandboxMark() {
  if (!usePlayMoney()) return null;
  return (
    <Link to="/payments" search={{ tab: 'settlement' }} className="rail-sandbox" title={texts.shell.sandboxAbout}>
      {texts.shell.sandbox}
    </Link>
  );
}

function LiveState() {
  const live = useLiveState();
  return (
    <span role="status">
      <span className="live" data-live={live} title={live ? texts.shell.liveAbout : texts.shell.pausedAbout}>
        <span>{live ? texts.shell.live : texts.shell.paused}</span>
        {live && !IS_DEVICE && <span className="live-where">{texts.shell.where}</span>}
      </span>
    </span>
  );
}

const SCHEMES = ['auto', 'light', 'dark'] as const;

const SCHEME_ICONS = { auto: 'sun-moon', light: 'sun', dark: 'moon' } as const;

function SchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = SCHEMES[(SCHEMES.indexOf(colorScheme) + 1) % SCHEMES.length] ?? 'auto';
  const label = texts.shell.scheme({ now: texts.shell.schemes[colorScheme], next: texts.shell.schemes[next] });
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={() => setColorScheme(next)}>
      <Icon name={SCHEME_ICONS[colorScheme]} />
    </ActionIcon>
  );
}

function KeysButton() {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={texts.shell.keys} title={texts.shell.keys} onClick={showKeys}>
      <Icon name="circle-help" />
    </ActionIcon>
  );
}

/** The mark: three benches of a quarry, copper, verdigris and slate. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 22 22" aria-hidden="true" focusable="false">
      <path d="M1 2.5h20v5H1z" fill="var(--q-copper)" />
      <path d="M1 8.5h14v5H1z" fill="var(--q-act)" />
      <path d="M1 14.5h8v5H1z" fill="var(--q-ink-2)" />
    </svg>
  );
}

/** Ends the session of this device. */
function SignOutDevice() {
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => requestJson('/link', { method: 'DELETE' }),
    onSuccess: () => {
      forgetSession();
      // All pages refetch and then show that the device is not linked.
      void client.resetQueries();
    },
    onError: toastFailure,
  });
  return (
    <Button size="compact-sm" variant="default" loading={signOut.isPending} onClick={() => signOut.mutate()}>
      {texts.shell.signOutDevice}
    </Button>
  );
}

/** Explains how to link a device, on a device that is not linked any more. */
function NotLinked() {
  const { title, why, how } = texts.notLinked;
  return (
    <Center mih="100vh" p="md" component="main">
      <Box maw={520} className="sign-in">
        <Stack gap="sm">
          <Mark size={33} />
          <Title order={1}>{title}</Title>
          <Text>{why}</Text>
          <Text>{how}</Text>
        </Stack>
      </Box>
    </Center>
  );
}

/** As the terminal prints it, in every language. */
const SIGN_IN_LINE = 'Sign in:';

const TOKEN_COMMAND = 'npm run token';

/** Explains how to sign in. The window never asks for the token. */
function SignIn() {
  const client = useQueryClient();
  const { title, why, browser, browserHow, lost, again } = texts.signIn;
  return (
    <Center mih="100vh" p="md" component="main">
      <Box maw={520} className="sign-in">
        <Stack gap="sm">
          <Mark size={33} />
          <Title order={1}>{title}</Title>
          <Text>{why}</Text>
          <Title order={2} mt="sm">
            {browser}
          </Title>
          <Text>{browserHow}</Text>
          <Code block>
            {SIGN_IN_LINE} {SERVER_URL}/login#…
          </Code>
          <Text>{lost}</Text>
          <Code block>{TOKEN_COMMAND}</Code>
          <Button mt="sm" onClick={() => void client.resetQueries()}>
            {again}
          </Button>
          <LanguageMenu />
        </Stack>
      </Box>
    </Center>
  );
}

/** In place of a page that linked devices do not have. */
function OwnersPage() {
  return (
    <>
      <PageHead title={texts.notLinked.owners} />
      <Text>{texts.notLinked.ownersHow}</Text>
    </>
  );
}

export function NotFound() {
  return (
    <>
      <PageHead title={texts.notFound.title} />
      <Stack gap="xs" align="flex-start">
        <Text>{texts.notFound.why}</Text>
        <Anchor renderRoot={(props) => <Link {...props} to="/" />}>{texts.notFound.home}</Anchor>
        <Anchor href={serverPath('/reference')}>{texts.notFound.reference}</Anchor>
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
  const retryUnreadPage = () =>
    void checkServer().then(
      () => window.location.reload(),
      () => undefined,
    );
  return <Failure error={error} retry={retryUnreadPage} />;
}

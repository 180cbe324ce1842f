import '@fontsource-variable/ibm-plex-sans/wght.css';
import './styles/mantine.css';
import '@mantine/notifications/styles.css';
import './styles/index.css';
import { DirectionProvider, MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { directionOf } from '../src-server/platform/text/format-message.ts';
import { ApiError } from './api/client.ts';
import { FRESH_MS, overviewKey } from './api/queries.ts';
import { ensureClipboard } from './components/clipboard.ts';
import { keepFocus } from './components/focus.ts';
import { useHasMessages } from './components/notify.ts';
import { useShownLanguage } from './language/locale.ts';
import { router } from './router.tsx';
import { cssVariablesResolver, themeOfLanguage } from './theme.ts';

const RETRIES = 2;

/** Shows the sign-in page at once, without waiting for the next health check. */
function noticeSignOut(error: Error): void {
  if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: overviewKey });
}

/** A change that starts later has another cause than the click. */
const OF_CLICK_MS = 500;

let last: Click | null = null;

const client = new QueryClient({
  // The session check must not trigger itself.
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== overviewKey[0]) noticeSignOut(error);
    },
  }),
  mutationCache: new MutationCache({ onMutate: noteChange, onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      // Retry only if there was no response: the server would reject the request again.
      retry: (count, error) => count < RETRIES && (!(error instanceof ApiError) || error.status === 0),
      staleTime: FRESH_MS,
    },
  },
});

ignoreDoubleClicks();

keepFocus();

ensureClipboard();

const root = document.getElementById('root');

if (root === null) throw new Error('index.html has no element with the id root.');

createRoot(root).render(
  <StrictMode>
    <Window />
  </StrictMode>,
);

/** Remounts when the language changes or texts came late, so that every text is read again. */
function Window() {
  const { language, drawing } = useShownLanguage();
  return (
    <DirectionProvider key={`${language} ${drawing}`} initialDirection={directionOf(language)} detectDirection={false}>
      <MantineProvider theme={themeOfLanguage()} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
        <Messages />
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  );
}

interface Click {
  at: number;
  changed: boolean;
}

const Notifications = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }));

function Messages() {
  return (
    <Suspense fallback={null}>
      {useHasMessages() && <Notifications position="bottom-center" autoClose={6000} limit={4} />}
    </Suspense>
  );
}

/** Records a change, with the click that caused it. */
function noteChange(): void {
  if (last !== null && performance.now() - last.at < OF_CLICK_MS) last.changed = true;
}

/**
 * Prevents a double click from changing things twice. Responses take milliseconds, so the second click could hit a
 * re-enabled button or another one in its place, such as that of the next contribution.
 */
function ignoreDoubleClicks(): void {
  const onClick = (event: MouseEvent) => {
    // `detail` is the click count by the system's double-click speed; 0 for the keyboard.
    if (event.detail > 1 && last?.changed) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (event.detail > 0) last = { at: performance.now(), changed: false };
  };
  window.addEventListener('click', onClick, { capture: true });
}

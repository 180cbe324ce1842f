import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles/index.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client.ts';
import { FRESH_MS, overviewKey } from './api/queries.ts';
import { keepFocus } from './components/focus.ts';
import { router } from './router.tsx';
import { theme, variables } from './theme.ts';

const RETRIES = 2;

/** Whoever is signed out meanwhile is told how to sign in at once, not with the next look at the machine's health. */
function noticeSignOut(error: Error): void {
  if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: overviewKey });
}

/** A change that begins later was begun by something else. */
const OF_CLICK_MS = 500;

let last: Click | null = null;

const client = new QueryClient({
  // What tells whether somebody is signed in does not ask itself again.
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (queryKey[0] !== overviewKey[0]) noticeSignOut(error);
    },
  }),
  mutationCache: new MutationCache({ onMutate: noteChange, onError: noticeSignOut }),
  defaultOptions: {
    queries: {
      // What the server refused it will refuse again; only silence is worth asking twice.
      retry: (count, error) => count < RETRIES && (!(error instanceof ApiError) || error.status === 0),
      staleTime: FRESH_MS,
    },
  },
});

ignoreDoubleClicks();

keepFocus();

const root = document.getElementById('root');

if (root === null) throw new Error('index.html has no element with the id root.');

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
      <Notifications position="bottom-right" autoClose={6000} limit={4} />
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

interface Click {
  at: number;
  changed: boolean;
}

/** Something is being changed; if a click has just begun it, by that click. */
function noteChange(): void {
  if (last !== null && performance.now() - last.at < OF_CLICK_MS) last.changed = true;
}

/**
 * Keeps a double click from changing things twice. The server beside the window answers within milliseconds, so that
 * by the second click a button works again, or another one has moved to its place: the next contribution's, say.
 */
function ignoreDoubleClicks(): void {
  const onClick = (event: MouseEvent) => {
    // `detail` counts the clicks at one place that follow each other as fast as a double click is on this system; it is
    // 0 for the keyboard's.
    if (event.detail > 1 && last?.changed) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (event.detail > 0) last = { at: performance.now(), changed: false };
  };
  window.addEventListener('click', onClick, { capture: true });
}

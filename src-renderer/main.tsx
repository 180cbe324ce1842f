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
import { ignoreDoubleClicks, noteChange } from './double-click.ts';
import { router } from './router.tsx';
import { theme, variables } from './theme.ts';

const RETRIES = 2;

/** Whoever is signed out meanwhile is told how to sign in at once, not with the next look at the machine's health. */
function noticeSignOut(error: Error): void {
  if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: overviewKey });
}

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

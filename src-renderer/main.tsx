import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles/index.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client.ts';
import { router } from './router.tsx';
import { theme, variables } from './theme.ts';

const RETRIES = 2;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server refused it will refuse again; only silence is worth asking twice.
      retry: (count, error) => count < RETRIES && (!(error instanceof ApiError) || error.status === 0),
      staleTime: 2000,
    },
  },
});

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

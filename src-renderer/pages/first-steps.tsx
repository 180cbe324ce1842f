import { Anchor, Button, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../api/environment.tsx';
import { endpointsQuery, inboxesQuery, jobsQuery, sumsQuery } from '../api/queries.ts';
import { Icon } from '../components/icon.tsx';
import { Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';

const STEPS = [
  { name: 'job', to: '/run' },
  { name: 'payment', to: '/run' },
  { name: 'webhook', to: '/webhooks' },
  { name: 'price', to: '/payments' },
] as const;

/** What is worth doing first; each step ticks itself when it has been done. */
export function FirstSteps() {
  const environment = useEnvironment();
  const [hidden, setHidden] = useLocalStorage({ key: 'quarry.first-steps.hidden', defaultValue: false });
  const [looked, setLooked] = useLocalStorage({ key: 'quarry.first-steps.prices', defaultValue: false });
  const jobs = useInfiniteQuery(jobsQuery(environment, {}));
  const sums = useQuery(sumsQuery(environment));
  const endpoints = useQuery(endpointsQuery(environment));
  const inboxes = useQuery(inboxesQuery(environment));
  const ready = jobs.data && sums.data && endpoints.data && inboxes.data;
  if (hidden || !ready) return null;
  const done: Record<string, boolean> = {
    job: (jobs.data.pages[0]?.jobs.length ?? 0) > 0,
    payment: sums.data.total.payments > 0,
    webhook: endpoints.data.endpoints.length > 0 || inboxes.data.length > 0,
    price: looked,
  };
  const count = Object.values(done).filter(Boolean).length;
  if (count === STEPS.length) return null;
  return (
    <Panel
      title={texts.overview.start}
      about={texts.overview.startAbout(count, STEPS.length)}
      aside={
        <Button size="compact-sm" variant="subtle" onClick={() => setHidden(true)}>
          {texts.overview.hide}
        </Button>
      }
    >
      <ol className="checklist">
        {STEPS.map(({ name, to }) => {
          const [title, about] = texts.overview.steps[name] ?? ['', ''];
          return (
            <li key={name}>
              <span className="tick" data-done={done[name]}>
                <Icon name="check" size={14} />
              </span>
              <div>
                <Anchor
                  fw={600}
                  renderRoot={(props) => (
                    <Link
                      {...props}
                      to={to}
                      {...(name === 'price' ? { search: { tab: 'prices' }, onClick: () => setLooked(true) } : {})}
                    />
                  )}
                >
                  {title}
                </Anchor>
                <Text size="sm" c="dimmed">
                  {about}
                </Text>
              </div>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

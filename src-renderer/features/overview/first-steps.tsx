import { Anchor, Button, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { endpointsQuery, inboxesQuery, jobsQuery, sumsQuery } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { Panel, Skeletons } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';

/** Read before the first render to avoid a flash. */
const AT_ONCE = { defaultValue: false, getInitialValueInEffect: false };

const STEPS = [
  { name: 'job', to: '/run' },
  { name: 'payment', to: '/run' },
  { name: 'webhook', to: '/webhooks' },
  { name: 'price', to: '/payments' },
] as const;

/** Completed steps; null while unknown. */
function useSteps(looked: boolean): { done: Record<string, boolean> | null; failed: boolean } {
  const environment = useEnvironment();
  const jobs = useInfiniteQuery(jobsQuery(environment, {}));
  const sums = useQuery(sumsQuery(environment));
  const endpoints = useInfiniteQuery(endpointsQuery(environment));
  const inboxes = useQuery(inboxesQuery(environment));
  const failed = [jobs, sums, endpoints, inboxes].some(({ isError }) => isError);
  if (!jobs.data || !sums.data || !endpoints.data || !inboxes.data) return { done: null, failed };
  const done = {
    job: (jobs.data.pages[0]?.jobs.length ?? 0) > 0,
    payment: sums.data.total.payments > 0,
    webhook: (endpoints.data.pages[0]?.endpoints.length ?? 0) > 0 || inboxes.data.length > 0,
    price: looked,
  };
  return { done, failed };
}

/** A checklist for new owners. It disappears when all steps are done. */
export function FirstSteps() {
  const [hidden, setHidden] = useLocalStorage({ ...AT_ONCE, key: 'quarry.first-steps.hidden' });
  const [looked, setLooked] = useLocalStorage({ ...AT_ONCE, key: 'quarry.first-steps.prices' });
  const { done, failed } = useSteps(looked);
  const count = Object.values(done ?? {}).filter(Boolean).length;
  const complete = count === STEPS.length;
  useEffect(() => {
    if (complete) setHidden(true);
  }, [complete, setHidden]);
  // Other parts of the page report load errors.
  if (hidden || complete || failed) return null;
  if (done === null) {
    return (
      <Panel title={texts.overview.start}>
        <Skeletons rows={5} height={24} />
      </Panel>
    );
  }
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
                <span className="hidden-text">{done[name] ? texts.overview.stepDone : texts.overview.stepOpen}</span>
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

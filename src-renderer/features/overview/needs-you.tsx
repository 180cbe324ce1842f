import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cloneElement, type ReactElement, type ReactNode } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { Alert } from '../../api/generated/owner.ts';
import { alertsIn, alertsKey, alertsQuery, jobsKey, modelsQuery } from '../../api/queries.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Failure, Need, Panel, Rows, Skeletons, Time } from '../../components/page-elements.tsx';
import { serverText } from '../../language/server-texts.ts';
import { texts } from '../../texts.ts';

const t = texts.overview;

/** Cleared alerts that the panel lists; `GET /admin/alerts` has more. */
const SHOWN_CLEARED = 8;

const ICONS: Record<Alert['kind'], IconName> = {
  'jobs-failing': 'circle-alert',
  'endpoint-failing': 'webhook',
  'disk-low': 'hard-drive',
  'backup-failed': 'hard-drive',
  'install-needed': 'box',
};

/** How many alerts are open. */
export function useNeeded(): number {
  return alertsIn(useEnvironment(), useQuery(alertsQuery()).data?.open).length;
}

/** The open alerts, and below them those that were cleared recently. */
export function NeedsYou(): ReactNode {
  const environment = useEnvironment();
  const alerts = useQuery(alertsQuery());
  const open = alertsIn(environment, alerts.data?.open);
  const cleared = alertsIn(environment, alerts.data?.recent).slice(0, SHOWN_CLEARED);
  return (
    <Panel title={t.needsYou}>
      {alerts.isError && <Failure error={alerts.error} retry={() => void alerts.refetch()} />}
      {alerts.isPending && <Skeletons rows={3} height={40} />}
      {alerts.data !== undefined && open.length === 0 && <p className="dim">{t.nothingNeedsYou}</p>}
      <Rows label={t.needsYou}>
        {open.map((alert) => (
          <Need
            key={alert.alertId}
            tone={alert.kind === 'install-needed' ? 'wait' : 'bad'}
            icon={ICONS[alert.kind]}
            title={serverText(alert.title)}
            why={serverText(alert.message)}
          >
            <Mend alert={alert} />
          </Need>
        ))}
      </Rows>
      {cleared.length > 0 && <Cleared alerts={cleared} />}
    </Panel>
  );
}

/** The first open alert in one line, and how many more there are. */
export function NeedLine(): ReactNode {
  const open = alertsIn(useEnvironment(), useQuery(alertsQuery()).data?.open);
  const [first] = open;
  if (first === undefined) return null;
  return (
    <section className="slim slim-needs" aria-label={t.needsYou}>
      <Icon name={ICONS[first.kind]} />
      <span className="truncate grow" title={serverText(first.message)}>
        <b>{serverText(first.title)}</b>
      </span>
      {open.length > 1 && (
        <Link to="/service" className="nowrap">
          {t.moreNeeds({ count: open.length - 1 })}
        </Link>
      )}
      <Mend alert={first} />
    </section>
  );
}

/** The button that mends what the alert is about. */
function Mend({ alert }: { alert: Alert }) {
  const { kind, subject, jobId, install, installing, waitingJobs } = alert;
  if (kind === 'endpoint-failing') {
    return (
      <ToPage said={t.openEndpoint}>
        <Link to="/webhooks" search={{ tab: 'deliveries', webhookId: subject }} />
      </ToPage>
    );
  }
  if (kind === 'disk-low' || kind === 'backup-failed') {
    return (
      <ToPage said={t.openSettings}>
        <Link to="/settings" />
      </ToPage>
    );
  }
  if (kind === 'jobs-failing' && alert.page.startsWith('/jobs?')) {
    return (
      <ToPage said={t.show}>
        <Link to="/jobs" search={{ status: 'failed', jobType: subject }} />
      </ToPage>
    );
  }
  const isOffered = install !== null && (waitingJobs > 0 || install.kind === 'model');
  if (isOffered && !installing) return <Install alert={alert} name={install.name} />;
  return (
    <ToPage said={installing ? t.installing : t.show}>
      {jobId === null ? <Link to="/models" /> : <Link to="/jobs/$jobId" params={{ jobId }} />}
    </ToPage>
  );
}

function ToPage({ said, children }: { said: string; children: ReactElement }) {
  return (
    <Button size="compact-sm" variant="default" renderRoot={(props) => cloneElement(children, props)}>
      {said}
    </Button>
  );
}

/** Installs for the jobs that wait, or the model that a failed job lacked. */
function Install({ alert: { environment, jobId, waitingJobs }, name }: { alert: Alert; name: string }) {
  const install = useChange<void, unknown>(
    () => {
      if (jobId === null || waitingJobs === 0) {
        return owner.POST('/admin/models/{name}/install', { params: { path: { name } } });
      }
      const params = { path: { jobId }, query: queryIn(environment, {}) };
      return owner.POST('/admin/jobs/{jobId}/install', { params, body: {} });
    },
    { renews: [alertsKey, jobsKey(environment), modelsQuery().queryKey] },
  );
  return (
    <Button size="compact-sm" variant="default" loading={install.isPending} onClick={() => install.mutate()}>
      {texts.overview.installModel}
    </Button>
  );
}

function Cleared({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <details className="cleared-alerts">
      <summary className="small">{t.cleared({ count: alerts.length })}</summary>
      <Rows label={t.cleared({ count: alerts.length })}>
        {alerts.map(({ alertId, title, clearedAt }) => (
          <li key={alertId} className="small">
            <span className="grow">{serverText(title)}</span>
            {clearedAt !== null && (
              <span className="dim nowrap">
                <Time at={clearedAt} />
              </span>
            )}
          </li>
        ))}
      </Rows>
    </details>
  );
}

import type { ReactNode } from 'react';
import type { WebhookEndpoint } from '../../api/generated/owner.ts';
import { isFailing } from '../../api/queries.ts';
import { useTimedText } from '../../api/server-time.ts';
import { formatWholeNumber, fullTime, shortDate } from '../../components/format.ts';
import { Sparkline } from '../../components/plots.tsx';
import { State, type Tone } from '../../components/state.tsx';
import { perLocale } from '../../language/locale.ts';
import { webhooks as webhooksTexts } from './texts.ts';

const TONES: Record<WebhookEndpoint['status'], Tone> = { active: 'good', paused: 'warn', disabled: 'bad' };

/** The name that the owner gave, or else the host. */
export function endpointName({ name, url }: { name?: string | null | undefined; url: string }): string {
  if (name) return name;
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Host and path. */
export function endpointAddress(url: string): string {
  const { host, pathname, search } = new URL(url);
  return `${host}${pathname === '/' ? '' : pathname}${search}`;
}

/** The state by the facts: an active endpoint that fails is red and says since when. */
export function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const { status, failingSince, lastDelivery } = endpoint;
  const since = failingSince ?? lastDelivery?.attemptedAt;
  if (!isFailing(endpoint) || since === undefined) {
    return <State tone={TONES[status]}>{webhooksTexts.endpointStatuses[status]}</State>;
  }
  return (
    <State tone="bad">
      {webhooksTexts.failingSince} <Since at={since} />
    </State>
  );
}

const clock = perLocale((locale) => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }));

/** `13:20` of today, `22 Nov` before. */
function Since({ at }: { at: string }): ReactNode {
  const said = useTimedText((now) => {
    const isToday = new Date(at).toDateString() === new Date(now).toDateString();
    return isToday ? clock().format(Date.parse(at)) : shortDate(at, now);
  });
  return (
    <time dateTime={at} title={fullTime(at)} className="nowrap">
      {said}
    </time>
  );
}

/** Share of deliveries that succeeded in the last day, and failures by hour in red above successes. */
export function EndpointDay({ endpoint }: { endpoint: WebhookEndpoint }): ReactNode {
  const { delivered, failed, hours } = endpoint.lastDay;
  const t = webhooksTexts;
  if (delivered + failed === 0) return <span className="faint small">{t.noCalls}</span>;
  const percent = Math.floor((100 * delivered) / (delivered + failed));
  const label = t.dayOf({ delivered: formatWholeNumber(delivered), failed: formatWholeNumber(failed) });
  const values = hours.map((hour) => hour.delivered + hour.failed);
  return (
    <span className="endpoint-day" title={label}>
      <b className="num" data-bad={failed > 0}>
        {t.succeeded({ percent: formatWholeNumber(percent) })}
      </b>
      <Sparkline
        values={values}
        label={label}
        height={20}
        colourAt={(hour) => failureColour(hours[hour]?.failed ?? 0)}
      />
    </span>
  );
}

function failureColour(failed: number): string {
  return failed > 0 ? 'var(--q-bad)' : 'var(--q-line-control)';
}

/** Failing and disabled endpoints first, then those in use, then paused ones; newest first among equals. */
export function byUrgency(endpoints: readonly WebhookEndpoint[]): WebhookEndpoint[] {
  const endpointSortRank = (one: WebhookEndpoint) => {
    if (isFailing(one)) return 0;
    return { disabled: 1, active: 2, paused: 3 }[one.status];
  };
  return endpoints.toSorted((one, other) => endpointSortRank(one) - endpointSortRank(other));
}

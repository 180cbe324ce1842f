/** The page map: the half for reading and making, and the half for running the service. */
import { isOfDevice } from './components/device-pages.ts';
import type { IconName } from './components/icon.tsx';
import type { texts } from './texts.ts';

export interface PageLink {
  to:
    | '/'
    | '/library'
    | '/search'
    | '/make'
    | '/watches'
    | '/service'
    | '/jobs'
    | '/webhooks'
    | '/payments'
    | '/limits'
    | '/contributions'
    | '/models'
    | '/service/api'
    | '/settings';
  name: keyof typeof texts.shell.names;
  icon: IconName;
  /** The key after `g`. */
  key: string;
}

/** For the person who reads and makes. */
export const LIBRARY_HALF = ofThisWindow([
  { to: '/', name: 'home', icon: 'house', key: 'h' },
  { to: '/library', name: 'library', icon: 'library-big', key: 'l' },
  { to: '/search', name: 'search', icon: 'search', key: 's' },
  { to: '/make', name: 'make', icon: 'audio-lines', key: 'm' },
  { to: '/watches', name: 'watches', icon: 'eye', key: 'w' },
]);

/** For the person who runs Quarry. */
export const SERVICE_HALF = ofThisWindow([
  { to: '/service', name: 'activity', icon: 'chart-column', key: 'v' },
  { to: '/jobs', name: 'jobs', icon: 'rows-3', key: 'j' },
  { to: '/webhooks', name: 'webhooks', icon: 'webhook', key: 'b' },
  { to: '/payments', name: 'payments', icon: 'wallet', key: 'p' },
  { to: '/limits', name: 'limits', icon: 'gauge', key: 'i' },
  { to: '/contributions', name: 'contributions', icon: 'message-square-diff', key: 'c' },
  { to: '/models', name: 'models', icon: 'box', key: 'o' },
  { to: '/service/api', name: 'api', icon: 'terminal', key: 'r' },
]);

/** At the foot of the rail: both halves are set here. */
export const FOOT = ofThisWindow([{ to: '/settings', name: 'settings', icon: 'sliders-horizontal', key: 'e' }]);

/** Tabs of a phone, before More. */
export const TABS = ['/', '/library', '/search'] as const;

/** Whether a path is a page of the Service half. */
export function isOfService(path: string): boolean {
  return SERVICE_HALF.some(({ to }) => path === to || path.startsWith(`${to}/`));
}

/** Of the pages, those that this window has: a linked device has few. */
function ofThisWindow(pages: readonly PageLink[]): readonly PageLink[] {
  return pages.filter(({ to }) => isOfDevice(to));
}

/** What can be made, each with a page. */
export const MAKE_KINDS = ['speak', 'compose', 'write'] as const;

export type MakeKind = (typeof MAKE_KINDS)[number];

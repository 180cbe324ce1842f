/** What the reference shows, computed for one address of the server. */

import type { Operation } from '../../operation.ts';
import type { RouteDescription } from '../../platform/http/route.ts';
import { type Guide, loadGuides } from './guides.ts';
import { llmsText } from './llms-text.ts';
import { deriveOpenApi } from './openapi.ts';
import type { OpenApiDocument } from './openapi-types.ts';
import { type NavigationGroup, renderPage } from './page.ts';
import { problemIndex, problemPage } from './problems.ts';

export interface SiteDeps {
  operations: readonly Operation[];
  publicRoutes: readonly RouteDescription[];
  version: string;
  /** Absolute, without a trailing slash; it may change while the server runs (setting publicUrl). */
  origin(): string;
  /** Folder of the guides, Markdown files. */
  guidesFolder: string;
}

export interface ReferencePage {
  title: string;
  href: string;
  /** HTML of the main part. */
  main: string;
}

export interface Site {
  document: OpenApiDocument;
  llmsText(): string;
  /** Null for a guide that is not there. */
  guidePage(name: string): ReferencePage | null;
  problemsPage(): ReferencePage;
  /** Null for an unknown code. */
  problemPage(code: string): ReferencePage | null;
  /** HTML of the whole page, with the navigation. */
  renderSitePage(page: ReferencePage): string;
}

export function openSite({ operations, publicRoutes, version, origin: originNow, guidesFolder }: SiteDeps): Site {
  const origin = originNow();
  const guides = loadGuides(guidesFolder, origin);
  const navigation = navigationOf(guides);
  return {
    document: deriveOpenApi(operations, publicRoutes, { version, origin }),
    llmsText: () => llmsText(origin, operations, publicRoutes, guides),
    guidePage: (asked) => {
      const guide = guides.find(({ name }) => name === asked);
      return guide === undefined ? null : { title: guide.title, href: guideHref(guide), main: guide.html };
    },
    problemsPage: () => ({ title: 'Error codes', href: '/problems', main: problemIndex() }),
    problemPage: (code) => {
      const found = problemPage(code);
      return found === null ? null : { ...found, href: `/problems/${code}` };
    },
    renderSitePage: (page) => renderPage({ ...page, navigation }),
  };
}

function guideHref({ name }: Guide): string {
  return `/reference/guides/${name}`;
}

/** The same on every page, the endpoints first. */
function navigationOf(guides: readonly Guide[]): NavigationGroup[] {
  return [
    {
      title: 'API',
      links: [
        { href: '/reference', text: 'Endpoints' },
        { href: '/problems', text: 'Error codes' },
      ],
    },
    { title: 'Guides', links: guides.map((guide) => ({ href: guideHref(guide), text: guide.title })) },
  ];
}

import { escapeHtml } from './guides.ts';

export interface NavigationGroup {
  title: string;
  links: readonly { href: string; text: string }[];
}

export interface Page {
  title: string;
  /** Address of the page itself, marked in the navigation. */
  href: string;
  navigation: readonly NavigationGroup[];
  /** HTML of the main part, which begins with the h1. */
  main: string;
}

/** The frame of every page of the reference: skip link, navigation, one main part. It needs no script. */
export function renderPage(page: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)} · Quarry reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/reference/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="/reference">Quarry <span>reference</span></a>
<nav aria-label="Other addresses"><a href="/openapi.json">OpenAPI</a>
<a href="/problems">Error codes</a> <a href="/">Dashboard</a></nav></header>
<div class="columns">
<details class="menu"><summary>Contents</summary>
<nav aria-label="Reference">${page.navigation.map((group) => groupOf(group, page.href)).join('\n')}</nav></details>
<main id="main" tabindex="-1">
${page.main}
</main>
</div>
</body>
</html>
`;
}

function groupOf({ title, links }: NavigationGroup, here: string): string {
  const items = links.map(({ href, text }) => {
    const current = href === here ? ' aria-current="page"' : '';
    return `<li><a href="${href}"${current}>${escapeHtml(text)}</a></li>`;
  });
  return `<p class="group" id="nav-${titleSlug(title)}">${escapeHtml(title)}</p>
<ul aria-labelledby="nav-${titleSlug(title)}">${items.join('')}</ul>`;
}

function titleSlug(title: string): string {
  return title.toLowerCase().replaceAll(/\W+/g, '-');
}

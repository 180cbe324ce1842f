import { callSection, priceOf } from './call-section.ts';
import { fieldTable, typeOf } from './field-table.ts';
import { escapeHtml, type Guide, inlineCode, type Row, renderInline, table } from './guides.ts';
import { type Call, callsOf } from './openapi-lookup.ts';
import type { JsonSchema, OpenApiDocument } from './openapi-types.ts';
import type { NavigationGroup } from './page.ts';

/** Resources of one call only; they are shown where that call is. */
const OWN_SCHEMA = /(Request|Result|Accepted|Ended|Answer)$/;

export function guideHref(guide: Guide): string {
  return `/reference/guides/${guide.name}`;
}

/** The same on every page: guides, calls by heading, resources. */
export function navigationOf(document: OpenApiDocument, guides: readonly Guide[]): NavigationGroup[] {
  const calls = callsOf(document);
  return [
    { title: 'Guides', links: guides.map((guide) => ({ href: guideHref(guide), text: guide.title })) },
    ...document.tags.map(({ name }) => ({
      title: name,
      links: calls
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ operation }) => ({ href: `/reference#${operation.operationId}`, text: operation.summary })),
    })),
    {
      title: 'Shared',
      links: [
        { href: '/reference#headers', text: 'Headers' },
        { href: '/reference#resources', text: 'Resources' },
      ],
    },
  ].filter(({ links }) => links.length > 0);
}

/** The main part of `/reference`: every call, and the resources they share. */
export function overviewOf(document: OpenApiDocument, guides: readonly Guide[]): string {
  const calls = callsOf(document);
  const sections = document.tags.map(({ name, description }) => {
    const own = calls.filter(({ operation }) => operation.tags.includes(name));
    return `<h2 id="tag-${name.toLowerCase()}">${name}</h2><p>${renderInline(description)}</p>
${own.map((call) => callSection(document, call)).join('\n')}`;
  });
  return `<h1>API reference</h1>
<p>${renderInline(document.info.description)}</p>
${startOf(guides)}
<h2 id="addresses">Addresses</h2>
${table('Addresses', ['Address', 'Environment'], document.servers.map(serverRow))}
<h2 id="prices">Calls and prices</h2>
${table('Calls and prices', ['Call', 'Address', 'Price'], calls.map(priceRow))}
${sections.join('\n')}
${headersSection(document)}
${resourcesSection(document)}`;
}

function startOf(guides: readonly Guide[]): string {
  const [first] = guides;
  return first === undefined
    ? ''
    : `<p>New here? Begin with <a href="${guideHref(first)}">${escapeHtml(first.title)}</a>.</p>`;
}

function serverRow({ url, description }: { url: string; description: string }): Row {
  return [inlineCode(url), escapeHtml(description)];
}

function priceRow(call: Call): Row {
  const { operation, method, path, ownServer } = call;
  const link = `<a href="#${operation.operationId}">${escapeHtml(operation.summary)}</a>`;
  return [link, inlineCode(`${method.toUpperCase()} ${ownServer === null ? '/v1' : ''}${path}`), priceOf(call)];
}

function headersSection(document: OpenApiDocument): string {
  const rows = Object.entries(document.components.headers).map(
    ([name, { description, schema }]): Row => [inlineCode(name), typeOf(schema), renderInline(description)],
  );
  return `<h2 id="headers">Headers of answers</h2>${table('Headers of answers', ['Header', 'Type', 'Meaning'], rows)}`;
}

function resourcesSection(document: OpenApiDocument): string {
  const shared = Object.entries(document.components.schemas).filter(([name]) => !OWN_SCHEMA.test(name));
  const sections = shared.map(([name, schema]) => resource(document, name, schema));
  return `<h2 id="resources">Resources</h2>${sections.join('\n')}`;
}

function resource(document: OpenApiDocument, name: string, schema: JsonSchema): string {
  const note = schema.description === undefined ? '' : `<p>${renderInline(schema.description)}</p>`;
  const fields = fieldTable(document, schema, name) || `<p>${typeOf(schema)}</p>`;
  return `<h3 id="schema-${name}">${escapeHtml(name)}</h3>${note}${fields}`;
}

import type { Operation } from '../../operation.ts';
import type { RouteDescription } from '../../platform/http/route.ts';

/** `/llms.txt` (llmstxt.org): what a language model needs to find its way, from the registry. */
export function llmsText(
  origin: string,
  operations: readonly Operation[],
  routes: readonly RouteDescription[],
  guides: readonly { name: string; title: string }[],
): string {
  const markdownLink = (title: string, path: string, note: string) => `- [${title}](${origin}${path}): ${note}`;
  const shared = routes.filter(({ scope }) => scope === 'environment');
  const sections = [
    '# Quarry',
    '> Turns recordings, documents and websites into searchable text, and text into speech, music and answers. Each ' +
      'operation is one HTTP call that becomes a job with progress, webhooks and a price in USDC, paid by x402.',
    'Send JSON, or a file as `multipart/form-data` with the field `file`. A paid call without proof answers 402 with ' +
      'what to pay; the owner and named keys send `Authorization: Bearer` and pay nothing. Most calls answer 202 ' +
      'with `jobId` and `statusUrl`; `Prefer: wait=30` waits for the result.',
    '## Operations',
    operations
      .map(({ id, summary, price }) => {
        const cost = price === null ? 'free' : `${price.amount / 1_000_000} USDC`;
        return markdownLink(`POST /v1/${id}`, '/openapi.json', `${summary} (${cost}).`);
      })
      .join('\n'),
    '## Other calls',
    shared
      .map(({ method, path, summary }) =>
        markdownLink(`${method.toUpperCase()} /v1${path}`, '/openapi.json', `${summary}.`),
      )
      .join('\n'),
    '## Documents',
    [
      markdownLink('OpenAPI 3.1', '/openapi.json', 'every call, field, price and error.'),
      markdownLink('MCP', '/mcp', 'the operations as tools, by Streamable HTTP.'),
      markdownLink('Error codes', '/problems', 'what each code means and what to do.'),
      ...guides.map(({ name, title }) => markdownLink(title, `/reference/guides/${name}`, 'guide.')),
    ].join('\n'),
  ];
  return `${sections.join('\n\n')}\n`;
}

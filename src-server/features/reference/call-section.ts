import { STATUS_CODES } from 'node:http';
import { curlOf, uploadCurlOf } from './curl.ts';
import { fieldTable, typeOf } from './field-table.ts';
import { codeBlock, escapeHtml, inlineCode, type Row, renderInline, renderMarkdown, table } from './guides.ts';
import { answersOf, type Call, headersOf, parametersOf, schemaOf } from './openapi-lookup.ts';
import type { JsonSchema, OpenApiDocument, OpenApiResponse } from './openapi-types.ts';

/** Units of the asset in one dollar: prices are in its 6-decimal unit. */
const UNITS_PER_DOLLAR = 1_000_000;

/** Everything there is to know of one call. */
export function callSection(document: OpenApiDocument, call: Call): string {
  const { operation, path, ownServer } = call;
  const heading = operation.operationId;
  return `<section aria-labelledby="${heading}">
<h3 id="${heading}">${escapeHtml(operation.summary)} ${anchor(heading)}</h3>
<p class="address"><span class="method">${call.method.toUpperCase()}</span> <code>${escapeHtml(
    `${ownServer === null ? '/v1' : ''}${path}`,
  )}</code> ${priceOf(call)}</p>
${renderMarkdown(operation.description).html}
${parameters(document, call)}
${requestBody(document, call)}
${answers(document, call)}
${result(document, call)}
${errors(document, call)}
${examples(document, call)}
</section>`;
}

function anchor(id: string): string {
  const label = '<span aria-hidden="true">#</span><span class="hidden">Link to this call</span>';
  return `<a class="anchor" href="#${id}">${label}</a>`;
}

export function priceOf({ operation }: Call): string {
  const price = operation['x-quarry-price'];
  if (price === undefined) return '<span class="price">free</span>';
  const dollars = (Number(price.amount) / UNITS_PER_DOLLAR).toFixed(2);
  const exact = Number(dollars) * UNITS_PER_DOLLAR === Number(price.amount);
  const amount = exact ? dollars : String(Number(price.amount) / UNITS_PER_DOLLAR);
  return `<span class="price">${amount} ${price.asset}</span>`;
}

function parameters(document: OpenApiDocument, { operation }: Call): string {
  const all = parametersOf(document, operation);
  if (all.length === 0) return '';
  const rows = all.map(
    ({ name, in: place, required, schema, description }): Row => [
      inlineCode(name),
      place,
      typeOf(schema),
      required ? 'yes' : 'no',
      renderInline(description),
    ],
  );
  const head = ['Name', 'In', 'Type', 'Required', 'Meaning'];
  return `<h4>Parameters and headers</h4>${table('Parameters and headers', head, rows)}`;
}

function requestBody(document: OpenApiDocument, { operation }: Call): string {
  const content = operation.requestBody?.content;
  const json = content?.['application/json']?.schema;
  if (json === undefined) return '';
  const multipart =
    content?.['multipart/form-data'] === undefined
      ? ''
      : '<p>Send JSON, or <code>multipart/form-data</code> with the file in the part <code>file</code> and ' +
        '<code>options</code> as a JSON string. Unknown fields are refused.</p>';
  return `<h4>Request</h4>${multipart}${fieldTable(document, json, `Request of ${operation.operationId}`)}`;
}

function answers(document: OpenApiDocument, { operation }: Call): string {
  const successes = answersOf(document, operation).filter(([status]) => status < 400);
  const rows = successes.map(
    ([status, answer]): Row => [statusText(status), renderInline(answer.description), bodyOf(answer)],
  );
  const views = successes.flatMap(([, answer]) => viewsOf(document, answer));
  const headers = new Map(successes.flatMap(([, answer]) => headersOf(document, answer)));
  const names = [...headers.keys()].map((name) => `<a href="#headers">${inlineCode(name)}</a>`).join(', ');
  return `<h4>Answers</h4>${table('Answers', ['Status', 'When', 'Body'], rows)}${views.join('')}
<p>Headers: ${names}.</p>`;
}

/** Views that belong to this call alone are shown here; shared ones are linked. */
function viewsOf(document: OpenApiDocument, answer: OpenApiResponse): string[] {
  const schema = answer.content?.['application/json']?.schema;
  const own = (schema?.anyOf ?? [schema]).filter((view) => /(Accepted|Answer)$/.test(view?.$ref ?? ''));
  return own.map((view) => fieldTable(document, view ?? {}, 'Fields of the answer'));
}

function bodyOf(answer: OpenApiResponse): string {
  const [media] = Object.entries(answer.content ?? {});
  if (media === undefined) return 'none';
  const [type, { schema }] = media;
  if (type !== 'application/json') return inlineCode(type);
  return (schema?.anyOf ?? [schema]).map((view) => nameOf(view ?? {})).join(', or ');
}

function nameOf(schema: JsonSchema): string {
  if (/(Accepted|Answer)$/.test(schema.$ref ?? '')) return 'the fields below';
  if (/Ended$/.test(schema.$ref ?? '')) return '<a href="#schema-Job">Job</a> with them';
  return typeOf(schema);
}

function result(document: OpenApiDocument, { operation }: Call): string {
  const schema = operation['x-quarry-result'];
  if (schema === undefined) return '';
  const fields = fieldTable(document, schemaOf(document, schema), `Result of ${operation.operationId}`);
  return `<h4>Result</h4><p>What <code>result</code> of the finished job holds.</p>${fields}`;
}

function errors(document: OpenApiDocument, { operation }: Call): string {
  const failures = answersOf(document, operation).filter(([status]) => status >= 400);
  const rows = failures.map(([status, answer]): Row => [statusText(status), codesOf(answer)]);
  return `<h4>Errors</h4>${table(`Errors of ${operation.operationId}`, ['Status', 'Codes'], rows)}`;
}

function codesOf(answer: OpenApiResponse): string {
  const body = answer.content?.['application/json']?.schema?.$ref ?? '';
  if (body.endsWith('/PaymentChallenge')) return `The <a href="#schema-PaymentChallenge">payment challenge</a>.`;
  const codes = answer['x-quarry-codes'];
  if (codes === undefined) return renderInline(answer.description);
  return codes.map((code) => `<a href="/problems/${code}"><code>${code}</code></a>`).join(', ');
}

function examples(document: OpenApiDocument, call: Call): string {
  const upload = uploadCurlOf(document, call);
  const answer = answersOf(document, call.operation).find(([status]) => status < 300)?.[1];
  const example = Object.values(answer?.content ?? {})[0]?.example;
  return `<h4>Example</h4>${codeBlock(curlOf(document, call), 'Command')}${
    upload === null ? '' : `<p>With a file:</p>${codeBlock(upload, 'Command with a file')}`
  }${example === undefined ? '' : `<p>Answer:</p>${codeBlock(textOf(example), 'Answer')}`}`;
}

function textOf(example: unknown): string {
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2);
}

function statusText(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? ''}`;
}

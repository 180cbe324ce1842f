import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { endingsOf } from '../../../src-server/platform/files/kinds.ts';
import { useEnvironment } from '../../api/client.ts';
import type { OperationForm } from '../../api/operations.ts';
import { documentQuery } from '../../api/queries.ts';
import { namedEntries } from '../../components/choices.ts';
import { Code } from '../../components/code.tsx';
import { Panel } from '../../components/page-elements.tsx';
import { workOfOperation } from '../../components/work.ts';
import type { FormValue } from './schema-value.ts';
import { run as runTexts } from './texts.ts';

/** The name of an example file, such as `talk.mp4`, shown while no file is chosen. */
function exampleFile(operationId: string): string {
  const { noun, reads } = workOfOperation(operationId);
  const [ending] = Object.keys(endingsOf(reads[0] ?? 'docx'));
  return `${noun.toLowerCase()}.${ending}`;
}

interface SameCallProps {
  operation: OperationForm;
  fields: FormValue;
  byFile: boolean;
  file: File | null;
}

/** The form as a program would send it. */
export function SameCall({ operation, fields, byFile, file }: SameCallProps) {
  const environment = useEnvironment();
  const document = useQuery(documentQuery());
  const base = document.data?.servers[environment === 'staging' ? 1 : 0]?.url ?? '';
  const { sourceUrl: _, ...withoutSource } = fields;
  const empty = Object.keys(fields).length === 0;
  const call = {
    url: `${base}/${operation.id}`,
    // For an empty form, show the example.
    fields: byFile ? withoutSource : empty ? operation.example : fields,
    fileName: byFile ? (file?.name ?? exampleFile(operation.id)) : null,
  };
  return (
    <Panel title={runTexts.call} about={runTexts.callAbout}>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm" aria-label={runTexts.call}>
          {Object.entries(runTexts.languages).map(([language, label]) => (
            <Tabs.Tab key={language} value={language}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {namedEntries(runTexts.languages).map(([language]) => (
          <Tabs.Panel key={language} value={language}>
            <Code value={requestSnippet(language, call)} label={runTexts.call} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

interface Call {
  url: string;
  /** The JSON body; with a file, the other fields. */
  fields: Record<string, unknown>;
  fileName: string | null;
}

type Language = 'curl' | 'fetch' | 'python';

/** The request in three languages, ready to paste. */
function requestSnippet(language: Language, call: Call): string {
  if (language === 'curl') return curlSnippet(call);
  return language === 'fetch' ? fetchCall(call) : pythonSnippet(call);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Escapes for single quotes in a shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a file name for curl: it would otherwise split at commas and semicolons. */
function inCurlQuotes(fileName: string): string {
  return `"${fileName.replaceAll(/["\\]/g, '\\$&')}"`;
}

function curlSnippet({ url, fields, fileName }: Call): string {
  const lines = [`curl ${quoteForShell(url)}`, `-H ${quoteForShell(`Authorization: Bearer ${runTexts.tokenHint}`)}`];
  if (fileName === null) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoteForShell(JSON.stringify(fields))}`);
  } else {
    // In values of `-F`, curl reads `@` or `<` as a file name and `;` as the start of a type.
    for (const [name, value] of Object.entries(fields)) {
      lines.push(`--form-string ${quoteForShell(`${name}=${asText(value)}`)}`);
    }
    lines.push(`-F ${quoteForShell(`file=@${inCurlQuotes(fileName)}`)}`);
  }
  return lines.join(' \\\n  ');
}

function fetchCall({ url, fields, fileName }: Call): string {
  const authorization = `Authorization: 'Bearer ${runTexts.tokenHint}'`;
  if (fileName === null) {
    const body = JSON.stringify(fields, null, 2).replaceAll('\n', '\n  ');
    return `const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { ${authorization}, 'Content-Type': 'application/json' },
  body: JSON.stringify(${body}),
});
const job = await answer.json();`;
  }
  const appends = Object.entries(fields).map(
    ([name, value]) => `form.append(${JSON.stringify(name)}, ${JSON.stringify(asText(value))});`,
  );
  const name = JSON.stringify(fileName);
  appends.push(`form.append('file', await openAsBlob(${name}), ${name});`);
  return `import { openAsBlob } from 'node:fs';

const form = new FormData();
${appends.join('\n')}
const answer = await fetch(${JSON.stringify(url)}, {
  method: 'POST',
  headers: { ${authorization} },
  body: form,
});
const job = await answer.json();`;
}

function pythonSnippet({ url, fields, fileName }: Call): string {
  const headers = `headers={"Authorization": "Bearer ${runTexts.tokenHint}"}`;
  if (fileName === null) {
    return `import requests

answer = requests.post(
    ${JSON.stringify(url)},
    ${headers},
    json=${pythonValue(fields)},
)
print(answer.json())`;
  }
  const data = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, asText(value)]));
  return `import requests

answer = requests.post(
    ${JSON.stringify(url)},
    ${headers},
    data=${pythonValue(data)},
    files={"file": open(${JSON.stringify(fileName)}, "rb")},
)
print(answer.json())`;
}

function pythonValue(value: unknown): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null || value === undefined) return 'None';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value === 'object') {
    const pairs = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonValue(one)}`);
    return `{${pairs.join(', ')}}`;
  }
  return JSON.stringify(value);
}

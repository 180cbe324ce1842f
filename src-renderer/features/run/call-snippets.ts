import { texts } from '../../components/texts.ts';

export interface Call {
  url: string;
  /** The JSON body; with a file, its other fields. */
  fields: Record<string, unknown>;
  fileName: string | null;
}

export type Language = 'curl' | 'fetch' | 'python';

/** The same request in three languages, to be pasted as it stands. */
export function snippet(language: Language, call: Call): string {
  if (language === 'curl') return curl(call);
  return language === 'fetch' ? fetchCall(call) : python(call);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Inside single quotes of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The name of a file in curl's own quotes: without them a comma parts two files, and a semicolon begins its type. */
function inCurlQuotes(fileName: string): string {
  return `"${fileName.replaceAll(/["\\]/g, '\\$&')}"`;
}

function curl({ url, fields, fileName }: Call): string {
  const lines = [`curl ${quoted(url)}`, `-H ${quoted(`Authorization: Bearer ${texts.run.tokenHint}`)}`];
  if (fileName === null) {
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(fields))}`);
  } else {
    // Of the value of `-F` an `@` or `<` would be taken for the name of a file, and a `;` for the beginning of a type.
    for (const [name, value] of Object.entries(fields)) {
      lines.push(`--form-string ${quoted(`${name}=${asText(value)}`)}`);
    }
    lines.push(`-F ${quoted(`file=@${inCurlQuotes(fileName)}`)}`);
  }
  return lines.join(' \\\n  ');
}

function fetchCall({ url, fields, fileName }: Call): string {
  const authorization = `Authorization: 'Bearer ${texts.run.tokenHint}'`;
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

function python({ url, fields, fileName }: Call): string {
  const headers = `headers={"Authorization": "Bearer ${texts.run.tokenHint}"}`;
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

import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEnvironment } from '../../api/environment.tsx';
import type { OperationForm } from '../../api/operations.ts';
import { documentQuery } from '../../api/queries.ts';
import { Code } from '../../components/code.tsx';
import { Panel } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import { type Language, snippet } from './call-snippets.ts';
import type { FormValue } from './schema-value.ts';

/** The file that a call shows while none is chosen. */
const EXAMPLE_FILES: Readonly<Record<string, string>> = {
  'extract/hosted-video': 'talk.mp4',
  'extract/video': 'talk.mp4',
  'extract/pdf': 'document.pdf',
};

interface SameCallProps {
  operation: OperationForm;
  fields: FormValue;
  byFile: boolean;
  file: File | null;
}

/** What the form sends, as a program would send it. */
export function SameCall({ operation, fields, byFile, file }: SameCallProps) {
  const environment = useEnvironment();
  const document = useQuery(documentQuery());
  const base = document.data?.servers[environment === 'staging' ? 1 : 0]?.url ?? '';
  const { sourceUrl: _, ...withoutSource } = fields;
  const empty = Object.keys(fields).length === 0;
  const call = {
    url: `${base}/${operation.id}`,
    // An empty form is of no use to anybody who wants to see how the call looks.
    fields: byFile ? withoutSource : empty ? operation.example : fields,
    fileName: byFile ? (file?.name ?? EXAMPLE_FILES[operation.id] ?? 'document.docx') : null,
  };
  return (
    <Panel title={texts.run.call} about={texts.run.callAbout}>
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List mb="sm">
          {Object.entries(texts.run.languages).map(([language, label]) => (
            <Tabs.Tab key={language} value={language}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.keys(texts.run.languages).map((language) => (
          <Tabs.Panel key={language} value={language}>
            <Code value={snippet(language as Language, call)} label={texts.run.call} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Panel>
  );
}

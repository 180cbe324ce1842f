import { Badge, Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { recordOf } from '../../../src-server/platform/records.ts';
import { errorsByField, useEnvironment } from '../../api/client.ts';
import type { OperationForm, Schema } from '../../api/operations.ts';
import { hasEnded, settlementQuery } from '../../api/queries.ts';
import { FileDrop } from '../../components/file-drop.tsx';
import { formatMoneyAmount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { wordsBy } from '../../components/literals.ts';
import { Money } from '../../components/money.tsx';
import { Failure, Panel } from '../../components/page-elements.tsx';
import { tileOf, workOfOperation } from '../../components/work.ts';
import { Answer, LiveAnswer, Steps } from './answer.tsx';
import { type Intent, isMainField, isOthersField, operationExample } from './intents.tsx';
import { SameCall } from './same-call.tsx';
import { SchemaField } from './schema-field.tsx';
import { compactFormValue, type FormValue, missingFields, requestBodyOf, shownFields } from './schema-value.ts';
import { type Sender, useSending } from './sending.ts';
import { useSuggestions } from './suggestions.ts';
import { LastTake, Lately, useLately } from './take.tsx';
import { run as runTexts } from './texts.ts';
import { Voices } from './voices.tsx';

interface RunFormProps {
  operation: OperationForm;
  intent: Intent | undefined;
  start: FormValue;
  /** The source file of a previous job. */
  startFile: File | null;
}

/** The form of an operation and the response. */
export function RunForm({ operation, intent, start, startFile }: RunFormProps) {
  const [value, setValue] = useState<FormValue>(start);
  const [file, setFile] = useState<File | null>(startFile);
  const [byFile, setByFile] = useState(start.sourceUrl === undefined);
  const [sender, setSender] = useState<Sender>('owner');
  /** Number of attempts with missing fields. */
  const [failedSubmits, setFailedSubmits] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  const { request, steps, text, before, stopped, stop, take } = useSending(operation, intent);
  const sendRunForm = () => {
    const sentFile = operation.takesFile && byFile ? file : null;
    const body = requestBodyOf(operation.takesFile && byFile ? { ...value, sourceUrl: undefined } : value, sentFile);
    request.mutate({ sender, body });
  };
  const missing = missingFields(operation, value, file, byFile);
  const errors = { ...errorsByField(request.error), ...(failedSubmits > 0 ? requiredErrors(missing) : {}) };
  // Scroll to the missing field, because the button is below the fields.
  useEffect(() => {
    if (failedSubmits > 0 || request.error !== null) showFirstError(form.current);
  }, [failedSubmits, request.error]);
  const setRunField = (name: string, one: unknown) => setValue((all) => ({ ...all, [name]: one }));
  return (
    <div className="run-panes">
      <Stack gap="md">
        <Panel {...runFormHead(operation, intent)} aside={<PriceTag operation={operation} />}>
          <form
            ref={form}
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              if (missing.length === 0) sendRunForm();
              else setFailedSubmits(failedSubmits + 1);
            }}
          >
            <Stack gap="md">
              {operation.takesFile && (
                <Source
                  byFile={byFile}
                  setByFile={setByFile}
                  file={file}
                  setFile={setFile}
                  value={value}
                  set={setRunField}
                  errors={errors}
                />
              )}
              <Fields operation={operation} intent={intent} value={value} set={setRunField} errors={errors} />
              {request.isError && !stopped && <Failure error={request.error} />}
              <SendRow operation={operation} sender={sender} setSender={setSender} busy={request.isPending} />
              <Steps steps={steps} />
            </Stack>
          </form>
        </Panel>
        {request.data === undefined && text !== '' && (
          <LiveAnswer text={text} state={stopped ? 'stopped' : request.isError ? 'broken' : 'busy'} onStop={stop} />
        )}
        {before !== null && take === null && <Answer sent={before} old={request.data === undefined} />}
      </Stack>
      <Beside operation={operation} intent={intent} take={take} hasAnswer={before !== null || text !== ''}>
        <SameCall
          operation={{ ...operation, example: operationExample(operation, intent) }}
          fields={recordOf(compactFormValue(value))}
          byFile={operation.takesFile && byFile}
          file={file}
        />
      </Beside>
    </div>
  );
}

interface BesideProps extends Pick<RunFormProps, 'operation' | 'intent'> {
  /** The job that the form has started. */
  take: string | null;
  /** The page already shows a response. */
  hasAnswer: boolean;
  children: ReactNode;
}

/** Beside the form: the last take, the same call, and earlier requests. */
function Beside({ operation, intent, take, hasAnswer, children }: BesideProps) {
  const lately = useLately(operation.id, intent);
  const shown = take ?? (hasAnswer ? undefined : lately.find(hasEnded)?.jobId);
  return (
    <Stack gap="md">
      {shown !== undefined && <LastTake key={shown} jobId={shown} />}
      {children}
      <Lately jobs={lately} />
    </Stack>
  );
}

function showFirstError(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: 'center' });
}

function PriceTag({ operation }: { operation: OperationForm }) {
  return (
    <Badge size="lg" variant="default">
      {operation.amount === null ? (
        runTexts.free
      ) : (
        <>
          {runTexts.othersPay} <Money amount={operation.amount} unit />
        </>
      )}
    </Badge>
  );
}

function requiredErrors(missing: readonly string[]): Record<string, string> {
  return Object.fromEntries(missing.map((name) => [name, runTexts.required]));
}

interface SourceProps {
  byFile: boolean;
  setByFile: (byFile: boolean) => void;
  file: File | null;
  setFile: (file: File | null) => void;
  value: FormValue;
  set: (name: string, value: unknown) => void;
  errors: Record<string, string>;
}

function Source({ byFile, setByFile, file, setFile, value, set, errors }: SourceProps) {
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label={runTexts.source}
        style={{ alignSelf: 'flex-start' }}
        value={byFile ? 'file' : 'address'}
        data={[
          { value: 'file', label: runTexts.file },
          { value: 'address', label: runTexts.address },
        ]}
        onChange={(choice) => setByFile(choice === 'file')}
      />
      {byFile ? (
        <FileDrop file={file} onFile={setFile} error={errors.file} />
      ) : (
        <TextInput
          label={runTexts.address}
          placeholder="https://"
          value={String(value.sourceUrl ?? '')}
          error={errors.sourceUrl}
          onChange={(event) => set('sourceUrl', event.currentTarget.value)}
        />
      )}
    </Stack>
  );
}

interface SendRowProps {
  operation: OperationForm;
  sender: Sender;
  setSender: (sender: Sender) => void;
  busy: boolean;
}

/** The sender and the button with the price. */
function SendRow({ operation, sender, setSender, busy }: SendRowProps) {
  const settlement = useQuery(settlementQuery(useEnvironment()));
  const sandbox = settlement.data?.status.mode === 'sandbox';
  const pays = sender === 'customer' && operation.amount !== null;
  return (
    <Group justify="space-between" wrap="wrap" gap="sm">
      {operation.amount !== null && sandbox ? (
        <SegmentedControl
          size="xs"
          aria-label={runTexts.sendAs}
          value={sender}
          data={[
            { value: 'owner', label: runTexts.owner },
            { value: 'customer', label: runTexts.customer },
          ]}
          onChange={setSender}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {operation.amount === null ? runTexts.free : runTexts.forYou}
        </Text>
      )}
      <Button type="submit" loading={busy} size="md">
        {pays
          ? runTexts.pay({ amount: runTexts.price({ amount: formatMoneyAmount(operation.amount ?? 0) }) })
          : runTexts.send}
      </Button>
    </Group>
  );
}

interface FieldsProps {
  operation: OperationForm;
  intent: Intent | undefined;
  value: FormValue;
  set: (name: string, value: unknown) => void;
  errors: Record<string, string>;
}

/** The fields that matter first, then the rest under More options. */
function Fields({ operation, intent, value, set, errors }: FieldsProps) {
  const suggestions = useSuggestions(operation);
  const hasError = (name: string) => Object.keys(errors).some((path) => path.split(/[.[]/)[0] === name);
  // A request that is run again may have a field that this form does not offer.
  const fields = shownFields(operation).filter(
    ([name]) => !isOthersField(name, intent) || value[name] !== undefined || hasError(name),
  );
  const rest = fields.filter(([name]) => !isMainField(name, intent)).map(([name]) => name);
  const [asked, setAsked] = useState(() => rest.some((name) => value[name] !== undefined));
  // A field with an error must be seen.
  const opened = asked || rest.some(hasError);
  const runFieldElement = ([name, schema]: (typeof fields)[number]) => (
    <SchemaField
      key={name}
      name={name}
      schema={inWordsOf(intent, name, schema)}
      value={value[name]}
      required={operation.schema.required?.includes(name) ?? false}
      path={name}
      errors={errors}
      suggestions={suggestions}
      onChange={(one) => set(name, one)}
    />
  );
  return (
    <>
      {fields.filter(([name]) => isMainField(name, intent)).map(runFieldElement)}
      {intent === 'speak' && (
        <Voices
          value={String(value.voice ?? '')}
          text={String(value.prompt ?? '')}
          onChange={(voice) => set('voice', voice)}
        />
      )}
      {rest.length > 0 && (
        <Button
          variant="subtle"
          style={{ alignSelf: 'flex-start' }}
          aria-expanded={opened}
          leftSection={<Icon name={opened ? 'chevron-down' : 'chevron-right'} size={14} />}
          onClick={() => setAsked(!opened)}
        >
          {runTexts.more}
        </Button>
      )}
      {opened && fields.filter(([name]) => rest.includes(name)).map(runFieldElement)}
    </>
  );
}

/** A schema with the description that the intent has for the field. */
function inWordsOf(intent: Intent | undefined, name: string, schema: Schema): Schema {
  const words = intent && wordsBy<Record<string, string>>(runTexts.fieldsOf)[intent]?.[name];
  return words === undefined ? schema : { ...schema, description: words };
}

/** The intent in plain words; an operation without a tile in its own. */
function runFormHead({ id, description }: OperationForm, intent: Intent | undefined) {
  if (intent === undefined) return { title: workOfOperation(id).name, about: description };
  const { label, about } = tileOf(intent);
  return { title: label, about };
}

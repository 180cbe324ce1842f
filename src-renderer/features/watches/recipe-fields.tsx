import { Button, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { recordOf } from '../../../src-server/platform/records.ts';
import { errorsByField } from '../../api/client.ts';
import type { OperationForm, Schema } from '../../api/operations.ts';
import { operationsQuery } from '../../api/queries.ts';
import { Icon } from '../../components/icon.tsx';
import { eachName, OPERATION_IDS, workOfOperation } from '../../components/work.ts';
import { SchemaField } from '../run/schema-field.tsx';
import { compactFormValue, type FormValue } from '../run/schema-value.ts';
import { useSuggestions } from '../run/suggestions.ts';
import { watches as texts } from './texts.ts';

export interface Recipe {
  operation: string;
  request: FormValue;
}

/** What each source sets, and what belongs to the watch. */
const OTHERS = ['file', 'sourceUrl', 'url', 'sourceName', 'priority'];

interface RecipeFieldsProps {
  /** Name of the field of the operation. */
  label: string;
  /** What the operation must take. */
  takes: readonly ('file' | 'page' | 'site')[];
  /** What the request of an operation begins with. */
  requests?: Readonly<Record<string, FormValue>>;
  recipe: Recipe;
  onChange: (recipe: Recipe) => void;
  /** Of the form; those of the recipe are below `recipe`. */
  error: unknown;
}

/** The operation of a recipe, and the options that its schema has. */
export function RecipeFields({ label, takes, requests = {}, recipe, onChange, error }: RecipeFieldsProps): ReactNode {
  const errors = errorsByField(error);
  const operations = useQuery(operationsQuery());
  const operation = operations.data?.find(({ id }) => id === recipe.operation);
  const [asked, setAsked] = useState(false);
  const opened = asked || Object.keys(errors).some((path) => path.startsWith('recipe.request.'));
  return (
    <>
      <Select
        label={label}
        data={OPERATION_IDS.filter((id) => takes.some((one) => one === workOfOperation(id).takes)).map((id) => ({
          value: id,
          label: eachName(id),
        }))}
        value={recipe.operation}
        allowDeselect={false}
        error={errors['recipe.operation']}
        // Another operation has other options.
        onChange={(value) => value !== null && onChange({ operation: value, request: requests[value] ?? {} })}
      />
      <Button
        variant="subtle"
        style={{ alignSelf: 'flex-start' }}
        aria-expanded={opened}
        leftSection={<Icon name={opened ? 'chevron-down' : 'chevron-right'} size={14} />}
        onClick={() => setAsked(!opened)}
      >
        {texts.options}
      </Button>
      {opened && operation !== undefined && (
        <Options
          operation={operation}
          value={recipe.request}
          errors={errors}
          onChange={(request) => onChange({ ...recipe, request })}
        />
      )}
    </>
  );
}

interface OptionsProps {
  operation: OperationForm;
  value: FormValue;
  errors: Readonly<Record<string, string>>;
  onChange: (value: FormValue) => void;
}

function Options({ operation, value, errors, onChange }: OptionsProps) {
  const suggestions = useSuggestions(operation);
  const ofRequest = Object.fromEntries(
    Object.entries(errors).flatMap(([path, message]) =>
      path.startsWith('recipe.request.') ? [[path.slice('recipe.request.'.length), message]] : [],
    ),
  );
  return (
    <Stack gap="md">
      {optionsOf(operation).map(([name, schema]) => (
        <SchemaField
          key={name}
          name={name}
          schema={schema}
          value={value[name]}
          required={operation.schema.required?.includes(name) ?? false}
          path={name}
          errors={ofRequest}
          suggestions={suggestions}
          onChange={(one) => onChange({ ...value, [name]: one })}
        />
      ))}
    </Stack>
  );
}

function optionsOf({ schema }: OperationForm): [string, Schema][] {
  return Object.entries(schema.properties ?? {}).filter(([name]) => !OTHERS.includes(name));
}

/** A recipe as it is sent: fields without a value take the defaults of the server. */
export function sentRecipe({ operation, request }: Recipe): Recipe {
  return { operation, request: recordOf(compactFormValue(request)) };
}

import {
  Autocomplete,
  Fieldset,
  type InputWrapperProps,
  JsonInput,
  MultiSelect,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { recordOf } from '../../../src-server/platform/records.ts';
import type { Schema } from '../../api/operations.ts';
import { humanizeName } from '../../components/format.ts';
import { compactFormValue } from './schema-value.ts';
import { run as runTexts } from './texts.ts';

/** Longer texts get several lines. */
const LONG_TEXT_CHARS = 2500;

/** Suggested values by field name, with descriptions. */
export type Suggestions = Record<string, { value: string; about: string }[]>;

export interface SchemaFieldProps {
  name: string;
  schema: Schema;
  value: unknown;
  required: boolean;
  /** Path of the field in the request: `options.language`. */
  path: string;
  /** Server errors by path. */
  errors: Readonly<Record<string, string>>;
  suggestions: Suggestions;
  onChange: (value: unknown) => void;
}

/** The form field for a schema, by type. New options of an operation need no code here. */
export function SchemaField(props: SchemaFieldProps) {
  const { schema } = props;
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (schema.enum !== undefined) return <ChoiceField {...props} />;
  if (type === 'boolean') return <BooleanField {...props} />;
  if (type === 'integer' || type === 'number') return <NumberField {...props} />;
  if (type === 'array') return <ListField {...props} />;
  if (type === 'object' && schema.properties !== undefined) return <ObjectField {...props} />;
  if (type === 'string') return <TextField {...props} />;
  if (numberAlternative(schema) !== undefined) return <SwitchWithCount {...props} />;
  return <JsonField {...props} />;
}

/** Errors of a field and of its parts without a field, such as `events[0]`. */
function errorAt(path: string, errors: Readonly<Record<string, string>>): string | undefined {
  const own = Object.keys(errors).find(
    (one) => one === path || one.startsWith(`${path}.`) || one.startsWith(`${path}[`),
  );
  return own === undefined ? undefined : errors[own];
}

/** What a field is, in the words of the window where it has some. */
function aboutOf(name: string, schema: Schema): string | undefined {
  return runTexts.fields[name] ?? schema.description;
}

function commonFieldProps({ name, schema, required, path, errors }: SchemaFieldProps) {
  const fallback = schema.default;
  const hint =
    typeof fallback === 'object' || fallback === undefined ? '' : runTexts.defaultIs({ value: String(fallback) });
  return {
    label: runTexts.names[name] ?? humanizeName(name),
    description: aboutOf(name, schema),
    required,
    error: errorAt(path, errors),
    placeholder: hint,
    inputWrapperOrder: WRAPPER_ORDER,
  };
}

const WRAPPER_ORDER: NonNullable<InputWrapperProps['inputWrapperOrder']> = ['label', 'input', 'description', 'error'];

function ChoiceField(props: SchemaFieldProps) {
  const names = runTexts.choices[props.name];
  const data = (props.schema.enum ?? [])
    .filter((one) => one !== null)
    .map((one) => ({ value: String(one), label: names?.[String(one)] ?? String(one) }));
  const value = props.value === undefined ? null : String(props.value);
  const chooseEnumValue = (next: string | null) =>
    props.onChange(props.schema.enum?.find((one) => String(one) === next));
  return <Select {...commonFieldProps(props)} data={data} value={value} clearable onChange={chooseEnumValue} />;
}

function BooleanField({ name, schema, value, onChange, path, errors }: SchemaFieldProps) {
  return (
    <Switch
      label={humanizeName(name)}
      description={aboutOf(name, schema)}
      error={errorAt(path, errors)}
      checked={Boolean(value ?? schema.default ?? false)}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** The number in a schema of `true`, `false` or a number. */
function numberAlternative({ anyOf = [] }: Schema): Schema | undefined {
  const isSwitch = anyOf.length === 2 && anyOf.some(({ type }) => type === 'boolean');
  return isSwitch ? anyOf.find(({ type }) => type === 'integer') : undefined;
}

/** A switch, and beside it a number that may stay open. */
function SwitchWithCount({ name, schema, value, onChange, path, errors }: SchemaFieldProps) {
  const count = numberAlternative(schema) ?? {};
  const isOn = value !== undefined && value !== false;
  return (
    <Stack gap={8}>
      <Switch
        label={humanizeName(name)}
        description={aboutOf(name, schema)}
        error={errorAt(path, errors)}
        checked={isOn}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {isOn && (
        <NumberInput
          aria-label={runTexts.countOf({ name: humanizeName(name) })}
          placeholder={runTexts.countOpen}
          value={typeof value === 'number' ? value : ''}
          allowDecimal={false}
          clampBehavior="none"
          {...(count.minimum === undefined ? {} : { min: count.minimum })}
          {...(count.maximum === undefined ? {} : { max: count.maximum })}
          onChange={(next) => onChange(next === '' ? true : Number(next))}
        />
      )}
    </Stack>
  );
}

function NumberField(props: SchemaFieldProps) {
  const { schema, value, onChange } = props;
  const whole = schema.type === 'integer';
  return (
    <NumberInput
      {...commonFieldProps(props)}
      value={typeof value === 'number' ? value : ''}
      allowDecimal={!whole}
      step={whole ? 1 : 0.1}
      clampBehavior="none"
      {...(schema.minimum === undefined ? {} : { min: schema.minimum })}
      {...(schema.maximum === undefined ? {} : { max: schema.maximum })}
      onChange={(next) => onChange(next === '' ? undefined : Number(next))}
    />
  );
}

function ListField(props: SchemaFieldProps) {
  const { schema, value, onChange } = props;
  const items = schema.items ?? {};
  const values = Array.isArray(value) ? value.map(String) : [];
  if (items.enum !== undefined) {
    return (
      <MultiSelect {...commonFieldProps(props)} data={items.enum.map(String)} value={values} onChange={onChange} />
    );
  }
  if (items.type === 'string') {
    return (
      <TagsInput {...commonFieldProps(props)} placeholder={runTexts.listHint} value={values} onChange={onChange} />
    );
  }
  return <JsonField {...props} />;
}

function ObjectField({ name, schema, value, required, path, errors, suggestions, onChange }: SchemaFieldProps) {
  const fields = recordOf(value);
  // The parts of an optional object become required once one of them has a value.
  const used = required || compactFormValue(value) !== undefined;
  return (
    <Fieldset legend={humanizeName(name)}>
      <Stack gap="md">
        {Object.entries(schema.properties ?? {}).map(([inner, one]) => (
          <SchemaField
            key={inner}
            name={inner}
            schema={one}
            value={fields[inner]}
            required={used && (schema.required?.includes(inner) ?? false)}
            path={`${path}.${inner}`}
            errors={errors}
            suggestions={suggestions}
            onChange={(next) => onChange({ ...fields, [inner]: next })}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

function TextField(props: SchemaFieldProps) {
  const { name, schema, value, onChange } = props;
  const text = typeof value === 'string' ? value : '';
  const changeFieldText = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value);
  if (name === 'secret' || schema.format === 'password')
    return <PasswordInput {...commonFieldProps(props)} value={text} onChange={changeFieldText} autoComplete="off" />;
  const long = schema.format === undefined && (schema.maxLength ?? 0) > LONG_TEXT_CHARS;
  if (long)
    return (
      <Textarea
        {...commonFieldProps(props)}
        autosize
        minRows={3}
        maxRows={12}
        value={text}
        onChange={changeFieldText}
      />
    );
  const known = props.suggestions[name] ?? [];
  if (known.length > 0) return <SuggestingField {...props} known={known} />;
  const placeholder = schema.format === 'uri' ? 'https://' : commonFieldProps(props).placeholder;
  return <TextInput {...commonFieldProps(props)} placeholder={placeholder} value={text} onChange={changeFieldText} />;
}

/** A text field with suggestions. Any value is allowed. */
function SuggestingField({ known, ...props }: SchemaFieldProps & { known: Suggestions[string] }) {
  const about = new Map(known.map((one) => [one.value, one.about]));
  return (
    <Autocomplete
      {...commonFieldProps(props)}
      data={known.map(({ value }) => value)}
      value={typeof props.value === 'string' ? props.value : ''}
      onChange={(next) => props.onChange(next)}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.value}</Text>
          <Text size="xs" c="dimmed">
            {about.get(option.value)}
          </Text>
        </div>
      )}
    />
  );
}

/** A JSON editor for schemas without a fixed shape. */
function JsonField(props: SchemaFieldProps) {
  const { value, onChange } = props;
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 2);
  return (
    <JsonInput
      {...commonFieldProps(props)}
      value={text}
      autosize
      minRows={2}
      formatOnBlur
      onChange={(next) => onChange(parsedJsonOrText(next))}
    />
  );
}

/** The parsed JSON, or the raw text while it is invalid. */
function parsedJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

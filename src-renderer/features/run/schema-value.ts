import type { OperationForm, Schema } from '../../api/operations.ts';

export type FormValue = Record<string, unknown>;

/** Fields that a form shows: those of the schema, but for the file, which has a place of its own. */
export function shownFields(operation: OperationForm): [string, Schema][] {
  const { properties = {} } = operation.schema;
  return Object.entries(properties).filter(
    ([name]) => !(operation.takesFile && (name === 'file' || name === 'sourceUrl')),
  );
}

/** What is sent: nothing that is empty, so that the server's own defaults hold. */
export function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  if (typeof value === 'object' && value !== null) {
    const kept = Object.entries(value).flatMap(([name, inner]) => {
      const one = compact(inner);
      return one === undefined ? [] : [[name, one] as const];
    });
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  }
  return value === '' || value === null ? undefined : value;
}

/** Names of needed fields that have no value yet. */
export function missingFields(
  operation: OperationForm,
  value: FormValue,
  file: File | null,
  byFile: boolean,
): string[] {
  const { required = [] } = operation.schema;
  const needed = required.filter((name) => !(operation.takesFile && (name === 'file' || name === 'sourceUrl')));
  const missing = needed.filter((name) => compact(value[name]) === undefined);
  if (!operation.takesFile) return missing;
  if (byFile) return file === null ? [...missing, 'file'] : missing;
  return compact(value.sourceUrl) === undefined ? [...missing, 'sourceUrl'] : missing;
}

/** The request as it goes out: JSON, or a form where a file is sent. */
export function bodyOf(value: FormValue, file: File | null): FormValue | FormData {
  const { sourceUrl, ...rest } = (compact(value) ?? {}) as FormValue;
  if (file === null) return sourceUrl === undefined ? rest : { sourceUrl, ...rest };
  const form = new FormData();
  for (const [name, one] of Object.entries(rest)) {
    form.append(name, typeof one === 'string' ? one : JSON.stringify(one));
  }
  // Last, so that the server knows all fields before the bytes arrive.
  form.append('file', file, file.name);
  return form;
}

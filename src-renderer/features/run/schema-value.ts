import { recordOf } from '../../../src-server/platform/records.ts';
import type { OperationForm, Schema } from '../../api/operations.ts';

export type FormValue = Record<string, unknown>;

/** The fields of the form: all of the schema except the file, which has its own input. */
export function shownFields(operation: OperationForm): [string, Schema][] {
  const { properties = {} } = operation.schema;
  return Object.entries(properties).filter(
    ([name]) => !(operation.takesFile && (name === 'file' || name === 'sourceUrl')),
  );
}

/** Removes empty values, so that the server's defaults apply. */
export function compactFormValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  if (typeof value === 'object' && value !== null) {
    const kept = Object.entries(value).flatMap(([name, inner]) => {
      const one = compactFormValue(inner);
      return one === undefined ? [] : [[name, one] as const];
    });
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  }
  return value === '' || value === null ? undefined : value;
}

/** Names of required fields without a value. */
export function missingFields(
  operation: OperationForm,
  value: FormValue,
  file: File | null,
  byFile: boolean,
): string[] {
  const { required = [] } = operation.schema;
  const needed = required.filter((name) => !(operation.takesFile && (name === 'file' || name === 'sourceUrl')));
  const missing = needed.filter((name) => compactFormValue(value[name]) === undefined);
  if (!operation.takesFile) return missing;
  if (byFile) return file === null ? [...missing, 'file'] : missing;
  return compactFormValue(value.sourceUrl) === undefined ? [...missing, 'sourceUrl'] : missing;
}

/** The request body: JSON, or FormData if there is a file. */
export function requestBodyOf(value: FormValue, file: File | null): FormValue | FormData {
  const { sourceUrl, ...rest } = recordOf(compactFormValue(value));
  if (file === null) return sourceUrl === undefined ? rest : { sourceUrl, ...rest };
  const form = new FormData();
  for (const [name, one] of Object.entries(rest)) {
    form.append(name, typeof one === 'string' ? one : JSON.stringify(one));
  }
  // Append the file last, so that the server has all fields before the bytes arrive.
  form.append('file', file, file.name);
  return form;
}

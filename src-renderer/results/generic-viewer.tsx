import type { ReactNode } from 'react';
import { number, words } from '../components/format.ts';
import { Code, Facts, Panel } from '../components/parts.tsx';
import { type Fields, fieldsOf } from './shapes.ts';

/** A value in the form that a person reads best. */
export function readable(value: unknown): ReactNode {
  if (typeof value === 'number') return Number.isInteger(value) ? number(value) : String(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || value === null || value === undefined) return String(value ?? '–');
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ') || '–';
  const fields = fieldsOf(value);
  if (fields !== null && Object.values(fields).every((one) => typeof one !== 'object' || one === null)) {
    const told = Object.entries(fields).filter(([, one]) => one !== null);
    return told.map(([name, one]) => `${words(name).toLowerCase()} ${one}`).join(', ') || '–';
  }
  return <Code value={JSON.stringify(value, null, 2)} label="value" maxHeight={180} />;
}

/** Any object, field by field: what no other viewer claims is still shown. */
export function FieldsPanel({ title, fields }: { title: string; fields: Fields }) {
  const rows = Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined)
    .flatMap(([name, value]): [string, ReactNode][] => {
      const inner = fieldsOf(value);
      if (inner === null || Object.values(inner).some((one) => typeof one === 'object')) {
        return [[words(name), readable(value)]];
      }
      return Object.entries(inner).map(([part, one]) => [`${words(name)}: ${words(part)}`, readable(one)]);
    });
  if (rows.length === 0) return null;
  return (
    <Panel title={title}>
      <Facts rows={rows} />
    </Panel>
  );
}

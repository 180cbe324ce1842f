/** Choices that this browser keeps between visits: presets, languages used lately, how things are read. */
import { useCallback, useSyncExternalStore } from 'react';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';

const PREFIX = 'quarry.';

const listeners = new Set<() => void>();

/** What was read last, by name: the same text gives the same object. */
const read = new Map<string, { text: string; value: unknown }>();

/** What was saved under a name; undefined if nothing was. */
export function readSavedChoice<Value>(name: string): Value | undefined {
  const text = localStorage.getItem(PREFIX + name);
  if (text === null) return undefined;
  const known = read.get(name);
  if (known?.text === text) return known.value as Value;
  const value = parseOwnJson<Value>(text);
  read.set(name, { text, value });
  return value;
}

export function saveChoice(name: string, value: unknown): void {
  localStorage.setItem(PREFIX + name, JSON.stringify(value));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** A saved choice, also when another tab changes it, and the function that saves it. */
export function useSavedChoice<Value>(name: string): [Value | undefined, (value: Value) => void] {
  const value = useSyncExternalStore(subscribe, () => readSavedChoice<Value>(name));
  return [value, useCallback((next: Value) => saveChoice(name, next), [name])];
}

import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { texts } from '../texts.ts';
import { compareTexts } from './format.ts';
import { languageName } from './language-name.ts';
import { useSavedChoice } from './saved-choices.ts';

/** ISO 639 codes, with the variants that voices and readers distinguish. */
const CODES = (
  'af am ar as az be bg bn br bs ca cs cy da de el en en-GB en-US eo es et eu fa fi fo fr ga gl gu ha ' +
  'haw he hi hr ht hu hy id is it ja jv ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my nb ' +
  'ne nl nn oc pa pl ps pt pt-BR ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ' +
  'ur uz vi yi yo yue zh zh-Hant'
).split(' ');

const LATELY = 4;

/** `German · Deutsch`: found by either name. A browser that does not speak a language names it in its own. */
function bothNames(code: string): string {
  if (Intl.DisplayNames.supportedLocalesOf(code).length === 0) return languageName(code);
  const own = new Intl.DisplayNames(code, { type: 'language' }).of(code) ?? code;
  const name = languageName(code);
  return own.toLowerCase() === name.toLowerCase() ? name : `${name} · ${own}`;
}

interface LanguageSelectProps {
  label: string;
  /** Null: found in the source. */
  value: string | null;
  onChange: (code: string | null) => void;
  /** The languages to offer; all without. */
  codes?: readonly string[];
  /** Shown while none is chosen. */
  placeholder?: string;
}

/** A language by its English or own name, those used lately first. */
export function LanguageSelect({ label, value, onChange, codes = CODES, placeholder }: LanguageSelectProps) {
  const [lately = [], saveLately] = useSavedChoice<string[]>('languages');
  const all = useMemo(
    () =>
      [...new Set([...codes, ...(value === null ? [] : [value])])]
        .map((code) => ({ value: code, label: bothNames(code) }))
        .sort((one, other) => compareTexts(one.label, other.label)),
    [codes, value],
  );
  const used = all.filter((one) => lately.includes(one.value));
  const t = texts.language;
  const data =
    used.length === 0
      ? all
      : [
          { group: t.lately, items: used },
          { group: t.all, items: all.filter((one) => !used.includes(one)) },
        ];
  return (
    <Select
      label={label}
      placeholder={placeholder ?? t.found}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t.clear }}
      nothingFoundMessage={t.none}
      data={data}
      value={value}
      onChange={(code) => {
        if (code !== null) saveLately([code, ...lately.filter((one) => one !== code)].slice(0, LATELY));
        onChange(code);
      }}
    />
  );
}

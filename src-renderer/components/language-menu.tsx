import { NativeSelect } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { chosenLanguage, keepLanguage, LANGUAGES, ownName, systemLanguage } from '../language/locale.ts';
import { showLanguage } from '../language/messages.ts';
import { texts } from '../texts.ts';
import { notify } from './notify.ts';

/** The value of following the system. */
const SYSTEM = '';

/** Chooses the language of the window, kept in this browser. */
export function LanguageMenu({ label }: { label?: string }): ReactNode {
  const [chosen, setChosen] = useState(chosenLanguage() ?? SYSTEM);
  const t = texts.language;
  const choose = async (value: string) => {
    const language = value === SYSTEM ? null : value;
    setChosen(value);
    try {
      await showLanguage(language ?? systemLanguage());
      keepLanguage(language);
      await window.quarry?.showLanguage(language);
    } catch {
      setChosen(chosenLanguage() ?? SYSTEM);
      notify({ color: 'red', message: t.failed });
    }
  };
  return (
    <NativeSelect
      className="language-menu"
      data-returns="language"
      aria-label={t.title}
      label={label}
      value={chosen}
      onChange={(event) => void choose(event.currentTarget.value)}
    >
      <option value={SYSTEM}>{t.system({ language: ownName(systemLanguage()) })}</option>
      {LANGUAGES.map((language) => (
        <option key={language} value={language} lang={language}>
          {ownName(language)}
        </option>
      ))}
    </NativeSelect>
  );
}

import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { libraryKey } from '../../api/library.ts';
import { LanguageSelect } from '../../components/language-select.tsx';
import { languageName } from './item-words.ts';
import { item as texts } from './texts.ts';

/** The language of an item, found by its English or its own name. */
export function LanguagePicker({ item: { itemId, language } }: { item: LibraryItem }): ReactNode {
  const environment = useEnvironment();
  const [isOpen, setOpen] = useState(false);
  const change = useChange(
    (code: string) =>
      api[environment].PATCH('/library/items/{itemId}', { params: { path: { itemId } }, body: { language: code } }),
    { renews: [libraryKey(environment)], onDone: () => setOpen(false) },
  );
  if (!isOpen) {
    return (
      <>
        {language === null ? texts.about.unknown : languageName(language)}{' '}
        <button type="button" className="link-button" onClick={() => setOpen(true)}>
          {texts.about.change}
        </button>
      </>
    );
  }
  return (
    <LanguageSelect
      label={texts.about.language}
      value={language}
      onChange={(code) => code !== null && change.mutate(code)}
    />
  );
}

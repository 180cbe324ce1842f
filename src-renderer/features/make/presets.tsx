import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { useSavedChoice } from '../../components/saved-choices.ts';
import { showToast } from '../../components/toast.tsx';
import { Way } from '../../components/way.tsx';
import type { MakeKind } from '../../pages.ts';
import { texts } from '../../texts.ts';
import { changesOf, type MakeSettings, PRESETS, USUAL } from './settings.ts';
import { make as makeTexts } from './texts.ts';

interface OwnPreset {
  name: string;
  settings: Partial<MakeSettings>;
}

interface PresetsProps {
  kind: MakeKind;
  settings: MakeSettings;
  onChange: (settings: MakeSettings) => void;
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Settings by name: those that come with Quarry, and those that were saved in this browser. */
export function Presets({ kind, settings, onChange }: PresetsProps) {
  const [own = [], saveOwn] = useSavedChoice<OwnPreset[]>(`presets.${kind}`);
  const [named, setNamed] = useState<string | null>(null);
  const t = makeTexts;
  const current = changesOf(kind, settings);
  const choose = (preset: Partial<MakeSettings>) => onChange({ ...USUAL, ...preset });
  const removeOwn = (preset: OwnPreset) => {
    saveOwn(own.filter((one) => one !== preset));
    showToast({ message: t.presetRemoved({ name: preset.name }), icon: 'trash-2', onUndo: () => saveOwn(own) });
  };
  const savePreset = () => {
    const name = named?.trim() ?? '';
    if (name === '') return;
    saveOwn([...own.filter((one) => one.name !== name), { name, settings: current }]);
    setNamed(null);
    showToast({ message: t.presetSaved({ name }) });
  };
  return (
    <section aria-label={t.preset}>
      <div className="make-label">
        <h2 className="label">{t.preset}</h2>
        {named === null && (
          <Button size="compact-sm" variant="subtle" onClick={() => setNamed('')}>
            {t.savePreset}
          </Button>
        )}
      </div>
      {named !== null && (
        <NameField name={named} onChange={setNamed} onSave={savePreset} onCancel={() => setNamed(null)} />
      )}
      <ul className="way-list">
        {PRESETS[kind].map(([name, preset]) => (
          <li key={name}>
            <Way {...t.presets[name]} chosen={isSame(preset, current)} onChoose={() => choose(preset)} />
          </li>
        ))}
        {own.map((preset) => (
          <li key={preset.name}>
            <Way
              name={preset.name}
              about={t.own}
              chosen={isSame(preset.settings, current)}
              onChoose={() => choose(preset.settings)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              className="way-remove"
              aria-label={t.removePreset({ name: preset.name })}
              onClick={() => removeOwn(preset)}
            >
              <Icon name="x" size={14} />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NameFieldProps {
  name: string;
  onChange: (name: string) => void;
  onSave: () => void;
  onCancel: () => void;
}

function NameField({ name, onChange, onSave, onCancel }: NameFieldProps) {
  const t = makeTexts;
  return (
    <Group gap="xs" mb="xs" align="flex-end">
      <TextInput
        label={t.presetName}
        value={name}
        maxLength={60}
        autoFocus
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault();
            onSave();
          }
        }}
      />
      <Button variant="default" disabled={name.trim() === ''} onClick={onSave}>
        {texts.common.save}
      </Button>
      <Button variant="subtle" onClick={onCancel}>
        {texts.common.cancel}
      </Button>
    </Group>
  );
}

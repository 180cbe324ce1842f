import { useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { type KeyAction, useKeyboard, useKeys } from '../../components/keys.ts';
import { INTENTS, operationOf, tileOf, workOfKind } from '../../components/work.ts';
import { FOOT, LIBRARY_HALF, SERVICE_HALF } from '../../pages.ts';
import { texts } from '../../texts.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeySheet = lazy(async () => ({ default: (await import('./palette.tsx')).KeySheet }));

/** The second key after `n`: the initial of the intent, or of what it makes where that is taken. */
const RUN_KEYS = { read: 'r', transcribe: 't', crawl: 'c', speak: 's', compose: 'm', write: 'w', search: 'f' } as const;

const GO = [...LIBRARY_HALF, ...SERVICE_HALF, ...FOOT];

type Layer = 'palette' | 'keys';

let openWantedLayer: (layer: Layer) => void = () => undefined;

/** The keyboard of the frame, the palette (Ctrl+K) and the sheet of keys (?). Both load when first wanted. */
export function FindOrDo() {
  const navigate = useNavigate();
  const [layer, setLayer] = useState<Layer | null>(null);
  const [loaded, setLoaded] = useState<readonly Layer[]>([]);
  const openPaletteLayer = (next: Layer) => {
    setLoaded((all) => (all.includes(next) ? all : [...all, next]));
    setLayer(next);
  };
  openWantedLayer = openPaletteLayer;
  useKeyboard();
  useHotkeys([['mod+K', () => openPaletteLayer('palette')]], []);
  useKeys([
    ...INTENTS.map(
      (kind): KeyAction => ({
        keys: `n ${RUN_KEYS[kind]}`,
        name: tileOf(kind).label,
        icon: workOfKind(kind).icon,
        group: 'run',
        run: () => {
          if (kind === 'search') void navigate({ to: '/search' });
          else void navigate({ to: '/service/api/$', params: { _splat: operationOf(kind) } });
        },
      }),
    ),
    ...GO.map(
      ({ name, to, key, icon }): KeyAction => ({
        keys: `g ${key}`,
        name: texts.shell.names[name],
        icon,
        group: 'window',
        run: () => void navigate({ to }),
      }),
    ),
    // Ctrl+K is a hotkey of its own, which also works while someone types.
    { keys: 'Ctrl K', name: texts.shell.find, group: 'window', run: () => openPaletteLayer('palette'), onlyKey: true },
    { keys: '/', name: texts.shell.findHere, group: 'window', run: () => openPaletteLayer('palette'), onlyKey: true },
    { keys: '?', name: texts.shell.keys, icon: 'circle-help', group: 'window', run: () => openPaletteLayer('keys') },
  ]);
  const closePaletteLayer = () => setLayer(null);
  return (
    <Suspense fallback={null}>
      {loaded.includes('palette') && <Palette opened={layer === 'palette'} onClose={closePaletteLayer} />}
      {loaded.includes('keys') && <KeySheet opened={layer === 'keys'} onClose={closePaletteLayer} />}
    </Suspense>
  );
}

/** Opens the sheet of keys. */
export function showKeys(): void {
  openWantedLayer('keys');
}

/** The button of the rail that opens the palette. */
export function FindButton({ onOpen }: { onOpen?: () => void }) {
  return (
    <button
      type="button"
      className="find"
      aria-keyshortcuts="Control+K"
      onClick={() => {
        onOpen?.();
        openWantedLayer('palette');
      }}
    >
      <Icon name="search" size={14} />
      <span className="find-words">{texts.shell.find}</span>
      <span className="find-keys" aria-hidden="true">
        <kbd>Ctrl</kbd>
        <kbd>K</kbd>
      </span>
    </button>
  );
}

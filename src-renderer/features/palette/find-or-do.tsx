import { useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { IS_DEVICE } from '../../api/session.ts';
import { Icon } from '../../components/icon.tsx';
import { type KeyAction, useKeyboard, useKeys } from '../../components/keys.ts';
import { INTENTS, tileOf, workOfKind } from '../../components/work.ts';
import { FOOT, LIBRARY_HALF, MAKE_KINDS, SERVICE_HALF } from '../../pages.ts';
import { texts } from '../../texts.ts';
import { openAdd } from '../add/open-add.ts';

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
          const made = MAKE_KINDS.find((one) => one === kind);
          if (kind === 'search') void navigate({ to: '/search' });
          else if (made === undefined) openAdd();
          else void navigate({ to: '/make/$kind', params: { kind: made } });
        },
      }),
    ),
    {
      keys: 'n l',
      name: texts.add.listen,
      icon: 'volume-2',
      group: 'run',
      run: () => void navigate({ to: '/make/listen' }),
    },
    ...GO.map(
      ({ name, to, key, icon }): KeyAction => ({
        keys: `g ${key}`,
        name: texts.shell.names[name],
        icon,
        group: 'window',
        run: () => void navigate({ to }),
      }),
    ),
    ...(IS_DEVICE ? [] : [toPhone(() => void navigate({ to: '/settings/$section', params: PHONE }))]),
    { keys: 'a', name: texts.add.title, icon: 'plus', group: 'window', run: () => openAdd() },
    // Ctrl+K is a hotkey of its own, which also works while someone types.
    { keys: 'Ctrl K', name: texts.shell.find, group: 'window', run: () => openPaletteLayer('palette'), onlyKey: true },
    { keys: '/', name: texts.shell.findHere, group: 'window', run: () => openPaletteLayer('palette'), onlyKey: true },
    { keys: '?', name: texts.shell.keys, icon: 'circle-help', group: 'window', run: () => openPaletteLayer('keys') },
  ]);
  const [typed, setTyped] = useState('');
  const closePaletteLayer = () => setLayer(null);
  useKeptLetters(layer === 'palette', setTyped);
  return (
    <Suspense fallback={layer === 'palette' && <Waiting typed={typed} />}>
      {loaded.includes('palette') && (
        <Palette opened={layer === 'palette'} onClose={closePaletteLayer} typed={typed} onType={setTyped} />
      )}
      {loaded.includes('keys') && <KeySheet opened={layer === 'keys'} onClose={closePaletteLayer} />}
    </Suspense>
  );
}

const PHONE = { section: 'connections' };

function toPhone(run: () => void): KeyAction {
  return { keys: 'g n', name: texts.shell.phone, icon: 'smartphone', group: 'window', run };
}

/** What is typed before the field of the palette has the focus goes into it, and never to the page. */
function useKeptLetters(isOpen: boolean, change: (next: (typed: string) => string) => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (ctrlKey || metaKey || altKey || (target instanceof Element && target.closest('[role="dialog"]'))) return;
      if (key === 'Backspace') change((typed) => typed.slice(0, -1));
      else if (key.length === 1) change((typed) => typed + key);
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [isOpen, change]);
}

/** The field of the palette, in its place, while the palette loads. */
function Waiting({ typed }: { typed: string }) {
  return (
    <div className="palette-wait" role="status" aria-label={texts.palette.title}>
      <Icon name="search" size={20} />
      {typed === '' ? <span className="faint">{texts.palette.hint}</span> : typed}
    </div>
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
        <kbd>Ctrl K</kbd>
      </span>
    </button>
  );
}

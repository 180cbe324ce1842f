import { Button, Group, Text, Textarea } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { adminPath, apiPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { ModeratedContribution } from '../../api/generated/owner.ts';
import type { Chunk, Contribution } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { jobKey } from '../../api/queries.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useKeys } from '../../components/keys.ts';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { correctionReachText } from './correction-reach.ts';
import { type OwnLayer, type Quoted, useOwnLayer } from './own-layer.tsx';
import { selectSentence } from './sentences.ts';
import { results as texts } from './texts.ts';
import { placeIn, type Selected, widenToWords, withReplaced } from './whole-words.ts';

/** Text of a result that can be corrected, annotated, played or copied. */
export interface Passage {
  text: string;
  /** Undefined where the text belongs to no chunk, so it cannot be corrected. */
  chunk: Chunk | undefined;
  /** Where it starts in a recording; null without one. */
  seconds: number | null;
}

interface Chosen extends Passage {
  /** The selected words with their surroundings; no words for the whole passage. */
  selected: Selected;
  top: number;
  left: number;
}

interface SelectableProps {
  jobId: string;
  /** Finds the passage of a selection; null for text that is not of the result. */
  passageOf: (text: string, start: Element) => Passage | null;
  onPlay?: (seconds: number) => void;
  children: ReactNode;
}

/** A text in which a selection opens a bar with actions. */
export function Selectable({ jobId, passageOf, onPlay, children }: SelectableProps) {
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  // A button pressed by a key leads into the bar, which gives the focus back when it is gone.
  const [byKey, setByKey] = useState(false);
  /** Its button. */
  const [passage, setPassage] = useState<Element | null>(null);
  const close = useCallback(() => {
    setChosen(null);
    setPassage(null);
  }, []);
  const takeSelection = (isKept = false) => {
    const found = selectionIn(box);
    const words = found === null ? null : passageOf(found.selected.text, found.start);
    const { selected, top, left } = found ?? { selected: NOTHING, top: 0, left: 0 };
    setByKey(isKept && byKey);
    if (!isKept) setPassage(null);
    setChosen(words === null ? null : { ...words, selected, top, left });
  };
  useKeySelection(box, () => takeSelection(true));
  useSentenceKeys(passage, () => takeSelection(true));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: selects text; the numbers of the chunks open the same bar.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the clicks are those of the buttons inside, which have keys.
    <div
      ref={box}
      className="selectable"
      onMouseUp={(event) => {
        // The browser clears a selection after this event.
        if (!(event.target as Element).closest('.selection-bar, [data-passage]')) setTimeout(() => takeSelection());
      }}
      onClick={(event) => {
        const button = (event.target as Element).closest<HTMLElement>('[data-passage]');
        if (button === null || box.current === null) return;
        const words = passageOf('', button);
        const place = selectionToolbarPlace(button.getBoundingClientRect(), box.current);
        setByKey(event.detail === 0);
        setPassage(event.detail === 0 ? button : null);
        if (words !== null) setChosen({ ...words, selected: { ...NOTHING, text: words.text }, ...place });
      }}
    >
      {children}
      {chosen !== null && (
        <SelectionBar
          key={`${chosen.top} ${chosen.text}`}
          {...{ jobId, chosen, close, byKey }}
          {...(onPlay ? { onPlay } : {})}
        />
      )}
    </div>
  );
}

/** The arrows go through the sentences of the passage that a key has opened. */
function useSentenceKeys(passage: Element | null, take: () => void): void {
  const sentence = useRef(-1);
  useEffect(() => {
    sentence.current = passage === null ? 0 : -1;
  }, [passage]);
  const go = (step: number) => {
    if (passage === null || !passage.isConnected) return;
    sentence.current = selectSentence(passage, sentence.current + step);
    take();
  };
  const { nextSentence, previousSentence } = texts.selection;
  useKeys(
    passage === null
      ? []
      : [
          { keys: 'ArrowRight', name: nextSentence, group: 'page', run: () => go(1) },
          { keys: 'ArrowLeft', name: previousSentence, group: 'page', run: () => go(-1) },
        ],
  );
}

/** Words that Shift and the arrows select open the bar when Shift is released. */
function useKeySelection(box: RefObject<HTMLElement | null>, take: () => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      const isText = target instanceof Element && target.closest('input, textarea, select') === null;
      const { anchorNode = null, isCollapsed = true } = getSelection() ?? {};
      if (key === 'Shift' && isText && !isCollapsed && box.current?.contains(anchorNode)) latest.current();
    };
    document.addEventListener('keyup', onKey);
    return () => document.removeEventListener('keyup', onKey);
  }, [box]);
}

const NOTHING: Selected = { text: '', before: '', after: '' };

const BAR_WIDTH = 380;

const BELOW = 6;

function selectionToolbarPlace(rectangle: DOMRect, box: Element): { top: number; left: number } {
  const { top, left, width } = box.getBoundingClientRect();
  return {
    top: rectangle.bottom - top + BELOW,
    left: Math.max(0, Math.min(rectangle.left - left, width - BAR_WIDTH)),
  };
}

function selectionIn({ current: box }: RefObject<HTMLElement | null>) {
  const selection = getSelection();
  const text = selection?.toString().trim() ?? '';
  if (box === null || selection === null || text === '' || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const start = range.startContainer;
  // A triple click selects up to the start of the next paragraph, which may lie outside.
  if (!box.contains(start)) return null;
  const element = start instanceof Element ? start : start.parentElement;
  if (element === null) return null;
  // Words are corrected as a whole, and the selection shows it.
  const selected = widenToWords(range, element.closest('[data-index]') ?? box);
  const end = range.endContainer;
  const isBeyond = !(element.closest('[data-index]') ?? box).contains(end);
  return {
    selected: isBeyond ? { ...selected, text } : selected,
    start: element,
    ...selectionToolbarPlace(range.getBoundingClientRect(), box),
  };
}

interface SelectionBarProps {
  jobId: string;
  chosen: Chosen;
  close: () => void;
  /** Opened by a key: the focus goes into the bar. */
  byKey: boolean;
  onPlay?: (seconds: number) => void;
}

function SelectionBar({ jobId, chosen, close, byKey, onPlay }: SelectionBarProps) {
  const bar = useFirstButton(byKey);
  const [writing, setWriting] = useState<'correction' | 'annotation' | null>(null);
  const { copy } = useClipboard();
  const { chunk, seconds, text, selected } = chosen;
  const own = useOwnLayer();
  const act = (run: () => void) => () => {
    run();
    close();
  };
  const marks = own === null ? [] : ownActs(own, quotedOf(chosen));
  useKeys([
    ...marks.map(({ key, label, run }) => ({ keys: key, name: label, group: 'page' as const, run: act(run) })),
    ...(own !== null && chunk !== undefined
      ? [{ keys: 'e', name: texts.selection.correct, group: 'page' as const, run: () => setWriting('correction') }]
      : []),
  ]);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && close();
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [close]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a bar beside text, not a group of fields.
    <div
      ref={bar}
      className="selection-bar"
      role="group"
      aria-label={texts.selection.title}
      style={{ top: chosen.top, left: chosen.left }}
    >
      {writing !== null && chunk !== undefined ? (
        <Writing kind={writing} {...{ jobId, chunk, selected, close }} />
      ) : (
        <>
          {marks.map(({ key, icon, label, run }) => (
            <Act key={key} icon={icon} label={label} onClick={act(run)} />
          ))}
          {chunk !== undefined && (
            <Act icon="pencil" label={texts.selection.correct} onClick={() => setWriting('correction')} first />
          )}
          {chunk !== undefined && own === null && (
            <Act icon="message-square-plus" label={texts.selection.note} onClick={() => setWriting('annotation')} />
          )}
          {seconds !== null && onPlay !== undefined && (
            <Act
              icon="play"
              label={texts.selection.play}
              onClick={() => {
                onPlay(seconds);
                close();
              }}
            />
          )}
          <Act
            icon="copy"
            label={texts.selection.copy}
            onClick={() => {
              copy(text === '' ? (chunk?.text ?? '') : text);
              showToast({ icon: 'copy', message: texts.copied });
              close();
            }}
          />
        </>
      )}
    </div>
  );
}

/** The bar that a key has opened has the focus on its first button. */
function useFirstButton(byKey: boolean): RefObject<HTMLDivElement | null> {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (byKey) bar.current?.querySelector('button')?.focus({ preventScroll: true });
  }, [byKey]);
  return bar;
}

/** Up to 32 characters on each side tell two places with the same words apart. */
const AROUND_CHARS = 32;

const QUOTE_MAX = 5000;

function quotedOf({ text, selected, chunk, seconds }: Chosen): Quoted {
  const quote = (selected.text || text || chunk?.text || '').slice(0, QUOTE_MAX);
  const page = chunk === undefined ? null : { page: chunk.page };
  return {
    quote,
    before: selected.before.slice(-AROUND_CHARS),
    after: selected.after.slice(0, AROUND_CHARS),
    place: seconds === null ? page : { seconds },
  };
}

/** What the page of an item offers for some words. */
function ownActs(own: OwnLayer, quoted: Quoted) {
  const { highlight, note } = texts.selection.own;
  return [
    { key: 'h', icon: 'highlighter', label: highlight, run: () => own.highlight(quoted) },
    { key: 'm', icon: 'sticky-note', label: note, run: () => own.note(quoted) },
  ] as const;
}

function Act(props: { icon: IconName; label: string; onClick: () => void; first?: boolean }) {
  const { icon, label, onClick, first = false } = props;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<Icon name={icon} size={14} />}
      onClick={onClick}
      {...(first ? { 'data-first': true } : {})}
    >
      {label}
    </Button>
  );
}

interface WritingProps {
  kind: 'correction' | 'annotation';
  jobId: string;
  chunk: Chunk;
  /** The selected words; none for the whole chunk. */
  selected: Selected;
  close: () => void;
}

const KEY_SEND = 'Enter';

/** The form of a correction or a note. */
function Writing({ kind, jobId, chunk, selected, close }: WritingProps) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const isCorrection = kind === 'correction';
  // Text that the chunk holds in another form is corrected as a whole.
  const place = placeIn(chunk.text, selected) ?? [0, chunk.text.length];
  const part = chunk.text.slice(...place);
  const [written, setWritten] = useState(isCorrection ? part : '');
  const send = useMutation({
    mutationFn: (): Promise<Contribution | ModeratedContribution> =>
      isCorrection
        ? submitCorrection(environment, { jobId, chunkId: chunk.id, text: withReplaced(chunk.text, place, written) })
        : submitAnnotation(environment, { jobId, chunkId: chunk.id, ...noteWithQuote(chunk.text, selected, written) }),
    onSuccess: async (sent) => {
      const { contributionId } = sent;
      close();
      await client.invalidateQueries({ queryKey: jobKey(environment, jobId) });
      if (!('history' in sent)) return showToast({ message: texts.selection.noted });
      const undoContribution = async () => {
        await takeBack(environment, contributionId);
        await client.invalidateQueries({ queryKey: jobKey(environment, jobId) });
      };
      showToast({ message: correctionReachText(sent), onUndo: () => void undoContribution().catch(toastFailure) });
    },
  });
  const { correctionLabel, noteLabel, cancel, saveCorrection, saveNote } = texts.selection;
  return (
    <form
      className="selection-form"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <Textarea
        label={isCorrection ? correctionLabel : noteLabel}
        value={written}
        autosize
        minRows={2}
        maxRows={10}
        data-autofocus
        autoFocus
        onChange={(event) => setWritten(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === KEY_SEND && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
        error={send.isError ? send.error.message : undefined}
      />
      <Group gap="sm" mt="sm">
        <Button
          type="submit"
          size="xs"
          loading={send.isPending}
          disabled={isCorrection ? written === part : written.trim() === ''}
        >
          {isCorrection ? saveCorrection : saveNote}
        </Button>
        <Button size="xs" variant="default" onClick={close}>
          {cancel}
        </Button>
        <Text size="xs" c="dimmed">
          {isCorrection ? texts.selection.correctionAbout : texts.selection.noteAbout}
        </Text>
      </Group>
    </form>
  );
}

interface Written {
  jobId: string;
  chunkId: string;
  text: string;
  quote?: string;
  quoteStart?: number;
}

/** A note and the words that it is about, or their words in it where the chunk holds them in another form. */
function noteWithQuote(
  text: string,
  selected: Selected,
  written: string,
): Pick<Written, 'text' | 'quote' | 'quoteStart'> {
  const place = placeIn(text, selected);
  if (selected.text === '') return { text: written };
  if (place === null) return { text: `“${selected.text}”: ${written}` };
  return { text: written, quote: text.slice(...place), quoteStart: place[0] };
}

function submitAnnotation(environment: EnvironmentName, body: Written): Promise<Contribution> {
  return requestJson(apiPath(environment, '/contributions'), { method: 'POST', body: { kind: 'annotation', ...body } });
}

/** The owner decides about corrections, so the owner's own are accepted at once. */
async function submitCorrection(environment: EnvironmentName, body: Written): Promise<ModeratedContribution> {
  const contribution = await requestJson<Contribution>(apiPath(environment, '/contributions'), {
    method: 'POST',
    body: { kind: 'correction', ...body },
  });
  return requestJson(adminPath(environment, `/contributions/${contribution.contributionId}/approve`), {
    method: 'POST',
    body: {},
  });
}

function takeBack(environment: EnvironmentName, contributionId: string): Promise<unknown> {
  return requestJson(adminPath(environment, `/contributions/${contributionId}/reject`), {
    method: 'POST',
    body: { reason: texts.selection.takenBack },
  });
}

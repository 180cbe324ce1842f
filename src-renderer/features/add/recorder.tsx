import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { serverNow } from '../../api/server-time.ts';
import { CopyButton } from '../../components/copy.tsx';
import { clockTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { perLocale } from '../../language/locale.ts';
import { texts } from '../../texts.ts';
import { dropRecording, type KeptRecording, keepPart, keptRecordings } from './kept-recording.ts';
import { useLevel } from './level.ts';
import { useHearing, useLiveWords, wordsOf } from './live-words.ts';

const SECOND_MS = 1000;

/** Forms of sound that browsers record, with the ending of the file. */
const FORMS = [
  ['audio/webm', 'webm'],
  ['audio/mp4', 'm4a'],
  ['audio/ogg', 'ogg'],
] as const;

const dayAndTime = perLocale((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }));

interface RecorderProps {
  onRecorded: (file: File) => void;
}

/** Records with the microphone of this device, and gives the file when it is stopped. */
export function Recorder({ onRecorded }: RecorderProps): ReactNode {
  const dictation = useDictation();
  const { state, seconds, stream, type, start, pause, stop } = useRecorder((file) => {
    if (!dictation.take(file, onRecorded)) onRecorded(file);
  });
  const hears = useHearing();
  const open = state === 'recording' ? stream : null;
  const level = useLevel(open);
  const words = useLiveWords(hears ? open : null, type);
  if (state === 'idle') {
    return (
      <>
        <Dictated state={dictation.state} />
        <Button variant="default" leftSection={<Icon name="mic" />} onClick={start}>
          {texts.add.record}
        </Button>
        <Unfinished onRecorded={onRecorded} />
      </>
    );
  }
  return (
    <div className="record">
      <Button variant="default" leftSection={<Icon name="square" />} onClick={stop}>
        {texts.add.stopRecord({ time: clockTime(seconds) })}
      </Button>
      {hears && (
        <Button
          variant="default"
          leftSection={<Icon name="copy" />}
          onClick={() => {
            dictation.ask();
            stop();
          }}
        >
          {texts.add.dictate.stop}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<Icon name={state === 'paused' ? 'mic' : 'pause'} />}
        onClick={pause}
        aria-pressed={state === 'paused'}
      >
        {state === 'paused' ? texts.add.goOnRecord : texts.add.pauseRecord}
      </Button>
      <meter className="record-level" aria-label={texts.add.level} min={0} max={1} value={level} />
      {hears && (
        <p className="record-words" role="log" aria-label={texts.add.dictate.live} dir="auto">
          {words === '' ? <span className="dim">{texts.add.dictate.waiting}</span> : words}
        </p>
      )}
    </div>
  );
}

interface Dictation {
  status: 'none' | 'hearing' | 'heard';
  text: string;
}

/** A recording whose words are wanted, and not the file; where no words come, the file is kept all the same. */
function useDictation() {
  const [state, setState] = useState<Dictation>({ status: 'none', text: '' });
  const asked = useRef<PromiseWithResolvers<string> | null>(null);
  const take = (file: File, keepFile: (file: File) => void): boolean => {
    const { current: words } = asked;
    if (words === null) return false;
    asked.current = null;
    setState({ status: 'hearing', text: '' });
    wordsOf(file).then(
      (text) => {
        setState({ status: 'heard', text });
        if (text === '') showToast({ icon: 'info', message: texts.add.dictate.nothing });
        words.resolve(text);
      },
      (error: Error) => {
        setState({ status: 'none', text: '' });
        toastFailure(error);
        keepFile(file);
        words.resolve('');
      },
    );
    return true;
  };
  return {
    state,
    take,
    ask: () => {
      const words = Promise.withResolvers<string>();
      asked.current = words;
      void copyWords(words.promise);
    },
  };
}

/** Browsers let a page write into the clipboard at a click alone, so the words are promised at the click. */
async function copyWords(words: Promise<string>): Promise<void> {
  const plain = words.then((text) => {
    if (text === '') throw new Error('There are no words to copy.');
    return new Blob([text], { type: 'text/plain' });
  });
  // A page without a clipboard asks for it nowhere.
  plain.catch(() => undefined);
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': plain })]);
    showToast({ icon: 'copy', message: texts.add.dictate.copied });
  } catch {
    // No words, or a window that may not write: they stand in the dialog with a button that copies.
  }
}

function Dictated({ state: { status, text } }: { state: Dictation }) {
  if (status === 'hearing') {
    return (
      <p className="record-kept dim" role="status">
        {texts.add.dictate.hearing}
      </p>
    );
  }
  if (text === '') return null;
  return (
    <div className="record-kept">
      <p className="record-words" dir="auto">
        {text}
      </p>
      <CopyButton text={text} />
    </div>
  );
}

/** Recordings that a crash or a closed window ended. */
function Unfinished({ onRecorded }: RecorderProps) {
  const [kept, setKept] = useState<KeptRecording[]>([]);
  useEffect(() => {
    // A browser that keeps nothing has nothing to show.
    keptRecordings().then(setKept, () => undefined);
  }, []);
  const settle = (one: KeptRecording, takes: boolean) => {
    if (takes) onRecorded(recordedFile([one.blob], one.type, one.startedAt));
    setKept((before) => before.filter((other) => other !== one));
    dropRecording(one.startedAt).catch(() => undefined);
  };
  return kept.map((one) => (
    <div key={one.startedAt} className="record-kept" role="status">
      <span>{texts.add.unfinished({ day: dayAndTime().format(one.startedAt) })}</span>
      <Button size="compact-sm" onClick={() => settle(one, true)}>
        {texts.add.takeUnfinished}
      </Button>
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => settle(one, false)}>
        {texts.add.dropUnfinished}
      </Button>
    </div>
  ));
}

/** Seconds that pass while something runs. */
function useSeconds(runs: boolean) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => setSeconds((before) => before + 1), SECOND_MS);
    return () => clearInterval(timer);
  }, [runs]);
  return [seconds, setSeconds] as const;
}

function useRecorder(onRecorded: (file: File) => void) {
  const [state, setState] = useState<'idle' | 'recording' | 'paused'>('idle');
  const [seconds, setSeconds] = useSeconds(state === 'recording');
  const [stream, setStream] = useState<MediaStream | null>(null);
  const [type, setType] = useState('');
  const recorder = useRef<MediaRecorder | null>(null);
  const isClosed = useRef(false);
  // The dialog may close meanwhile: the microphone must not stay open. What was recorded is kept.
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
      stopTracks(recorder.current);
    };
  }, []);
  const start = async () => {
    const form = FORMS.find(([type]) => MediaRecorder.isTypeSupported(type));
    if (form === undefined) throw new Error(texts.add.noMicrophone);
    const [type] = form;
    const opened = await navigator.mediaDevices.getUserMedia({ audio: true });
    const made = new MediaRecorder(opened, { mimeType: type });
    recorder.current = made;
    const startedAt = serverNow();
    const parts: Blob[] = [];
    let keeping: Promise<void> = Promise.resolve();
    made.ondataavailable = ({ data }) => {
      if (data.size === 0) return;
      parts.push(data);
      // A full disk ends no recording: it is in memory, too.
      keeping = keeping.then(() => keepPart(startedAt, data)).catch(() => undefined);
    };
    made.onstop = () => {
      stopTracks(made);
      // Nobody takes it now: it is offered when the dialog opens again.
      if (isClosed.current) return;
      setStream(null);
      if (parts.length > 0) onRecorded(recordedFile(parts, type, startedAt));
      // Idle only when it is kept no more: else it would be offered as one that was not finished.
      const drop = keeping.then(() => dropRecording(startedAt)).catch(() => undefined);
      void drop.then(() => setState('idle'));
    };
    for (const track of opened.getTracks()) {
      track.onended = () => {
        showToast({ icon: 'circle-alert', message: texts.add.unplugged });
        if (made.state !== 'inactive') made.stop();
      };
    }
    made.start(SECOND_MS);
    setSeconds(0);
    setStream(opened);
    setType(type);
    setState('recording');
  };
  const pause = () => {
    const { current } = recorder;
    if (current === null || current.state === 'inactive') return;
    if (current.state === 'paused') current.resume();
    else current.pause();
    setState(current.state === 'paused' ? 'paused' : 'recording');
  };
  return {
    state,
    seconds,
    stream,
    type,
    start: () => void start().catch(() => showToast({ icon: 'circle-alert', message: texts.add.noMicrophone })),
    pause,
    stop: () => recorder.current?.stop(),
  };
}

function recordedFile(parts: Blob[], type: string, startedAt: number): File {
  const plain = type.split(';')[0] ?? '';
  const ending = FORMS.find(([known]) => known === plain)?.[1] ?? 'webm';
  const name = `${texts.add.recording({ day: dayAndTime().format(startedAt).replaceAll(/[:/]/g, '.') })}.${ending}`;
  return new File(parts, name, { type: plain });
}

function stopTracks(recorder: MediaRecorder | null): void {
  for (const track of recorder?.stream.getTracks() ?? []) {
    track.onended = null;
    track.stop();
  }
}

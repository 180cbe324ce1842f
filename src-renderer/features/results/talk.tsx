import { Anchor, SegmentedControl, Text } from '@mantine/core';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import { clockTime, formatElapsedTime, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { pair } from '../../components/literals.ts';
import { Facts } from '../../components/page-elements.tsx';
import { AccountLine } from './account.tsx';
import { ChunkViewer } from './chunks.tsx';
import { Details, Warnings } from './details.tsx';
import { DigestView, digestViews, Summarise } from './digest.tsx';
import { Doubts } from './doubts.tsx';
import { ExtractedView, extractedViews } from './extracted.tsx';
import { FindField, useFinder } from './find.tsx';
import { useOwnAim, useOwnLayer } from './own-layer.tsx';
import { type Playback, Player, usePlayback, usePlayKey } from './player.tsx';
import type { ResultProps } from './shapes.ts';
import {
  type Fields,
  type Frame,
  type Line,
  mediaOf,
  type NamedFile,
  numberOrNull,
  objectFields,
  type Part,
  peaksOf,
  resultChapters,
  resultChunks,
  resultFiles,
  resultFrames,
  resultOf,
  sourceMediaOf,
  timedResultLines,
} from './shapes.ts';
import { Speakers, useSpeakers } from './speakers.tsx';
import { Subtitles } from './subtitles.tsx';
import { results as texts } from './texts.ts';
import { Transcript } from './transcript.tsx';
import type { ListHandle } from './window-list.tsx';

type View = 'text' | 'digest' | 'slides' | 'chunks' | 'fields' | 'details';

/** A talk: its player and chapters at the left, what was said and shown at the right. */
export function TalkResult({ job, record, chunkId }: ResultProps) {
  const environment = useEnvironment();
  const result = resultOf(job);
  const chunks = useMemo(() => resultChunks(result), [result]);
  const lines = useMemo(() => timedResultLines(result, chunks), [result, chunks]);
  const files = useMemo(() => resultFiles(job, record), [job, record]);
  const peaks = useMemo(() => peaksOf(result), [result]);
  const chapters = useMemo(() => resultChapters(result), [result]);
  const { speakers, colours, colourAt } = useSpeakers(result, lines);
  const frames = resultFrames(result, files);
  const hasPicture = objectFields(result.media)?.videoCodec !== null;
  const media = mediaOf(files) ?? sourceMediaOf(environment, record, hasPicture);
  const aim = chunks.find(({ id }) => id === chunkId)?.startSeconds ?? null;
  const known = numberOrNull(objectFields(result.media)?.durationSeconds) ?? 0;
  const start = useOwnLayer()?.start?.seconds ?? null;
  const playback = usePlayback(aim ?? start, known);
  usePlayKey(playback.toggle, media !== null);
  const handle = useRef<ListHandle>(null);
  const { shown, pane, setView, paneViews } = useTalkView(lines.length === 0 && frames.length > 0 ? 'slides' : 'text');
  const finder = useLineFinder(lines, handle);
  const { captions, onWritten } = useCaptions(files);
  const canRemember = record?.accountId === 'owner' && record.source != null;
  const aimedLine = aim === null ? -1 : lines.findIndex(({ endSeconds }) => endSeconds > aim);
  const play = media === null ? undefined : playback.play;
  useOwnSeconds({ lines, playback, handle, isAimed: aim !== null });
  return (
    <div className="result talk" data-result>
      <div className="stage">
        {media !== null && <Player {...{ media, playback, captions, peaks }} {...colourAt} />}
        {captions !== undefined && (
          <Subtitles
            {...{ job, record }}
            hasVideo={['video', 'playlist'].includes(record?.source?.kind ?? '') && hasPicture}
            onWritten={onWritten}
          />
        )}
        {speakers.length > 0 && (
          <Speakers jobId={job.jobId} lengthSeconds={known} {...{ speakers, colours, lines, canRemember }} />
        )}
        <Warnings result={result} />
        <Doubts result={result} />
        <VideoFacts result={result} />
        {chapters.length > 0 && <Chapters {...{ chapters, frames }} playback={media === null ? null : playback} />}
        {lines.length > 0 && <Summarise jobId={job.jobId} again={result.digest !== undefined} />}
      </div>
      <div className="talk-text">
        <div className="tools">
          {shown === 'text' && <FindField finder={finder} label={texts.findSpoken} />}
          <Views {...{ shown, setView }} data={[...viewsOf(result, frames.length, chunks.length), ...paneViews]} />
        </div>
        {pane?.content}
        {shown === 'text' && lines.length === 0 && <Text c="dimmed">{texts.nothingSaid}</Text>}
        {shown === 'text' && lines.length > 0 && (
          <Transcript
            {...{ lines, chunks, chapters, finder, handle, colours }}
            jobId={job.jobId}
            playback={media === null ? null : playback}
            aim={aimedLine}
          />
        )}
        {shown === 'digest' && <DigestView result={result} onSeek={play} />}
        {shown === 'slides' && <Frames frames={frames} onSeek={play} />}
        {shown === 'chunks' && <ChunkViewer job={job} chunks={chunks} paged={false} chunkId={chunkId} />}
        {shown === 'fields' && <ExtractedView result={result} />}
        {shown === 'details' && <Details result={result} />}
        <AccountLine result={result} />
      </div>
    </div>
  );
}

function viewsOf(result: Fields, frames: number, chunks: number) {
  return [
    { value: 'text', label: texts.views.text },
    ...digestViews(result),
    ...(frames > 0 ? [{ value: 'slides', label: texts.views.slides({ count: formatWholeNumber(frames) }) }] : []),
    { value: 'chunks', label: texts.views.chunks({ count: formatWholeNumber(chunks) }) },
    ...extractedViews(result),
    { value: 'details', label: texts.views.details },
  ];
}

interface ViewsProps {
  shown: string;
  setView: (view: string) => void;
  data: ReturnType<typeof viewsOf>;
}

function Views({ shown, setView, data }: ViewsProps) {
  return <SegmentedControl size="xs" aria-label={texts.views.label} value={shown} data={data} onChange={setView} />;
}

/** The view that is shown: one of the result, or a pane of the item. */
function useTalkView(first: View) {
  const own = useOwnLayer();
  const [view, setView] = useState<View>(first);
  const pane = own?.panes.find(({ value }) => value === own.pane);
  return {
    pane,
    shown: pane?.value ?? view,
    paneViews: own?.panes.map(({ value, label }) => ({ value, label })) ?? [],
    setView: (next: string) => {
      const opened = own?.panes.find(({ value }) => value === next);
      own?.onPane(opened?.value);
      if (opened === undefined) setView(next as View);
    },
  };
}

interface OwnSeconds {
  lines: readonly Line[];
  playback: Playback;
  handle: RefObject<ListHandle | null>;
  /** A search result leads elsewhere than to where the owner was. */
  isAimed: boolean;
}

/** Follows notes to their second, and tells the page of an item where the owner is, while it plays and at its stop. */
function useOwnSeconds({ lines, playback, handle, isAimed }: OwnSeconds): void {
  const { time, playing, seek } = playback;
  const onPlace = useOwnLayer()?.onPlace;
  const told = useRef(0);
  useEffect(() => {
    if (time === 0 || (playing && Math.abs(time - told.current) < TOLD_EVERY_S)) return;
    told.current = time;
    onPlace?.({ seconds: Math.round(time) });
  }, [time, playing, onPlace]);
  useOwnAim(lines.length > 0, ({ seconds = 0 }, isStart) => {
    if (isStart && isAimed) return;
    if (!isStart) seek(seconds);
    const row = lines.findIndex(({ endSeconds }) => endSeconds > seconds);
    if (row > 0) handle.current?.show(row);
  });
}

const TOLD_EVERY_S = 5;

/** Finds the lines with some words. */
function useLineFinder(lines: readonly Line[], handle: RefObject<ListHandle | null>) {
  const rowsWith = useCallback(
    (words: string) => {
      const wanted = words.toLowerCase();
      return lines.flatMap(({ text }, row) => (text.toLowerCase().includes(wanted) ? [row] : []));
    },
    [lines],
  );
  return useFinder(rowsWith, (row) => handle.current?.show(row, 'nearest'));
}

/** The subtitles of the transcript. Written again they have another address, so that the player reads them. */
function useCaptions(files: readonly NamedFile[]) {
  const [written, setWritten] = useState(0);
  const captions = useMemo(() => {
    const file = files.find(({ name }) => name === 'transcript.vtt');
    if (file === undefined || written === 0) return file;
    return { ...file, url: `${file.url}${file.url.includes('?') ? '&' : '?'}written=${written}` };
  }, [files, written]);
  return { captions, onWritten: () => setWritten((times) => times + 1) };
}

/** Where a hosted video is from. Its picture is not loaded: this page contacts nobody. */
function VideoFacts({ result }: { result: Fields }) {
  const video = objectFields(result.video);
  const url = typeof video?.url === 'string' && /^https?:\/\//.test(video.url) ? video.url : null;
  if (video === null || url === null) return null;
  return (
    <Facts
      rows={[
        [
          texts.videoFrom,
          <Anchor key="url" href={url} target="_blank" rel="noreferrer" size="sm" className="break">
            {url}
          </Anchor>,
        ],
        ...(typeof video.channel === 'string' ? [pair(texts.channel, video.channel)] : []),
      ]}
    />
  );
}

const SECOND_MS = 1000;

/** The first new picture of a chapter, or the one that is still shown when it begins. */
function pictureOf({ startSeconds, endSeconds }: Part, frames: readonly Frame[]): Frame | undefined {
  const within = frames.find(({ seconds }) => seconds >= startSeconds && seconds < endSeconds);
  return within ?? frames.findLast(({ seconds }) => seconds <= startSeconds);
}

function Picture({ of: frame }: { of: Frame | undefined }) {
  return frame === undefined ? null : <img src={frame.imageUrl} alt="" loading="lazy" />;
}

interface ChaptersProps {
  chapters: readonly Part[];
  frames: readonly Frame[];
  playback: Playback | null;
}

function Chapters({ chapters, frames, playback }: ChaptersProps) {
  const time = playback?.time ?? -1;
  const current = chapters.findLastIndex(({ startSeconds }) => startSeconds <= time);
  return (
    <section className="chapters" aria-label={texts.chapters}>
      <h2>{texts.chapters}</h2>
      {chapters.map((chapter, index) => (
        <button
          // biome-ignore lint/suspicious/noArrayIndexKey: chapters may begin together and never move.
          key={index}
          type="button"
          disabled={playback === null}
          {...(index === current ? { 'aria-current': true } : {})}
          onClick={() => playback?.play(chapter.startSeconds)}
        >
          <span className="num">{clockTime(chapter.startSeconds)}</span>
          <Picture of={pictureOf(chapter, frames)} />
          <span>
            {chapter.title}
            {chapter.byModel === true && <span className="by-model">{texts.digest.byModel}</span>}
          </span>
          <span className="num">
            {chapter.endSeconds > chapter.startSeconds
              ? formatElapsedTime((chapter.endSeconds - chapter.startSeconds) * SECOND_MS)
              : ''}
          </span>
        </button>
      ))}
    </section>
  );
}

/** Video frames with the text in them. */
function Frames({ frames, onSeek }: { frames: readonly Frame[]; onSeek: ((seconds: number) => void) | undefined }) {
  return (
    <ul className="frames">
      {frames.map(({ seconds, text, confidence, imageUrl }, index) => {
        const at = clockTime(seconds);
        const picture = <img src={imageUrl} alt={texts.frameAt({ time: at })} loading="lazy" />;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: frames may share a time and never move.
          <li key={index}>
            {onSeek === undefined ? (
              picture
            ) : (
              <button type="button" aria-label={texts.seek({ time: at })} onClick={() => onSeek(seconds)}>
                {picture}
              </button>
            )}
            <Text size="xs" c="dimmed">
              {at}
              {confidence === null ? '' : joinTexts(['', texts.readWith({ percent: Math.round(confidence) })])}
            </Text>
            <Text size="sm">{text === '' ? texts.noText : text}</Text>
          </li>
        );
      })}
    </ul>
  );
}

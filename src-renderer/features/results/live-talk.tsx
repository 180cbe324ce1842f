import { Button, Progress, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Job } from '../../api/generated/public.ts';
import type { LiveWords } from '../../api/live-job.ts';
import { useForeignText } from '../../components/foreign-text.ts';
import { clockTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { measureWords, stageWord } from '../../components/job-words.ts';
import { serverText } from '../../language/server-texts.ts';
import { results as texts } from './texts.ts';
import { WindowList } from './window-list.tsx';

const LINE_CHARS = 66;

const LINE_PIXELS = 26;

/** A talk that is being transcribed: its progress at the left, the words so far at the right. */
export function LiveTalk({ job, lines }: { job: Job; lines: readonly LiveWords[] }) {
  const foreign = useForeignText();
  const { percent, stage, message } = job.progress;
  const follow = useFollowedEnd(lines.length);
  const t = texts.liveTalk;
  return (
    <div className="result talk" data-result>
      <section className="stage" aria-label={t.now}>
        <h2>{serverText(message) || stageWord(stage)}</h2>
        <Progress value={percent} aria-label={t.progress} />
        <p className="num dim">{measureWords(job)}</p>
        <p className="dim">{t.about}</p>
      </section>
      <div className="talk-text">
        <WindowList
          count={lines.length}
          estimate={(row) => 14 + LINE_PIXELS * Math.ceil(((lines[row]?.text.length ?? 0) + 1) / LINE_CHARS)}
          label={texts.transcript}
          className="transcript"
        >
          {(row) => (
            <div className="turn">
              <span className="turn-time">{clockTime(lines[row]?.start ?? 0)}</span>
              <p {...foreign}>{lines[row]?.text}</p>
            </div>
          )}
        </WindowList>
        {follow.paused && (
          <Button
            className="follow"
            size="xs"
            leftSection={<Icon name="arrow-down" size={14} />}
            onClick={follow.resume}
          >
            {t.follow}
          </Button>
        )}
        <Announced text={t.upTo({ time: clockTime(lines.at(-1)?.end ?? 0) })} />
      </div>
    </div>
  );
}

/** From this distance the reader is at the end of the page. */
const END_PIXELS = 120;

/** Keeps the end of the page in view while it grows, until the reader scrolls up. */
function useFollowedEnd(count: number) {
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    let last = scrollY;
    const onScroll = () => {
      const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - END_PIXELS;
      if (isAtEnd) setPaused(false);
      else if (scrollY < last) setPaused(true);
      last = scrollY;
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (count > 0 && !paused) scrollToEnd();
  }, [count, paused]);
  return { paused, resume: () => setPaused(false) };
}

function scrollToEnd(): void {
  scrollTo({ top: document.documentElement.scrollHeight });
}

const ANNOUNCED_EVERY_MS = 30_000;

/** Tells screen readers how far the words are, now and then: each new line would interrupt the reader. */
function Announced({ text }: { text: string }) {
  const newest = useRef(text);
  const [announced, setAnnounced] = useState('');
  useEffect(() => {
    newest.current = text;
  }, [text]);
  useEffect(() => {
    const timer = setInterval(() => setAnnounced(newest.current), ANNOUNCED_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {announced}
    </VisuallyHidden>
  );
}

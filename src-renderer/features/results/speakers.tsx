import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, useMemo, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import { jobKey } from '../../api/queries.ts';
import { type Fields, type Line, type SpeakerFacts, speakersOf } from './shapes.ts';
import { results as texts } from './texts.ts';

const COLOURS = ['transcribe', 'speak', 'compose', 'read', 'write', 'crawl', 'search'];

/** The colour of each speaker, by name. */
export type SpeakerColours = ReadonlyMap<string, string>;

/** The speakers of a talk, and the colour of each, also by time. */
export function useSpeakers(result: Fields, lines: readonly Line[]) {
  const speakers = useMemo(() => speakersOf(result), [result]);
  const colours = useMemo(() => coloursOf(speakers), [speakers]);
  const colourAt = useMemo(
    () => (colours.size === 0 ? {} : { colourAt: colourAtOf(lines, colours) }),
    [lines, colours],
  );
  return { speakers, colours, colourAt };
}

function coloursOf(speakers: readonly SpeakerFacts[]): SpeakerColours {
  return new Map(speakers.map(({ name }, index) => [name, `var(--q-kind-${COLOURS[index % COLOURS.length]})`]));
}

/** The colour of the speaker at each place of a recording, for its waveform. */
function colourAtOf(lines: readonly Line[], colours: SpeakerColours): (seconds: number) => string | undefined {
  return (seconds) => {
    const line = lines.findLast(({ startSeconds }) => startSeconds <= seconds);
    return line?.speaker == null ? undefined : colours.get(line.speaker);
  };
}

interface SpeakersProps {
  jobId: string;
  speakers: readonly SpeakerFacts[];
  colours: SpeakerColours;
  lines: readonly Line[];
  lengthSeconds: number;
}

/** Who speaks, when and how much. The names can be changed. */
export function Speakers({ jobId, speakers, colours, lines, lengthSeconds }: SpeakersProps) {
  const [renaming, setRenaming] = useState(false);
  const total = speakers.reduce((sum, { seconds }) => sum + seconds, 0);
  const t = texts.speakers;
  return (
    <section className="speakers" aria-label={t.label}>
      {lengthSeconds > 0 && (
        <div className="speaker-lanes">
          {speakers.map(({ name }) => (
            <Lane key={name} spans={spansOf(lines, name, lengthSeconds)} colour={colours.get(name) ?? ''} />
          ))}
        </div>
      )}
      {renaming ? (
        <Names {...{ jobId, speakers, colours }} onEnd={() => setRenaming(false)} />
      ) : (
        <div className="speaker-list">
          <div className="speaker-rows">
            {speakers.map(({ name, seconds }) => (
              <div key={name}>
                <SpeakerTag name={name} colours={colours} />
                <span className="dim">{t.share(total > 0 ? Math.round((seconds / total) * 100) : 0)}</span>
              </div>
            ))}
          </div>
          <Button size="compact-sm" variant="subtle" onClick={() => setRenaming(true)}>
            {t.rename}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The name of a speaker with its colour. */
export function SpeakerTag({ name, colours }: { name: string; colours: SpeakerColours }) {
  return (
    <span className="speaker-tag">
      <i aria-hidden="true" style={{ background: colours.get(name) }} />
      <b>{name}</b>
    </span>
  );
}

/** Steps of a lane: more cannot be seen. */
const STEPS = 272;

/** Places of a speaker in the recording, in steps of its length. */
function spansOf(lines: readonly Line[], name: string, lengthSeconds: number): [from: number, to: number][] {
  const spans: [number, number][] = [];
  for (const { speaker, startSeconds, endSeconds } of lines) {
    if (speaker !== name) continue;
    const from = Math.floor((startSeconds / lengthSeconds) * STEPS);
    const to = Math.max(from + 1, Math.ceil((endSeconds / lengthSeconds) * STEPS));
    const last = spans.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else spans.push([from, to]);
  }
  return spans;
}

function Lane({ spans, colour }: { spans: readonly [number, number][]; colour: string }) {
  return (
    <svg viewBox={`0 0 ${STEPS} 1`} preserveAspectRatio="none" aria-hidden="true">
      {spans.map(([from, to]) => (
        <rect key={from} x={from} y={0} width={to - from} height={1} style={{ fill: colour }} />
      ))}
    </svg>
  );
}

interface NamesProps extends Pick<SpeakersProps, 'jobId' | 'speakers' | 'colours'> {
  onEnd: () => void;
}

function Names({ jobId, speakers, colours, onEnd }: NamesProps) {
  const environment = useEnvironment();
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  const t = texts.speakers;
  const save = useChange(
    (changed: Record<string, string>) =>
      owner.PATCH('/admin/jobs/{jobId}/speakers', {
        params: { path: { jobId }, query: queryIn(environment, {}) },
        body: { names: changed },
      }),
    { renews: [jobKey(environment, jobId)], onDone: onEnd },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const written = Object.entries(names).map(([from, to]) => [from, to.trim()] as const);
    const changed = Object.fromEntries(written.filter(([from, to]) => to !== '' && to !== from));
    if (Object.keys(changed).length === 0) onEnd();
    else save.mutate(changed);
  };
  return (
    <form className="speaker-names" onSubmit={submit}>
      {speakers.map(({ name }, index) => (
        <TextInput
          key={name}
          size="xs"
          maxLength={100}
          aria-label={t.nameOf(name)}
          leftSection={<i aria-hidden="true" style={{ background: colours.get(name) }} />}
          value={names[name] ?? name}
          data-autofocus={index === 0 || undefined}
          onChange={({ currentTarget: { value } }) => setNames((before) => ({ ...before, [name]: value }))}
        />
      ))}
      <p className="small dim">{t.sameName}</p>
      <Group gap={8}>
        <Button size="compact-sm" type="submit" loading={save.isPending}>
          {t.save}
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onEnd}>
          {t.cancel}
        </Button>
      </Group>
    </form>
  );
}

import { Button, Checkbox, Group, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import { pageQueryOptions, useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { jobKey } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { joinTexts } from '../../components/format.ts';
import { Time } from '../../components/page-elements.tsx';
import { type Fields, type Line, resultSpeakers, type SpeakerFacts } from './shapes.ts';
import { results as texts } from './texts.ts';

const COLOURS = ['transcribe', 'speak', 'compose', 'read', 'write', 'crawl', 'search'];

/** The colour of each speaker, by name. */
export type SpeakerColours = ReadonlyMap<string, string>;

/** The speakers of a talk, and the colour of each, also by time. */
export function useSpeakers(result: Fields, lines: readonly Line[]) {
  const speakers = useMemo(() => resultSpeakers(result), [result]);
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
  /** The recording is the owner's and kept, so its voices can be remembered. */
  canRemember: boolean;
}

/** Who speaks, when and how much. The names can be changed. */
export function Speakers({ jobId, speakers, colours, lines, lengthSeconds, canRemember }: SpeakersProps) {
  const [renaming, setRenaming] = useState(false);
  const rename = useRef<HTMLButtonElement>(null);
  const total = speakers.reduce((sum, { seconds }) => sum + seconds, 0);
  const t = texts.speakers;
  return (
    <section className="speakers" aria-label={t.label}>
      {lengthSeconds > 0 && (
        <div className="speaker-lanes">
          {speakers.map(({ name }) => (
            <Lane key={name} spans={speakerSpans(lines, name, lengthSeconds)} colour={colours.get(name) ?? ''} />
          ))}
        </div>
      )}
      {renaming ? (
        <Names {...{ jobId, speakers, colours, canRemember }} onEnd={() => setRenaming(false)} />
      ) : (
        <div className="speaker-list">
          <div className="speaker-rows">
            {speakers.map(({ name, seconds, voice }) => (
              <div key={name}>
                <SpeakerTag name={name} colours={colours} />
                <span className="dim">{t.share({ percent: total > 0 ? Math.round((seconds / total) * 100) : 0 })}</span>
                {voice !== null && <span className="dim">{likenessOf(voice)}</span>}
                {voice?.recognised === false && !speakers.some((other) => other.name === voice.name) && (
                  <AcceptVoice {...{ jobId, name }} voice={voice.name} onDone={() => rename.current?.focus()} />
                )}
              </div>
            ))}
          </div>
          <Button ref={rename} size="compact-sm" variant="subtle" onClick={() => setRenaming(true)}>
            {t.rename}
          </Button>
        </div>
      )}
    </section>
  );
}

function likenessOf({ name, similarity, recognised }: NonNullable<SpeakerFacts['voice']>): string {
  const percent = Math.round(similarity * 100);
  return recognised ? texts.speakers.recognised({ percent }) : texts.speakers.mayBe({ name, percent });
}

interface AcceptProps {
  jobId: string;
  name: string;
  /** The remembered voice that the speaker may be. */
  voice: string;
  onDone: () => void;
}

/** Gives a speaker the name of the voice that was suggested. */
function AcceptVoice({ jobId, name, voice, onDone }: AcceptProps) {
  const environment = useEnvironment();
  const params = { path: { jobId }, query: queryIn(environment, {}) };
  const accept = useChange(
    () => owner.PATCH('/admin/jobs/{jobId}/speakers', { params, body: { names: { [name]: voice } } }),
    { renews: [jobKey(environment, jobId)], onDone },
  );
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={accept.isPending}
      aria-label={texts.speakers.acceptFor({ name, voice })}
      onClick={() => accept.mutate()}
    >
      {texts.speakers.accept({ voice })}
    </Button>
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
function speakerSpans(lines: readonly Line[], name: string, lengthSeconds: number): [from: number, to: number][] {
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

interface NamesProps extends Pick<SpeakersProps, 'jobId' | 'speakers' | 'colours' | 'canRemember'> {
  onEnd: () => void;
}

const UNNAMED = /^Speaker \d+$/;

const voicesKey = (environment: EnvironmentName) => [environment, 'remembered-voices'];

interface NamesToSave {
  changed: Record<string, string>;
  /** New names whose voices are remembered. */
  remembered: string[];
}

function Names({ jobId, speakers, colours, canRemember, onEnd }: NamesProps) {
  const environment = useEnvironment();
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  const [ticked, setTicked] = useState<Readonly<Record<string, boolean>>>({});
  const client = useQueryClient();
  const t = texts.speakers;
  const params = { path: { jobId }, query: queryIn(environment, {}) };
  const save = useChange(
    async ({ changed, remembered }: NamesToSave) => {
      if (Object.keys(changed).length > 0) {
        await owner.PATCH('/admin/jobs/{jobId}/speakers', { params, body: { names: changed } });
        // The names are saved, also if a voice cannot be remembered.
        void client.invalidateQueries({ queryKey: jobKey(environment, jobId) });
      }
      for (const speaker of remembered) {
        await owner.POST('/admin/jobs/{jobId}/remembered-voices', { params, body: { speaker } });
      }
      return {};
    },
    { renews: [jobKey(environment, jobId), voicesKey(environment)], onDone: onEnd },
  );
  const writtenSpeakerName = (name: string) => names[name]?.trim() || name;
  const submitSpeakerNames = (event: FormEvent) => {
    event.preventDefault();
    const written = speakers.map(({ name }) => [name, writtenSpeakerName(name)] as const);
    const changed = Object.fromEntries(written.filter(([from, to]) => to !== from));
    const remembered = written.filter(([from, to]) => ticked[from] === true && !UNNAMED.test(to)).map(([, to]) => to);
    if (Object.keys(changed).length + remembered.length === 0) onEnd();
    else save.mutate({ changed, remembered: [...new Set(remembered)] });
  };
  return (
    <form className="speaker-names" onSubmit={submitSpeakerNames}>
      {speakers.map(({ name }, index) => (
        <div key={name} className="speaker-name-row">
          <TextInput
            size="xs"
            maxLength={100}
            aria-label={t.nameOf({ name })}
            leftSection={<i aria-hidden="true" style={{ background: colours.get(name) }} />}
            value={names[name] ?? name}
            data-autofocus={index === 0 || undefined}
            onChange={({ currentTarget: { value } }) => setNames((before) => ({ ...before, [name]: value }))}
          />
          {canRemember && !UNNAMED.test(writtenSpeakerName(name)) && (
            <Checkbox
              size="xs"
              label={t.remember}
              aria-label={t.rememberOf({ name: writtenSpeakerName(name) })}
              checked={ticked[name] ?? false}
              onChange={({ currentTarget: { checked } }) => setTicked((before) => ({ ...before, [name]: checked }))}
            />
          )}
        </div>
      ))}
      <p className="small dim">
        {t.sameName} {canRemember && t.rememberAbout}
      </p>
      <Group gap={8}>
        <Button size="compact-sm" type="submit" loading={save.isPending}>
          {t.save}
        </Button>
        <Button size="compact-sm" variant="subtle" color="gray" onClick={onEnd}>
          {t.cancel}
        </Button>
      </Group>
      <RememberedVoices />
    </form>
  );
}

/** The voices that later recordings recognise; each can be forgotten. */
function RememberedVoices() {
  const environment = useEnvironment();
  const query = queryIn(environment, {});
  const voices = useQuery(
    pageQueryOptions(voicesKey(environment), (signal) =>
      owner.GET('/admin/remembered-voices', { params: { query }, signal }),
    ),
  );
  const forget = useChange(
    (voiceId: string) => owner.DELETE('/admin/remembered-voices/{voiceId}', { params: { path: { voiceId }, query } }),
    { renews: [voicesKey(environment)] },
  );
  const t = texts.speakers;
  const all = voices.data?.voices ?? [];
  if (all.length === 0) return null;
  return (
    <section className="remembered-voices" aria-label={t.remembered}>
      <h3 className="remembered-voices-head">{t.remembered}</h3>
      <ul className="remembered-voices-list">
        {all.map(({ id, name, samples, lastHeardAt }) => (
          <li key={id} className="remembered-voice">
            <b className="remembered-voice-name">{name}</b>
            <span className="dim">
              {joinTexts([t.samples({ count: samples }), t.lastHeard])} <Time at={lastHeardAt} />
            </span>
            <Button
              size="compact-xs"
              className="remembered-voice-forget"
              variant="subtle"
              color="red"
              aria-label={t.forgetOf({ name })}
              onClick={() =>
                askFirst({
                  title: t.forgetSure,
                  about: t.forgetAbout({ name }),
                  yes: t.forget,
                  no: t.keep,
                  onYes: () => forget.mutate(id),
                })
              }
            >
              {t.forget}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

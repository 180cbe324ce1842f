import { Select, Switch, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ModelView } from '../../api/generated/owner.ts';
import { modelsQuery } from '../../api/queries.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { choicesOf, namedEntries } from '../../components/choices.ts';
import { formatByteCount, joinTexts } from '../../components/format.ts';
import { LanguageSelect } from '../../components/language-select.tsx';
import { Way } from '../../components/way.tsx';
import { perLanguage } from '../../language/locale.ts';
import { texts } from '../../texts.ts';
import type { Reading, SourceKind } from '../uploads/reading.ts';

interface ChoicesProps {
  kind: SourceKind;
  reading: Reading;
  set: (change: Partial<Reading>) => void;
}

const t = texts.add;

/** The choices of a kind of source, by their effect. */
export function ReadingChoices(props: ChoicesProps) {
  const { kind, reading, set } = props;
  return (
    <div className="add-choices">
      {(kind === 'talk' || kind === 'hosted') && <Care {...props} />}
      {kind === 'site' && <Reach {...props} />}
      <div className="add-switches">
        {SWITCHES[kind].map((name) => (
          <Switch
            key={name}
            {...SWITCH_TEXTS()[name]}
            checked={reading[name]}
            onChange={(event) => set({ [name]: event.currentTarget.checked })}
          />
        ))}
      </div>
      {(kind === 'talk' || kind === 'hosted') && (
        <div className="make-pair">
          <TagsInput
            label={t.names}
            placeholder={reading.names.length === 0 ? t.namesHint : ''}
            value={reading.names}
            maxTags={100}
            onChange={(names) => set({ names })}
          />
          <Select
            label={t.subtitles}
            data={choicesOf(t.subtitlesOf)}
            value={reading.subtitles}
            allowDeselect={false}
            onChange={(subtitles) => subtitles !== null && set({ subtitles })}
          />
        </div>
      )}
      {(kind === 'talk' || kind === 'document') && (
        <LanguageSelect label={t.language} value={reading.language} onChange={(language) => set({ language })} />
      )}
    </div>
  );
}

type SwitchName = 'speakers' | 'channels' | 'slides' | 'english' | 'captions' | 'comments' | 'scripts' | 'documents';

const SWITCHES: Record<SourceKind, readonly SwitchName[]> = {
  talk: ['speakers', 'channels', 'slides', 'english'],
  hosted: ['captions', 'speakers', 'channels', 'english'],
  document: ['comments'],
  site: ['scripts', 'documents'],
};

const SWITCH_TEXTS = perLanguage(
  (): Record<SwitchName, { label: string; description: string }> => ({
    speakers: { label: t.speakers, description: t.speakersAbout },
    channels: { label: t.channels, description: t.channelsAbout },
    slides: { label: t.slides, description: t.slidesAbout },
    english: { label: t.english, description: t.englishAbout },
    captions: { label: t.captions, description: t.captionsAbout },
    comments: { label: t.comments, description: t.commentsAbout },
    scripts: { label: t.scripts, description: t.scriptsAbout },
    documents: { label: t.files2, description: t.files2About },
  }),
);

/** The smallest and the largest of the installed models that listen, and the one that Quarry would choose. */
function Care({ reading, set }: ChoicesProps) {
  const models = useQuery({ ...modelsQuery(), enabled: !IS_DEVICE });
  const listeners = (models.data?.models ?? [])
    .filter(({ kind, installed }) => installed && kind === 'speech')
    .sort((one, other) => one.sizeBytes - other.sizeBytes);
  const [smallest] = listeners;
  const largest = listeners.at(-1);
  if (smallest === undefined || largest === undefined || smallest === largest) return null;
  const modelWay = (name: string, model: ModelView) => (
    <li>
      <Way
        name={name}
        about={joinTexts([model.title, formatByteCount(model.sizeBytes)])}
        chosen={reading.listener === model.name}
        onChoose={() => set({ listener: model.name })}
      />
    </li>
  );
  return (
    <section aria-label={t.care}>
      <div className="make-label">
        <h3 className="label">{t.care}</h3>
        <span className="small dim">{t.careHere}</span>
      </div>
      <ul className="way-list">
        {modelWay(t.careQuick, smallest)}
        <li>
          <Way {...t.careAuto} chosen={reading.listener === null} onChoose={() => set({ listener: null })} />
        </li>
        {modelWay(t.careBest, largest)}
      </ul>
    </section>
  );
}

function Reach({ reading, set }: ChoicesProps) {
  return (
    <section aria-label={t.reach}>
      <h3 className="label make-label">{t.reach}</h3>
      <ul className="way-list">
        {namedEntries(t.reaches).map(([reach, words]) => (
          <li key={reach}>
            <Way {...words} chosen={reading.reach === reach} onChoose={() => set({ reach })} />
          </li>
        ))}
      </ul>
    </section>
  );
}

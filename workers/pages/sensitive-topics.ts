/**
 * Words that show a topic on which a model has to be careful. Matching whole words only; the lists are English. Left
 * out is what technical texts say of something else: candidates of a choice, xxx in the place of a name.
 */
import { type PageWords, wordHash } from './page-words.ts';

const TOPICS: Readonly<Record<string, readonly string[]>> = {
  health: [
    ...['diagnosis', 'symptom', 'symptoms', 'medication', 'dosage', 'prescription', 'disease', 'therapy', 'cancer'],
    ...['diabetes', 'pregnancy', 'vaccine', 'antidepressant', 'surgery', 'hiv'],
  ],
  'self-harm': ['suicide', 'suicidal', 'self-harm', 'self-injury', 'overdose', 'anorexia', 'bulimia'],
  finance: ['mortgage', 'investment', 'investments', 'bankruptcy', 'dividend', 'portfolio', 'stockbroker', 'pension'],
  legal: ['lawsuit', 'plaintiff', 'defendant', 'attorney', 'litigation', 'indictment', 'subpoena'],
  adult: ['porn', 'pornography', 'erotic', 'escort', 'nsfw'],
  gambling: ['casino', 'betting', 'gambling', 'roulette', 'jackpot', 'sportsbook'],
  weapons: ['firearm', 'firearms', 'ammunition', 'explosive', 'explosives', 'rifle', 'grenade', 'detonator'],
  drugs: ['cocaine', 'heroin', 'methamphetamine', 'cannabis', 'fentanyl', 'opioid', 'lsd'],
  politics: ['election', 'elections', 'senator', 'parliament', 'referendum', 'ballot', 'ballots'],
  religion: ['church', 'mosque', 'synagogue', 'bible', 'quran', 'torah', 'prayer'],
  violence: ['murder', 'massacre', 'terrorism', 'terrorist', 'torture', 'genocide', 'assault'],
};
/** Fewer hits are a passing mention. */
const MIN_HITS = 3;

const FORMS = ['', "'s", '’s'];
const hashesOf = Object.entries(TOPICS).map(
  ([topic, words]) => [topic, words.flatMap((word) => FORMS.map((form) => wordHash(word + form)))] as const,
);

export function sensitiveTopicsIn(words: PageWords): { topic: string; hits: number }[] {
  return hashesOf
    .map(([topic, hashes]) => ({ topic, hits: hashes.reduce((sum, hash) => sum + words.often(hash), 0) }))
    .filter(({ hits }) => hits >= MIN_HITS)
    .sort((one, other) => other.hits - one.hits);
}

/** Words that show a topic on which a model has to be careful. Matching whole words only; the lists are English. */
const TOPICS: Readonly<Record<string, readonly string[]>> = {
  health: [
    ...['diagnosis', 'symptom', 'symptoms', 'medication', 'dosage', 'prescription', 'disease', 'therapy', 'cancer'],
    ...['diabetes', 'pregnancy', 'vaccine', 'antidepressant', 'surgery', 'hiv'],
  ],
  'self-harm': ['suicide', 'suicidal', 'self-harm', 'self-injury', 'overdose', 'anorexia', 'bulimia'],
  finance: ['mortgage', 'investment', 'investments', 'bankruptcy', 'dividend', 'portfolio', 'stockbroker', 'pension'],
  legal: ['lawsuit', 'plaintiff', 'defendant', 'attorney', 'litigation', 'indictment', 'subpoena'],
  adult: ['porn', 'pornography', 'erotic', 'escort', 'xxx', 'nsfw'],
  gambling: ['casino', 'betting', 'gambling', 'roulette', 'jackpot', 'sportsbook'],
  weapons: ['firearm', 'firearms', 'ammunition', 'explosive', 'explosives', 'rifle', 'grenade', 'detonator'],
  drugs: ['cocaine', 'heroin', 'methamphetamine', 'cannabis', 'fentanyl', 'opioid', 'lsd'],
  politics: ['election', 'elections', 'senator', 'parliament', 'referendum', 'ballot', 'candidate', 'candidates'],
  religion: ['church', 'mosque', 'synagogue', 'bible', 'quran', 'torah', 'prayer'],
  violence: ['murder', 'massacre', 'terrorism', 'terrorist', 'torture', 'genocide', 'assault'],
};
/** Fewer hits are a passing mention. */
const MIN_HITS = 3;

const topicOf = new Map(
  Object.entries(TOPICS).flatMap(([topic, words]) => words.map((word) => [word, topic] as const)),
);

export function sensitiveTopicsIn(text: string): { topic: string; hits: number }[] {
  const hits = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+(?:-[a-z]+)?/g)) {
    const topic = topicOf.get(word);
    if (topic !== undefined) hits.set(topic, (hits.get(topic) ?? 0) + 1);
  }
  return [...hits]
    .filter(([, count]) => count >= MIN_HITS)
    .sort(([, one], [, other]) => other - one)
    .map(([topic, count]) => ({ topic, hits: count }));
}

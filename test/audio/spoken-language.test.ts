import { expect, test } from 'vitest';
import { judgeLanguage } from '../../workers/audio/script-language.ts';
import { JUDGING_SENTENCES, SHORT_SENTENCES } from './short-sentences.ts';

/** Short sentences. The English ones hold foreign names, or no word that only English has. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  en: [
    'I ate a crêpe in Düsseldorf.',
    'We met at the café in Málaga.',
    'Her résumé mentions São Paulo and Kraków.',
    'The naïve façade of the hôtel was torn down.',
    'Zoë ordered a piña colada.',
    'My fiancé lives in Zürich.',
    'Jürgen and Søren play chess.',
    'The smörgåsbord was excellent.',
    'He drove from Nîmes to Besançon.',
    'Please pass the jalapeño sauce.',
    'Welcome to chapter one.',
    'The train leaves at noon.',
    'Good morning, Anna.',
    'See you tomorrow.',
    'Time flies.',
    'Nothing happened.',
    'Turn left at the church.',
    'Dinner is ready.',
    'Hurry up!',
    'Where are you?',
    'A cold wind blows.',
    'Stop talking.',
    'Birds sing.',
    'The doctor prescribed amoxicillin.',
    'Señor Muñoz bought a cortège of façades.',
    'El Niño brings rain to Perú.',
    'Brontë wrote Wuthering Heights.',
    'Beyoncé sang déjà vu.',
  ],
  fr: [
    'Bonjour, je voudrais acheter du pain et du fromage.',
    'Le train arrive à midi.',
    'Il fait froid ce matin.',
    'Où est la gare ?',
    'Merci beaucoup.',
    'Nous partons demain.',
    "J'ai perdu mes clés.",
    "C'est la vie.",
    'Les enfants jouent dans le jardin.',
    'Elle ne veut pas venir.',
    'Combien ça coûte ?',
  ],
  de: [
    'Der Zug kommt um zwölf Uhr an.',
    'Guten Morgen, Anna.',
    'Ich habe keine Zeit.',
    'Wo ist der Bahnhof?',
    'Das Wetter ist heute schön.',
    'Wir fahren morgen nach Berlin.',
    'Vielen Dank.',
    'Die Kinder spielen im Garten.',
    'Er will nicht kommen.',
    'Was kostet das?',
    'Es regnet.',
  ],
  es: [
    'El tren llega a mediodía.',
    'Buenos días, Ana.',
    'No tengo tiempo.',
    '¿Dónde está la estación?',
    'Hoy hace mucho frío.',
    'Mañana vamos a Madrid.',
    'Muchas gracias.',
    'Los niños juegan en el jardín.',
    'Quiero comprar pan y queso.',
    '¿Cuánto cuesta?',
    'Ella no quiere venir.',
  ],
  it: [
    'Il treno arriva a mezzogiorno.',
    'Buongiorno, Anna.',
    'Non ho tempo.',
    "Dov'è la stazione?",
    'Oggi fa molto freddo.',
    'Domani andiamo a Roma.',
    'Grazie mille.',
    'I bambini giocano nel giardino.',
    'Vorrei comprare pane e formaggio.',
    'Quanto costa?',
    'Lei non vuole venire.',
  ],
  pt: [
    'O trem chega ao meio-dia.',
    'Bom dia, Ana.',
    'Não tenho tempo.',
    'Onde fica a estação?',
    'Hoje está muito frio.',
    'Amanhã vamos a Lisboa.',
    'Muito obrigado.',
    'As crianças brincam no jardim.',
    'Quero comprar pão e queijo.',
    'Quanto custa?',
    'Ela não quer vir.',
  ],
  nl: [
    'De trein komt om twaalf uur aan.',
    'Goedemorgen, Anna.',
    'Ik heb geen tijd.',
    'Waar is het station?',
    'Het is vandaag erg koud.',
    'Morgen gaan we naar Amsterdam.',
    'Hartelijk bedankt.',
    'De kinderen spelen in de tuin.',
    'Ik wil brood en kaas kopen.',
    'Wat kost dat?',
    'Zij wil niet komen.',
  ],
  sv: [
    'Tåget kommer klockan tolv.',
    'God morgon, Anna.',
    'Jag har inte tid.',
    'Var ligger stationen?',
    'Det är mycket kallt idag.',
    'Imorgon åker vi till Stockholm.',
    'Tack så mycket.',
    'Barnen leker i trädgården.',
    'Jag vill köpa bröd och ost.',
    'Vad kostar det?',
    'Hon vill inte komma.',
  ],
  pl: [
    'Pociąg przyjeżdża w południe.',
    'Dzień dobry, Anno.',
    'Nie mam czasu.',
    'Gdzie jest dworzec?',
    'Dzisiaj jest bardzo zimno.',
    'Jutro jedziemy do Krakowa.',
    'Dziękuję bardzo.',
    'Dzieci bawią się w ogrodzie.',
    'Chcę kupić chleb i ser.',
    'Ile to kosztuje?',
    'Ona nie chce przyjść.',
  ],
  tr: [
    'Tren öğlen geliyor.',
    'Günaydın, Anna.',
    'Hiç zamanım yok.',
    'İstasyon nerede?',
    'Bugün hava çok soğuk.',
    "Yarın Ankara'ya gidiyoruz.",
    'Çok teşekkür ederim.',
    'Çocuklar bahçede oynuyor.',
    'Ekmek ve peynir almak istiyorum.',
    'Bu ne kadar?',
    'O gelmek istemiyor.',
  ],
};

test('more than a hundred sentences in ten languages are tried', () => {
  expect(Object.keys(SENTENCES)).toHaveLength(10);
  expect(Object.values(SENTENCES).flat().length).toBeGreaterThan(100);
});

test.each(SENTENCES.en ?? [])('“%s” is English, or nothing is said of it', (sentence) => {
  const { language, doubts } = judgeLanguage(sentence);
  expect([null, 'en']).toContain(language);
  expect(doubts).toEqual([]);
});

const foreign = Object.entries(SENTENCES).flatMap(([language, sentences]) =>
  language === 'en' ? [] : sentences.map((sentence) => [sentence, language] as const),
);

test.each(foreign)('“%s” is in %s, or may be', (sentence, language) => {
  const judged = judgeLanguage(sentence);
  expect(judged.language ?? judged.doubts[0]?.language).toBe(language);
});

test.each(['Hi', 'Hi!', 'Hi Tom', 'Sit', 'Ok', 'No', 'Si', 'Die'])('“%s” is too short for a language', (text) => {
  expect(judgeLanguage(text)).toEqual({ language: null, doubts: [] });
});

test('most foreign sentences are certain', () => {
  const certain = foreign.filter(([sentence, language]) => judgeLanguage(sentence).language === language);
  expect(certain.length).toBeGreaterThanOrEqual(foreign.length * 0.85);
});

test('a sentence in another language than its text is a doubt', () => {
  const text = 'The conductor came in. Le train arrive à midi et repart le soir. Nobody answered him at all.';
  expect(judgeLanguage(text)).toEqual({
    language: 'en',
    doubts: [{ language: 'fr', quote: 'Le train arrive à midi et repart le soir.' }],
  });
});

test('99 of 100 short sentences in ten languages are told right, and nearly all others are asked about', () => {
  const wrong = SHORT_SENTENCES.filter(([language, sentence]) => judgeLanguage(sentence).language !== language);
  expect(SHORT_SENTENCES.length).toBe(500);
  expect(wrong.length).toBeLessThanOrEqual(5);
});

test('of a hundred others that nothing was chosen with, few are told wrong or only asked about', () => {
  const told = JUDGING_SENTENCES.map(([language, sentence]) => ({ language, judged: judgeLanguage(sentence) }));
  const right = told.filter(({ language, judged }) => judged.language === language);
  const asked = told.filter(({ judged }) => judged.language === null && judged.doubts.length > 0);
  expect(told).toHaveLength(100);
  expect(right.length).toBeGreaterThanOrEqual(95);
  expect(right.length + asked.length).toBeGreaterThanOrEqual(97);
});

test.each(['Balliamo?', '¿Bailamos?', 'Zatańczymy?'])('“%s” shows its language by its letters', (sentence) => {
  expect(judgeLanguage(sentence).language).not.toBeNull();
});

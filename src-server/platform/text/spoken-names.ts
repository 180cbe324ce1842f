/** Abbreviations, Roman numbers, names with signs and file names in English. */

import { digitByDigit, romanValue, speakCardinal, speakOrdinal } from './spoken-numbers.ts';
import { anyWordPattern, defineSpokenRule, END, type Rule } from './spoken-rule.ts';
import { wordTable } from './word-table.ts';

/** Written with a full stop. */
const SHORTENED = wordTable(`
  Mr: mister; Mrs: missus; Ms: miz; Prof: professor; Gen: general; Sen: senator; Gov: governor; Capt: captain
  Lt: lieutenant; Sgt: sergeant; Rev: reverend; Jr: junior; Sr: senior; Hon: honorable; Inc: incorporated
  Ltd: limited; Corp: corporation; Co: company; Bros: brothers; Dept: department; Ave: avenue; Blvd: boulevard
  Rd: road; Ln: lane; Apt: apartment; Ste: suite; Sq: square; Hwy: highway; Mt: mount; Ft: fort; Fig: figure
  Figs: figures; Vol: volume; Ch: chapter; Ed: edition; approx: approximately; est: established; etc: et cetera
  vs: versus; max: maximum; min: minimum; tel: telephone; ext: extension; dept: department; govt: government
  misc: miscellaneous; incl: including; excl: excluding; resp: respectively; fig: figure; vol: volume; ca: circa
  tbsp: tablespoons; tsp: teaspoons; oz: ounces; lb: pounds; lbs: pounds; hr: hour; hrs: hours; Rep: representative
  Mon: Monday; Tue: Tuesday; Tues: Tuesday; Wed: Wednesday; Thu: Thursday; Thur: Thursday; Thurs: Thursday
  Fri: Friday; Sat: Saturday; Sun: Sunday; Jan: January; Feb: February; Aug: August; Sept: September; Sep: September
  Oct: October; Nov: November; Dec: December
`);

/** Read without a full stop too; never words of their own. */
const ALSO_BARE = /^(?:Mr|Mrs|Ms|Prof|Jr|Sr|Ltd|Blvd|approx|vs|etc|tbsp|tsp|lbs|govt|Dept|dept|Hwy)$/;

/** A short form that ends a sentence keeps its full stop as punctuation. */
function withStop(word: string, line: string, end: number): string {
  return /^\s*$/.test(line.slice(end)) || /^\s+\p{Lu}\p{Ll}+\s\p{Ll}/u.test(line.slice(end)) ? `${word}.` : word;
}

const ENDS_SENTENCES = new Set([
  'etc',
  'Inc',
  'Ltd',
  'Corp',
  'Co',
  'Jr',
  'Sr',
  'Ave',
  'Blvd',
  'Rd',
  'Ln',
  'tbsp',
  'tsp',
]);

const SPELLED_OUT = wordTable(`
  e.g.: for example; i.e.: that is; a.m.: a m; p.m.: p m; A.M.: a m; P.M.: p m; U.S.A.: U S A; U.S.: U S; U.K.: U K
  U.N.: U N; E.U.: E U; D.C.: D C; Ph.D.: P H D; A.D.: A D; B.C.: B C; B.C.E.: B C E; P.S.: P S; N.B.: note well
  R.S.V.P.: R S V P; w/o: without; w/: with; N/A: not applicable; n/a: not applicable; and/or: and or; AC/DC: A C D C
  c/o: care of; he/she: he or she; s/he: she or he; TCP/IP: T C P I P; C++: C plus plus; C#: C sharp; F#: F sharp
  .NET: dot net; Node.js: node J S; A/B: A B; I/O: I O; R&D: R and D; Q&A: Q and A; P&L: P and L; B&B: B and B
  AT&T: A T and T; PhD: P H D; COVID-19: covid nineteen; USA: U S A; UK: U K; EU: E U; UN: U N; TV: T V; ID: I D
  FBI: F B I; CIA: C I A; CEO: C E O; CFO: C F O; PDF: P D F; HTML: H T M L; URL: U R L; API: A P I; CPU: C P U
  GPU: G P U; USB: U S B; DNA: D N A; FAQ: F A Q; DIY: D I Y; VIP: V I P; ATM: A T M; HTTP: H T T P; HTTPS: H T T P S
  IBM: I B M; BBC: B B C; NBA: N B A; NFL: N F L; AI: A I; IT: I T; JSON: jason; SQL: sequel; PIN: pin; SMS: S M S
  GPS: G P S; LED: L E D; MP3: M P three; H2O: H two O; CO2: C O two; CO₂: C O two; H₂O: H two O
  ASAP: as soon as possible; AKA: also known as; aka: also known as
`);

const SPELLED_KEYS = Object.keys(SPELLED_OUT)
  .sort((a, b) => b.length - a.length)
  .map((key) => key.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
  .join('|');

export const ABBREVIATIONS: readonly Rule[] = [
  defineSpokenRule(`(?:${SPELLED_KEYS})(?![\\p{L}\\p{N}&])`, ([text]) =>
    text === 'IT' ? null : (SPELLED_OUT[text] ?? null),
  ),
  defineSpokenRule(`(No|Nos)\\.\\s?(?=\\d)`, () => 'number', 'uyi'),
  defineSpokenRule(`(pp?)\\.\\s?(?=\\d)`, ([, word = '']) => (word === 'pp' ? 'pages' : 'page')),
  defineSpokenRule(`St\\.?${END}(?=\\s\\p{Lu}\\p{Ll})`, (_match, { previous }) =>
    isStreet(previous) ? 'street' : 'saint',
  ),
  defineSpokenRule(`St\\.${END}|St${END}(?=\\s*(?:,|$))`, () => 'street'),
  defineSpokenRule(`Dr\\.?${END}`, ([text], { previous, line, at }) => {
    const isName = /^\s\p{Lu}/u.test(line.slice(at + text.length)) && !isStreet(previous);
    return isName || !/^\p{Lu}/u.test(previous) ? 'doctor' : 'drive';
  }),
  defineSpokenRule(`(${Object.keys(SHORTENED).join('|')})(\\.?)${END}`, ([text, word = '', stop], { line, at }) => {
    if (stop === '' && !ALSO_BARE.test(word)) return null;
    if (/^(?:max|min|est|ext|Co|Ed|Ch|Sat|Sun|Mon|Wed|Rep|Hon|ca|resp|Sen|Ft|Mt|Fri|oz|lb|hr|hrs)$/.test(word)) {
      // At the end of a sentence these are words.
      if (/^\s*$/.test(line.slice(at + text.length)) && !/^(?:oz|lb|hr|hrs|Co)$/.test(word)) return null;
    }
    const said = SHORTENED[word] ?? word;
    return stop !== '' && ENDS_SENTENCES.has(word) ? withStop(said, line, at + text.length) : said;
  }),
  defineSpokenRule(`(?:\\p{Lu}\\.){2,6}`, ([text]) => [...text.replace(/\./g, '')].join(' ')),
];

/** A number or a capitalised word before `St.` names a street. */
function isStreet(previous: string): boolean {
  return /\d(?:st|nd|rd|th)$/.test(previous) || STREET_NAMES.test(previous);
}

const STREET_NAMES = anyWordPattern(
  'Main High Elm Oak Park Church Wall King Queen Downing Baker Market Broad Pine Maple Cedar Hill Lake ' + 'Bridge',
);

/** Words before a Roman number that counts. */
const COUNTED = anyWordPattern(
  'Chapter Part Book Volume Vol Act Scene Section War Phase Type Class Level Bowl Title Article Appendix ' +
    'Grade Stage Figure Table Episode Season Mark Apollo Rocky Canto Psalm Tier Factor Model Unit Verse Lesson',
);

/** Names that rulers and popes share. */
const RULERS = anyWordPattern(
  'Henry Louis Elizabeth George Edward Richard James Charles William Mary Philip John Paul Benedict Pius Leo ' +
    'Gregory Innocent Clement Urban Alexander Nicholas Peter Catherine Frederick Napoleon Ivan Otto Ferdinand ' +
    'Francis Rama Ramses Ptolemy Darius Xerxes Carl Gustav Christian Haakon Olav Leopold Albert Victor Umberto ' +
    'Alfonso Isabella Joseph Karl Wilhelm Margaret Harald Theodore Maximilian Rudolf Margrethe Robert Stephen ' +
    'Conrad Julius',
);

/** Words before a number with a letter: `Apt. 4B`. */
const LETTERED = anyWordPattern(
  'Apt Apartment Room Unit Suite Ste Flat Gate Seat Row Section Building Block Exhibit Figure Table Studio ' +
    'Platform',
);

const FILE_ENDINGS = 'pdf|txt|docx?|xlsx?|pptx?|png|jpe?g|gif|mp3|mp4|wav|zip|csv|json|ts|js|py|html?|md|exe';

export const NAMES_AND_SIGNS: readonly Rule[] = [
  defineSpokenRule(`([IVXLCDM]{1,12})(?![\\p{L}\\p{N}'’])`, ([text, roman = ''], { previous, line, at }) => {
    const value = romanValue(roman);
    if (value === null) return null;
    if (COUNTED.test(previous)) return speakCardinal(String(value));
    if (!RULERS.test(previous)) return null;
    // After a name, I is a word unless the phrase ends there.
    if (roman === 'I' && !/^\s*(?:$|[,.;:)]|of\s)/.test(line.slice(at + text.length))) return null;
    return `the ${speakOrdinal(String(value))}`;
  }),
  defineSpokenRule(`#([\\p{L}_][\\p{L}\\p{N}_]{0,99})`, ([, tag = '']) => `hashtag ${tag.replace(/_/g, ' ')}`),
  defineSpokenRule(
    `@([\\p{L}\\p{N}_][\\p{L}\\p{N}_.]{0,98}[\\p{L}\\p{N}_])`,
    ([, name = '']) => `at ${name.replace(/[._]/g, ' ')}`,
  ),
  defineSpokenRule(`@(?=\\s|\\d)`, () => 'at'),
  defineSpokenRule(`&`, () => 'and'),
  defineSpokenRule(`#(?!\\S)`, () => 'number sign'),
  defineSpokenRule(
    `([\\p{L}\\d_-]{1,80})\\.(${FILE_ENDINGS})${END}`,
    ([, name = '', ending = '']) => `${name.replace(/[_-]+/g, ' ')} dot ${spelledEnding(ending)}`,
    'uyi',
  ),
  defineSpokenRule(`\\p{L}[\\p{L}\\p{N}]{0,60}(?:_[\\p{L}\\p{N}]{1,60}){1,10}`, ([text]) => text.replace(/_+/g, ' ')),
  defineSpokenRule(`(\\p{L}{1,60})/(\\p{L}{1,60})(?![\\p{L}/])`, ([, one = '', other = '']) => `${one} slash ${other}`),
  defineSpokenRule(`(\\p{Lu}{1,3})-?(\\d{1,4})${END}`, ([, letters = '', digits = '']) => {
    return `${[...letters].join(' ')} ${digits.startsWith('0') ? digitByDigit(digits) : speakCardinal(digits)}`;
  }),
  defineSpokenRule(`(\\d{1,4})(\\p{Lu})${END}`, ([, digits = '', letter = ''], { previous }) => {
    return 'KMB'.includes(letter) && !LETTERED.test(previous) ? null : `${speakCardinal(digits)} ${letter}`;
  }),
  defineSpokenRule(`\\+(?=\\s|$)`, () => 'plus'),
];

function spelledEnding(ending: string): string {
  const lower = ending.toLowerCase();
  return /^(?:zip|jpeg|wav|doc|docx|gif|json)$/.test(lower)
    ? lower
    : [...lower].map((sign) => (/\d/.test(sign) ? speakCardinal(sign) : sign)).join(' ');
}

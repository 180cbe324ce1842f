/** Texts that do not say their encoding: read rightly, or with a warning. */
import { crc32 } from 'node:zlib';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const TEXTS = {
  french: 'La marée tourne à midi, et les bâtiments rentrent au quai où ça sèche. Noël à Besançon, c’est déjà l’été.',
  german: 'Die Flut läuft um zwölf Uhr ab, und die Schiffe kehren zurück. Größe und Länge prüft das Büro für Öl.',
  spanish: '¿Cuándo vuelven los barcos? La niña espera el próximo año junto al muelle. ¡Qué corazón más pequeño!',
  polish: 'Przypływ zmienia się w południe, a łodzie wracają na nabrzeże. Źdźbło trawy schnie, jeśli świeci słońce.',
  czech: 'Příliš žluťoučký kůň úpěl ďábelské ódy, když se loďky vracely k přístavišti.',
  turkish: 'Gelgit öğlen döner ve tekneler rıhtıma geri gelir. Ağlar rüzgârda kurur, ışık düşer, şarkı çalar.',
  russian: 'Прилив поворачивает в полдень, и лодки возвращаются к причалу. Сети сушатся на ветру.',
  greek: 'Η παλίρροια γυρίζει το μεσημέρι και οι βάρκες επιστρέφουν στην προβλήτα με τα δίχτυα.',
  hebrew: 'הגאות משתנה בצהריים והסירות חוזרות למזח. הרשתות מתייבשות ברוח.',
  thai: 'น้ำขึ้นเปลี่ยนตอนเที่ยง และเรือกลับมาที่ท่าเรือ อวนแห้งในสายลม',
  japanese: '潮は正午に変わり、船は岸壁に戻ります。網は風で乾きます。明日の天気は晴れでしょう。',
  chinese: '潮水在中午转向，船只返回码头。渔网在风中晾干，这是我们的一天。人们不知道他在哪里，也不知道船有多大。',
  korean: '조수는 정오에 바뀌고 배들은 부두로 돌아온다. 그물은 바람에 마른다.',
};

test.each<[string, keyof typeof TEXTS, string]>([
  ...['cp850', 'cp437', 'macintosh', 'windows-1252'].map(
    (name) => [name, 'french', name] as [string, 'french', string],
  ),
  ...['cp850', 'cp437', 'macintosh', 'windows-1252'].map(
    (name) => [name, 'german', name] as [string, 'german', string],
  ),
  ...['cp850', 'macintosh', 'windows-1252'].map((name) => [name, 'spanish', name] as [string, 'spanish', string]),
  ...['cp852', 'windows-1250', 'iso-8859-2'].map((name) => [name, 'polish', name] as [string, 'polish', string]),
  ...['cp852', 'windows-1250'].map((name) => [name, 'czech', name] as [string, 'czech', string]),
  ...['cp857', 'windows-1254'].map((name) => [name, 'turkish', name] as [string, 'turkish', string]),
  ...['cp866', 'windows-1251', 'koi8-r', 'maccyrillic', 'iso-8859-5'].map(
    (name) => [name, 'russian', name] as [string, 'russian', string],
  ),
  ...['cp737', 'windows-1253', 'iso-8859-7'].map((name) => [name, 'greek', name] as [string, 'greek', string]),
  ...['cp862', 'windows-1255'].map((name) => [name, 'hebrew', name] as [string, 'hebrew', string]),
  ['windows-874', 'thai', 'windows-874'],
  ...['shift_jis', 'euc-jp'].map((name) => [name, 'japanese', name] as [string, 'japanese', string]),
  ...['gbk', 'utf-16le', 'utf-16be'].map((name) => [name, 'chinese', name] as [string, 'chinese', string]),
  ...['utf-16le', 'utf-16be'].map((name) => [name, 'japanese', name] as [string, 'japanese', string]),
  ...['utf-16le', 'utf-16be', 'utf-32le'].map((name) => [name, 'russian', name] as [string, 'russian', string]),
  ...['utf-16le', 'euc-kr'].map((name) => [name, 'korean', name] as [string, 'korean', string]),
])('%s in %s', async (_name, language, encoding) => {
  // Code pages of DOS have no such apostrophe.
  const line = encoding.startsWith('cp') ? TEXTS[language].replaceAll('’', "'") : TEXTS[language];
  const text = `${line}\r\n\r\n${line}\r\n`;
  const bytes = iconv.encode(text, encoding, { addBOM: encoding === 'utf-32le' });
  const read = await readDocument(appliance, bytes, 'text.txt');
  expect(read.text.trim()).toBe(text.trim().replaceAll('\r\n', '\n'));
  expect(read.warnings).toEqual([]);
});

test.each(['Gruyère und Käse', 'Käthe et Hélène: Bäckerei à Genève', 'Nuñez, Bäder, Hélène, Åse, Ørsted, João'])(
  'words of several languages in windows-1252: %s',
  async (words) => {
    const { text, warnings } = await readDocument(appliance, iconv.encode(words, 'windows-1252'), 'names.txt');
    expect([text.trim(), warnings]).toEqual([words, []]);
  },
);

test('ISO-2022-JP, which has the bytes of ASCII', async () => {
  const bytes = Buffer.concat([
    Buffer.from('Tide log\n\n\x1b$B', 'latin1'),
    ...['潮', '正午', '船'].map((word) => iconv.encode(word, 'euc-jp').map((byte) => byte & 0x7f)),
    Buffer.from('\x1b(B\n', 'latin1'),
  ]);
  const { text } = await readDocument(appliance, bytes, 'log.txt');
  expect(text).toContain('潮正午船');
});

test('letters that are wrong in every encoding come with a warning, also in a table and on a page', async () => {
  const scrambled = Buffer.from(
    Array.from({ length: 400 }, (_, at) => (at % 5 === 4 ? 0x20 : 0x80 + ((at * 37) % 128))),
  );
  for (const name of ['text.txt', 'table.csv', 'page.html', 'notes.md']) {
    const page = name.endsWith('html')
      ? Buffer.concat([Buffer.from('<p>'), scrambled, Buffer.from('</p>')])
      : scrambled;
    const { warnings } = await readDocument(appliance, page, name);
    expect(warnings.join('\n')).toMatch(/^The encoding of the text is not certain\. It was read as [\w-]+:/m);
  }
});

/** An archive whose names have no mark of UTF-8, as old programs write them. */
function unmarkedZip(names: readonly Uint8Array[]): Buffer {
  const files: Buffer[] = [];
  const listed: Buffer[] = [];
  let at = 0;
  for (const name of names) {
    const content = Buffer.from('Words.');
    const facts = Buffer.alloc(20);
    facts.writeUInt32LE(crc32(content), 8);
    facts.writeUInt32LE(content.length, 12);
    facts.writeUInt32LE(content.length, 16);
    const sizes = Buffer.from([name.length, 0, 0, 0]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    files.push(Buffer.from('PK\x03\x04\x14\0', 'latin1'), facts, sizes, Buffer.from(name), content);
    listed.push(Buffer.from('PK\x01\x02\x14\0\x14\0', 'latin1'), facts, sizes, place, Buffer.from(name));
    at += 30 + name.length + content.length;
  }
  const directory = Buffer.concat(listed);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(names.length, 4);
  end.writeUInt16LE(names.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...files, directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

test.each([
  ['cp437', 'Marée été.txt'],
  ['cp850', 'Größe/Übersicht.txt'],
  ['cp866', 'Прилив/Отлив.txt'],
  ['gbk', '潮汐时间表.txt'],
  ['shift_jis', '潮汐表.txt'],
  ['utf-8', 'Прилив.txt'],
])('names in an archive, in %s', async (encoding, name) => {
  const archive = unmarkedZip([iconv.encode(name, encoding), Buffer.from('plain.txt')]);
  const { text } = await readDocument(appliance, archive, 'files.zip');
  expect(text).toContain(name);
  expect(text).toContain('plain.txt');
});

test('names of an archive in two encodings', async () => {
  const names = ['Прилив и отлив у причала.txt', 'Луна над морем.txt', 'Ветер с моря.txt'];
  const archive = unmarkedZip([...names.map((name) => Buffer.from(name)), iconv.encode("Marée d'été.txt", 'cp437')]);
  const { text } = await readDocument(appliance, archive, 'files.zip');
  for (const name of [...names, "Marée d'été.txt"]) expect(text).toContain(name);
});

test('quoted lines of a flowed mail are whole, without signs in between', async () => {
  const head = 'From: a@b.test\r\nSubject: Tide\r\nContent-Type: text/plain; charset=utf-8; format=flowed\r\n\r\n';
  const lines = ['A line that ', 'goes on.', '> Quoted words ', '> go on.', '>> Older ones ', '> end here. ', 'Mine.'];
  const { text } = await readDocument(appliance, Buffer.from(head + lines.join('\r\n')), 'mail.eml');
  expect(text).toContain('A line that goes on.\n\n> Quoted words go on.\n\n>> Older ones\n\n> end here.\n\nMine.');
});

/** The reader of XML, by itself: its places for pieces and damage cannot be seen from outside. */
import { describe, expect, test } from 'vitest';
import { NotWellFormed, XmlReader } from '../../workers/documents/xml-reader.ts';

function eventsOf(pieces: readonly string[]): string[] {
  const events: string[] = [];
  const reader = new XmlReader({
    open: ({ text }, { names, values }) =>
      void events.push([`<${text}`, ...names.map((name, at) => `${name.text}=${values[at]}`)].join('|')),
    close: () => void events.push('>'),
    text: (text) => void events.push(`T ${text}`),
    doctype: () => void events.push('D'),
  });
  for (const piece of pieces) reader.write(piece);
  reader.close();
  return events;
}

/** Whole, in two pieces at each place, and character by character. */
function waysToWrite(source: string): string[][] {
  const halves = Array.from({ length: source.length }, (_, at) => [source.slice(0, at), source.slice(at)]);
  return [[source], [...source], ...halves];
}

const READ: [source: string, events: string[]][] = [
  ['<a/>', ['<a', '>']],
  [
    '\ufeff<?xml version="1.0" encoding="UTF-8"  standalone=\'yes\' ?>\r\n<a:b c:d = "1"\te=\'"\'/>\n',
    ['T \n', '<a:b|c:d=1|e="', '>', 'T \n'],
  ],
  ['<a b="x&amp;&#65;&#x42;\r\ny\tz>"></a >', ['<a|b=x&AB y z>', '>']],
  [
    '<a>1 &lt; 2\r3\r\n4 ]] > 5<b/>6<!-- - -->7<?p q?r?>8</a>',
    ['<a', 'T 1 < 2\n3\n4 ]] > 5', '<b', '>', 'T 6', 'T 7', 'T 8', '>'],
  ],
  ['<a><![CDATA[<b>]]&amp;]]></a>', ['<a', 'T <b>]]&amp;', '>']],
  ['<!DOCTYPE a "p>q" [<!ENTITY b "c]>"> <!-- ]> " --> <?d ]> \' ?>] ><a/>', ['D', '<a', '>']],
  ['<\u00fc\u4e2d.1-2 \u00e9="\u{1f600}"/>', ['<\u00fc\u4e2d.1-2|\u00e9=\u{1f600}', '>']],
];

const REFUSED = [
  ...['', ' ', 'x', '<', '<a', '<a>', '<a></b>', '<a><b></a></b>', '</a>', '<a/></a>', '<a/><b/>', '<a/>x', 'x<a/>'],
  ...[
    '<1/>',
    '<a 1="2"/>',
    '<a b/>',
    '<a b>',
    '<a b=c/>',
    '<a b="1"c="2"/>',
    '<a b="1" b="2"/>',
    '<a b="<"/>',
    '<a / >',
  ],
  ...['<a></ a>', '<a></>', '<a>&b;</a>', '<a>&</a>', '<a>& b</a>', '<a>&#0;</a>', '<a>&#xd800;</a>', '<a>&#X41;</a>'],
  ...['<a>]]></a>', '<a>\u0001</a>', '<a b="\uffff"/>', '<a><!-- -- --></a>', '<!x><a/>', '<a><!DOCTYPE a></a>'],
  ...['<!DOCTYPE a><!DOCTYPE a><a/>', '<![CDATA[x]]><a/>', ' <?xml version="1.0"?><a/>', '<?xml?><a/>', '<? a?><a/>'],
  ...[
    '<?xml version="2.0"?><a/>',
    '<?xml encoding="utf-8"?><a/>',
    '<a><?XML a?></a>',
    '<a/>&amp;',
    '<!DOCTYPE a "><a/>',
  ],
  `<a ${Array.from({ length: 20 }, (_, at) => `b${at % 19}="1"`).join(' ')}/>`,
];

describe('the reader of XML', () => {
  test.each(READ)('reads %j the same in whatever pieces', (source, events) => {
    for (const pieces of waysToWrite(source)) expect(eventsOf(pieces)).toEqual(events);
  });

  test.each(REFUSED)('refuses %j in whatever pieces', (source) => {
    for (const pieces of waysToWrite(source)) expect(() => eventsOf(pieces)).toThrow(NotWellFormed);
  });
});

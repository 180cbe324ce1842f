import { write } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';
import { zipTexts } from '../../harness/zip-texts.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

/** 5 March 2026, 14:30. */
const MOMENT = 46086.604166666664;

/** Format, value, and what Excel shows; runs of spaces are one. */
const SHOWN: readonly [format: string, value: number, shown: string][] = [
  ['General', 1234.5, '1234.5'],
  ['0', 1234.5, '1235'],
  ['0.00', 0.925, '0.93'],
  ['0.00', 1.005, '1.01'],
  ['#,##0', 1234567.8, '1,234,568'],
  ['#,##0.00', -1234.5, '-1,234.50'],
  ['0%', 0.125, '13%'],
  ['0.00%', 0.12345, '12.35%'],
  ['0.00E+00', 12345.678, '1.23E+04'],
  ['0.00E+00', 0.00012, '1.20E-04'],
  ['##0.0E+0', 12345.678, '12.3E+3'],
  ['##0.0E+0', 123456, '123.5E+3'],
  ['##0.0E+0', 0.0012, '1.2E-3'],
  ['0E-0', 1500, '2E3'],
  ['# ?/?', 5.25, '5 1/4'],
  ['# ?/?', 0.5, '1/2'],
  ['# ?/?', 0.3, '2/7'],
  ['# ??/??', 5.3, '5 3/10'],
  ['# ?/?', 3, '3'],
  ['# ?/8', 0.5, '4/8'],
  ['# ??/100', 0.3, '30/100'],
  ['?/?', 1.5, '3/2'],
  ['# ???/???', Math.PI, '3 16/113'],
  ['# ?/2', 0.5, '1/2'],
  ['# ?/?', -5.25, '-5 1/4'],
  ['# ?/?', 0, '0'],
  ['# ?/?', 0.99, '1'],
  ['dd.mm.yyyy', MOMENT, '05.03.2026'],
  ['d.m.yyyy h:mm', MOMENT, '5.3.2026 14:30'],
  ['dd.mm.yy', MOMENT, '05.03.26'],
  ['dd.mm.yy;@', MOMENT, '05.03.26'],
  ['d. mmmm yyyy', MOMENT, '5. March 2026'],
  ['yyyy-mm-ddThh:mm:ss', MOMENT, '2026-03-05T14:30:00'],
  ['yyyy-mm-dd"T"hh:mm', MOMENT, '2026-03-05T14:30'],
  ['[$-407]d. mmmm yyyy', MOMENT, '5. März 2026'],
  ['[$-40C]dddd d mmmm yyyy', MOMENT, 'jeudi 5 mars 2026'],
  ['[$-419]d mmmm yyyy', MOMENT, '5 марта 2026'],
  ['[$-409]h:mm AM/PM', MOMENT, '2:30 PM'],
  ['h:mm:ss AM/PM', MOMENT, '2:30:00 PM'],
  ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', MOMENT, 'Thursday, March 05, 2026'],
  ['[$-F400]h:mm:ss AM/PM', MOMENT, '2:30:00 PM'],
  ['m/d/yyyy', MOMENT, '3/5/2026'],
  ['mm/dd/yy', MOMENT, '03/05/26'],
  ['mmm-yy', MOMENT, 'Mar-26'],
  ['d-mmm', MOMENT, '5-Mar'],
  ['mmmmm', MOMENT, 'M'],
  ['ddd', MOMENT, 'Thu'],
  ['yyyy', MOMENT, '2026'],
  ['yy/mm/dd', MOMENT, '26/03/05'],
  ['h:mm', MOMENT, '14:30'],
  ['hh:mm:ss', MOMENT, '14:30:00'],
  ['mm:ss', MOMENT, '30:00'],
  ['[h]:mm', 1.5, '36:00'],
  ['[h]:mm:ss', 2.25, '54:00:00'],
  ['[mm]:ss', 0.0625, '90:00'],
  ['[ss]', 0.001, '86'],
  ['mm:ss.0', 0.000011574, '00:01.0'],
  ['ss.000', 0.0000117, '01.011'],
  ['h "hours" m "min"', MOMENT, '14 hours 30 min'],
  ['A/P', MOMENT, 'P'],
  ['h AM/PM', 0, '12 AM'],
  ['[$-10409]#,##0.00', 1234.5, '1,234.50'],
  ['[$-10409]0.00%', 0.125, '12.50%'],
  ['[$-409]#,##0.00;(#,##0.00)', -1234.5, '(1,234.50)'],
  ['[$-10407]#,##0.00 "€"', 1234.5, '1,234.50 €'],
  ['[$€-407] #,##0.00', 1234.5, '€ 1,234.50'],
  ['#,##0.00 [$€-407]', 1234.5, '1,234.50 €'],
  ['[$$-409]#,##0.00', 5, '$5.00'],
  ['[$USD] 0', 5, 'USD 5'],
  ['[$kr-41D] 0', 5, 'kr 5'],
  ['"$"#,##0.00_);("$"#,##0.00)', -5, '($5.00)'],
  ['$#,##0.00;[Red]$#,##0.00', -5, '$5.00'],
  ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', 0, '$-'],
  ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', -5, '$(5.00)'],
  ['0,', 12345, '12'],
  ['0.0,,"M"', 12345678, '12.3M'],
  ['#,##0,"k"', 1234567, '1,235k'],
  ['000-00-0000', 123456789, '123-45-6789'],
  ['(000) 000-0000', 5551234567, '(555) 123-4567'],
  ['00000', 42, '00042'],
  ['#.##', 5, '5.'],
  ['#.##', 0.5, '.5'],
  ['0.0#', 5.123, '5.12'],
  ['0.0##', 5.1, '5.1'],
  ['???.???', 5.5, '5.5'],
  ['[>=1000]#,##0,"k";0', 1500, '2k'],
  ['[>=1000]#,##0,"k";0', 500, '500'],
  ['[<0]"neg "0;[=0]"zero";"pos "0', -5, 'neg 5'],
  ['[<0]"neg "0;[=0]"zero";"pos "0', 0, 'zero'],
  ['[Red][<=100]0;[Blue][>100]0', 150, '150'],
  ['[Color 10]0.0;[Color3]-0.0', -2, '-2.0'],
  ['0 "pcs"', 5, '5 pcs'],
  ['0\\ \\k\\g', 5, '5 kg'],
  ['"Total: "General', 5.5, 'Total: 5.5'],
  ['General" units"', -3, '-3 units'],
  ['0;-0;"none"', 0, 'none'],
  ['0;;', -5, ''],
  [';;;', 5, ''],
  ['@', 5.5, '5.5'],
  ['0.00;@', -5, '-5.00'],
  ['+0;-0;0', 5, '+5'],
  ['0.00" °C"', 21.456, '21.46 °C'],
  ['0', 12345678901234567000, '12345678901234600000'],
  ['0%;[Red]-0%', -0.5, '-50%'],
  ['0‰', 5, '5‰'],
  ['#,##0.00\\ "Ft"', 1234, '1,234.00 Ft'],
  ['0"."00', 1234, '12.34'],
  ['0000"-"00"-"00', 20260305, '2026-03-05'],
  ['yyyymmdd', MOMENT, '20260305'],
  ['yyyy"年"m"月"d"日"', MOMENT, '2026年3月5日'],
  ['[$-411]yyyy"年"m"月"', MOMENT, '2026年3月'],
  ['dd/mm/yyyy hh:mm', MOMENT, '05/03/2026 14:30'],
  ['d/m', 60, '29/2'],
  ['m/d/yy h', 1, '1/1/00 0'],
  ['mmm d, yyyy', MOMENT, 'Mar 5, 2026'],
  ['"Q"0', 1, 'Q1'],
  ['##', 0, ''],
  ['#', 0, ''],
  ['0.0 %', 0.5, '50.0 %'],
  ['#,###', 1234, '1,234'],
  ['#,#00', 5, '05'],
  ['0.000,', 1234.5, '1.235'],
  ['h:mm', 0.9999999, '0:00'],
  ['dd-mmm-yyyy', 44561.99999999, '01-Jan-2022'],
];

/** Formats that no program renders as digits of the reader: the plain number is given, with a warning. */
const PLAIN: readonly [format: string, value: number, shown: string][] = [
  ['dd.mm.yyyy', -5, '-5'],
  ['0.0.0', 5, '5'],
  ['yyyy', 3e9, '3000000000'],
  ['0 "unclosed', 7, '7'],
  ['[<10]0.0;[<20]0.00', 30, '30'],
];

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A workbook whose rows are `#1`, the value, `end`. */
function xlsx(rows: readonly (readonly [string, number, string])[]): Uint8Array {
  const formats = rows.map(([code], at) => `<numFmt numFmtId="${200 + at}" formatCode="${escaped(code)}"/>`);
  const styles = rows.map((_, at) => `<xf numFmtId="${200 + at}"/>`);
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const sheet = rows.map(([, value], at) => {
    return `<row>${text(`#${at + 1}`)}<c s="${at}"><v>${value}</v></c>${text('end')}</row>`;
  });
  const parts = {
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="a" Type="${DOCUMENT}/officeDocument"
      Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="Formats" sheetId="1"
      r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="r1"
      Type="${DOCUMENT}/worksheet" Target="/xl/worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts>${formats.join('')}</numFmts><cellXfs>${styles.join('')}
      </cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${sheet.join('')}</sheetData></worksheet>`,
  };
  return zipTexts(parts);
}

/** The same as Excel 97 writes it. */
function xls(rows: readonly (readonly [string, number, string])[]): Uint8Array {
  const sheet: Record<string, unknown> = { '!ref': `A1:C${rows.length}` };
  for (const [at, [z, v]] of rows.entries()) {
    sheet[`A${at + 1}`] = { t: 's', v: `#${at + 1}` };
    sheet[`B${at + 1}`] = { t: 'n', v, z };
    sheet[`C${at + 1}`] = { t: 's', v: 'end' };
  }
  return write({ SheetNames: ['Formats'], Sheets: { Formats: sheet } }, { bookType: 'biff8', type: 'buffer' });
}

/** The shown value of each row, from a table of Markdown. */
function valuesIn(markdown: string): string[] {
  const rows = [...markdown.matchAll(/^\| #(\d+) \| (.*) \| end \|$/gm)];
  return rows.map(([, , value = '']) => value.replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim());
}

describe('number formats', () => {
  test.each([
    ['xlsx', xlsx],
    ['xls', xls],
  ])('in .%s show what Excel shows', async (ending, make) => {
    // SheetJS's writer turns such a date into a text.
    const rows = SHOWN.filter(([, value]) => ending === 'xlsx' || value < 1e9);
    const { markdown, warnings } = await readDocument(appliance, make(rows), `formats.${ending}`);
    const values = valuesIn(markdown);
    expect(rows.map(([format], at) => [format, values[at]])).toEqual(rows.map(([format, , shown]) => [format, shown]));
    expect(warnings).toEqual([]);
  });

  test('that cannot be rendered give the plain number, and one warning with the first place', async () => {
    const { markdown, warnings } = await readDocument(appliance, xlsx(PLAIN), 'formats.xlsx');
    expect(valuesIn(markdown)).toEqual(PLAIN.map(([, , shown]) => shown));
    expect(warnings).toEqual([
      '5 cells have a number format that cannot be shown; the plain number is given. ' +
        'The first is Formats!B1 (dd.mm.yyyy).',
    ]);
  });

  test('never invent a currency for a format that only names a language', async () => {
    const languages = ['409', '10409', '407', '10407', '411', '804', 'x-sysdate', 'en-US', 'de-DE', 'F800'];
    const rows = languages.map((one) => [`[$-${one}]#,##0.00`, 1234.5, '1,234.50'] as const);
    const { markdown } = await readDocument(appliance, xlsx(rows), 'languages.xlsx');
    expect(valuesIn(markdown)).toEqual(rows.map(([, , shown]) => shown));
  });
});

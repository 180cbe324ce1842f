import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guessLanguage } from '../../workers/documents/language.ts';

test.each([
  ['de', 'Die Wetterdienste warnen vor schweren Sturmböen an der Küste. In Kiel fiel der Unterricht aus.'],
  ['fr', 'Les services météo avertissent de fortes rafales sur la côte. À Brest, les cours ont été annulés.'],
  ['es', 'Los servicios advierten de fuertes rachas de viento en la costa. En Cádiz no hubo clases.'],
  ['it', 'I servizi avvertono di forti raffiche sulla costa. A Bari le lezioni sono state sospese per oggi.'],
  ['pt', 'Os serviços avisam para fortes rajadas de vento na costa. No Porto as aulas foram suspensas.'],
  ['nl', 'De weerdiensten waarschuwen voor zware windstoten aan de kust. In Vlissingen vielen de lessen uit.'],
  ['sv', 'Vädertjänsterna varnar för kraftiga vindbyar vid kusten. I Malmö ställdes lektionerna in idag.'],
  ['da', 'Vejrtjenesterne advarer om kraftige vindstød ved kysten. I Aarhus blev undervisningen aflyst af byen.'],
  ['pl', 'Służby ostrzegają przed silnymi porywami wiatru na wybrzeżu. W Gdyni odwołano lekcje do jutra.'],
  ['cs', 'Meteorologické služby varují před silnými poryvy větru na pobřeží. V Brně byla zrušena výuka.'],
  ['ru', 'Метеорологи предупреждают о сильных порывах ветра на побережье. В Мурманске отменены занятия до утра.'],
  ['uk', 'Метеорологічні служби попереджають про сильні пориви вітру на узбережжі. В Одесі скасовано заняття.'],
  ['el', 'Οι υπηρεσίες προειδοποιούν για ισχυρές ριπές ανέμου στην ακτή. Στον Πειραιά αναβλήθηκαν τα μαθήματα.'],
  ['ja', '気象庁は沿岸部で強い突風に注意するよう呼びかけています。横浜では授業が中止となりました。'],
  ['zh', '气象部门提醒沿海地区注意强阵风。青岛的课程已取消，多艘渡轮停泊在港口。'],
  ['ko', '기상청은 해안 지역의 강한 돌풍에 주의할 것을 당부했습니다. 부산에서는 수업이 취소되었습니다.'],
  ['vi', 'Cơ quan khí tượng cảnh báo gió giật mạnh trên vùng ven biển. Học sinh ở Hải Phòng được nghỉ học hôm nay.'],
  ['sk', 'Meteorológovia varujú pred silnými nárazmi vetra na pobreží. V Žiline bolo vyučovanie zrušené do zajtra.'],
  ['lt', 'Meteorologai įspėja apie stiprius vėjo gūsius pakrantėje. Klaipėdoje pamokos atšauktos iki rytojaus.'],
  ['lv', 'Sinoptiķi brīdina par stiprām vēja brāzmām piekrastē. Liepājā mācības ir atceltas līdz rītdienai.'],
  [
    'et',
    'Ilmateenistus hoiatab tugevate tuulehoogude eest rannikul. Pärnus jäid täna õppetunnid ära ja laevad sadamasse.',
  ],
  ['hi', 'मौसम विभाग ने तट पर तेज़ हवाओं की चेतावनी दी है। मुंबई में कक्षाएँ रद्द कर दी गईं और नावें रुकी रहीं।'],
])('%s', (language, text) => {
  expect(guessLanguage(text)).toBe(language);
});

test.each([
  [
    'medicine',
    'Metformin hydrochloride 500 mg was given orally; adverse events were nausea, lactic acidosis and anaemia.',
  ],
  ['botany', 'Quercus robur, Fagus sylvatica and Carpinus betulus dominate the canopy with an understorey of Corylus.'],
  [
    'code',
    '{"webhook-id": "dlv_2mV1", "signature": "v1,aYB74rY6aIQnCvxQ", "status": "completed", "n": [1, 2], "s": "d"}',
  ],
  [
    'names',
    'Anna Schmidt, John Miller, Pierre Dupont, Giulia Rossi, Carlos Fernández, Lars Svensson, Jan Kowalski, Ion Pop',
  ],
  [
    'a receipt',
    'BLUE ANCHOR STORE 12 Quay Road, Portville Mooring rope 24mm 34.00 Fender cylindrical 85.50 Shackle 10mm x2 7.80 ' +
      'Marine paint 1L 19.95 SUBTOTAL 147.25 VAT 20% 29.45 TOTAL GBP 176.70 Card ending 4782 Thank you',
  ],
  ['names without their marks', 'Nguyen Van An Tran Thi Binh Le Hoang Nam Pham Minh Tuan Hoang Thi Lan Vo Van Kiet'],
])('%s in Latin letters are English or of no language', (_what, text) => {
  expect([null, 'en']).toContain(guessLanguage(text));
});

test('English of 250 characters is hardly ever taken for another language', () => {
  const guides = ['jobs', 'crawl', 'format-pdf', 'limits', 'payments', 'webhooks', 'audio', 'models', 'search'];
  const text = guides
    .map((name) => readFileSync(new URL(`../../resources/reference/${name}.md`, import.meta.url), 'utf8'))
    .join(' ')
    // Examples are code, in which no language is right.
    .replace(/^```[\s\S]*?^```/gm, ' ')
    .replace(/\s+/g, ' ');
  const pieces = Array.from({ length: 300 }, (_, index) => {
    const start = Math.floor((index * (text.length - 250)) / 300);
    return text.slice(start, start + 250);
  });
  const wrong = pieces.filter((piece) => !['en', null].includes(guessLanguage(piece)));
  expect(wrong.length).toBeLessThanOrEqual(3);
  expect(pieces.filter((piece) => guessLanguage(piece) === 'en').length).toBeGreaterThan(270);
});

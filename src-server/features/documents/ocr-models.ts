import { QuarryError } from '../../platform/errors.ts';
import { byName } from '../../platform/records.ts';
import { type Models, notInstalled } from '../models/service.ts';
import type { OcrModels } from './schema.ts';

/** Tesseract's names that differ from the ISO 639-3 code of their ISO 639-1 code. */
const BY_TAG: Readonly<Record<string, string>> = byName({
  zh: 'chi_sim',
  zho: 'chi_sim',
  cmn: 'chi_sim',
  'zh-hans': 'chi_sim',
  'zh-cn': 'chi_sim',
  'zh-sg': 'chi_sim',
  'zh-hant': 'chi_tra',
  'zh-tw': 'chi_tra',
  'zh-hk': 'chi_tra',
  'zh-mo': 'chi_tra',
  nb: 'nor',
  nn: 'nor',
  nob: 'nor',
  nno: 'nor',
  'sr-latn': 'srp_latn',
  'az-cyrl': 'aze_cyrl',
  'uz-cyrl': 'uzb_cyrl',
});

/** ISO 639-1 codes and the ISO 639-3 codes under which Tesseract publishes its data. */
const BY_TWO_LETTERS: Readonly<Record<string, string>> = byName(
  Object.fromEntries(
    `af afr, am amh, ar ara, as asm, az aze, be bel, bg bul, bn ben, bo bod, br bre, bs bos, ca cat, co cos, cs ces,
cy cym, da dan, de deu, dv div, dz dzo, el ell, en eng, eo epo, es spa, et est, eu eus, fa fas, fi fin, fo fao,
fr fra, fy fry, ga gle, gd gla, gl glg, gu guj, he heb, hi hin, hr hrv, ht hat, hu hun, hy hye, id ind, is isl,
it ita, iu iku, ja jpn, jv jav, ka kat, kk kaz, km khm, kn kan, ko kor, ku kmr, ky kir, la lat, lb ltz, lo lao,
lt lit, lv lav, mi mri, mk mkd, ml mal, mn mon, mr mar, ms msa, mt mlt, my mya, ne nep, nl nld, no nor, oc oci,
or ori, pa pan, pl pol, ps pus, pt por, qu que, ro ron, ru rus, sa san, sd snd, si sin, sk slk, sl slv, sq sqi,
sr srp, su sun, sv swe, sw swa, ta tam, te tel, tg tgk, th tha, ti tir, tl fil, to ton, tr tur, tt tat, ug uig,
uk ukr, ur urd, uz uzb, vi vie, yi yid, yo yor`
      .split(/,\s*/)
      .map((pair) => pair.trim().split(' ') as [string, string]),
  ),
);

const ENGLISH = 'eng';

const PREFIX = 'ocr-';

/** Tesseract's name of a language. `de`, `deu` and `de-AT` give `deu`; `zh-Hant` gives `chi_tra`. */
export function tesseractLanguage(code: string): string {
  const tag = code.toLowerCase();
  const [primary = tag, second] = tag.split('-');
  const withScript = second === undefined ? undefined : BY_TAG[`${primary}-${second}`];
  return withScript ?? BY_TAG[primary] ?? BY_TWO_LETTERS[primary] ?? primary;
}

/**
 * Locates the trained data of a language. `englishPath` is the bundled English data; an `eng.traineddata` in the models
 * folder takes precedence. Errors: `model_not_installed`, with the language and install instructions.
 */
export function createOcrModels(models: Pick<Models, 'installed'>, englishPath: string): OcrModels {
  return {
    async modelFor(language) {
      const name = tesseractLanguage(language);
      const found = (await models.installed('ocr-language')).find(
        (model) => model.name === `${PREFIX}${name}` || model.name === name,
      );
      if (found !== undefined) return { name, path: found.path };
      if (name === ENGLISH) return { name, path: englishPath };
      if (!/^[a-z_]{2,12}$/.test(name)) {
        throw new QuarryError('invalid_request', 'Give the language as an ISO code such as en, deu or pt-BR.');
      }
      throw notInstalled(`${PREFIX}${name}`, 'ocr-language', language);
    },
  };
}

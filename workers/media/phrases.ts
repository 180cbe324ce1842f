/** Where text may be divided for reading: after punctuation, before conjunctions and prepositions. */

import { byName } from '../../src-server/platform/records.ts';

export interface BreakRules {
  /** From 0, the end of a sentence, to 4, inside a phrase. */
  costBetween(word: string, next: string): number;
}

interface FunctionWords {
  /** Words that begin a clause. */
  conjunctions: string;
  prepositions: string;
  /** Articles and other words that belong to the next one. */
  binding: string;
}

const WORDS: Readonly<Record<string, FunctionWords>> = byName({
  en: {
    conjunctions: 'and but or nor so because although though while when if that which who where since unless until as',
    prepositions: 'about after at before between by for from in into of on over through to under with without against',
    binding: 'a an the this these those my your his her its our their no every each very mr. mrs. ms. dr. prof. st.',
  },
  de: {
    conjunctions: 'und aber oder denn sondern weil obwohl während wenn als dass ob damit bevor nachdem wo wie',
    prepositions:
      'an auf aus bei durch für gegen in mit nach ohne seit über um unter von vor zu zum zur im am vom beim',
    binding:
      'der die das den dem des ein eine einen einem einer eines kein keine keinen mein meine dein seine ihre unser ' +
      'dieser diese dieses sehr hr. fr. dr. prof. st.',
  },
  fr: {
    conjunctions: 'et mais ou donc or ni car que qui où quand lorsque puisque parce si comme',
    prepositions: 'à au aux avec chez contre dans de depuis des du en entre par pour sans sous sur vers',
    binding:
      'le la les un une des ce cet cette ces mon ma mes ton ta tes son sa ses notre nos votre leur leurs très m. mme',
  },
  es: {
    conjunctions: 'y e o u pero sino porque aunque cuando si que quien donde como mientras',
    prepositions: 'a al ante con contra de del desde en entre hacia hasta para por sin sobre',
    binding: 'el la los las un una unos unas este esta estos estas mi mis tu tus su sus muy sr. sra. dr.',
  },
  it: {
    conjunctions: 'e ed ma o oppure perché quando se che chi dove come mentre',
    prepositions: 'a al alla con contro da dal dalla di del della in nel nella per senza su sul sulla tra fra',
    binding: 'il lo la i gli le un uno una questo questa mio mia tuo tua suo sua molto sig. dott.',
  },
  pt: {
    conjunctions: 'e mas ou porque embora quando se que quem onde como enquanto',
    prepositions: 'a ao à com contra de do da desde em no na entre para por pelo pela sem sobre',
    binding: 'o a os as um uma uns umas este esta meu minha teu seu sua muito sr. sra. dr.',
  },
  nl: {
    conjunctions: 'en maar of want omdat hoewel terwijl als dat die wie waar toen',
    prepositions: 'aan bij door in met na naar om onder op over tegen tot uit van voor zonder',
    binding: 'de het een deze dit mijn jouw zijn haar onze hun geen zeer dhr. mevr. dr.',
  },
});

const COSTS = { sentence: 0, clause: 0.3, beforeConjunction: 0.7, beforePreposition: 1, plain: 1.8, bound: 4 };

const CLOSING = '["\'”’»)\\]]*$';

const SENTENCE_END = new RegExp(`[.!?…。！？]${CLOSING}`, 'u');

const CLAUSE_END = new RegExp(`[,;:،、，；：–—-]${CLOSING}`, 'u');

/** An initial, as in J. S. Bach. */
const INITIAL = /^\p{Lu}\.$/u;

/** A number belongs to its unit. */
const NUMBER = /^[$€£]?\d[\d.,]*$/u;

/** @param language ISO 639-1, with or without a region; null for an unknown one, to which the words of all apply */
export function breakRulesOf(language: string | null): BreakRules {
  const code = language?.toLowerCase().split('-')[0] ?? null;
  const lists = code === null ? Object.values(WORDS) : [WORDS[code]].filter((list) => list !== undefined);
  const setOf = (kind: keyof FunctionWords) => new Set(lists.flatMap((list) => list[kind].split(' ')));
  const [conjunctions, prepositions, binding] = [setOf('conjunctions'), setOf('prepositions'), setOf('binding')];
  return {
    costBetween(word, next) {
      const [own, following] = [stripWordPunctuation(word), stripWordPunctuation(next)];
      if (binding.has(own) || INITIAL.test(word) || (NUMBER.test(word) && !conjunctions.has(following))) {
        return COSTS.bound;
      }
      if (SENTENCE_END.test(word)) return COSTS.sentence;
      if (CLAUSE_END.test(word)) return COSTS.clause;
      if (prepositions.has(own) || conjunctions.has(own)) return COSTS.bound;
      if (conjunctions.has(following)) return COSTS.beforeConjunction;
      if (prepositions.has(following)) return COSTS.beforePreposition;
      return COSTS.plain;
    },
  };
}

/** Without quotes and punctuation, except the point of an abbreviation. */
function stripWordPunctuation(word: string): string {
  return word.toLowerCase().replace(/^["'“‘«(¿¡[]+|["'”’»)\]]+$/gu, '');
}

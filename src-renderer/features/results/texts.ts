import { wordsBy } from '../../components/literals.ts';
import { extend } from '../../language/messages.ts';
import { messages } from '../../language/work-messages.ts';

const { crawl, groups, facts } = messages.results;

export const results = extend(messages.results, {
  groups: wordsBy(groups),
  facts: wordsBy(facts),
  crawl: {
    reasons: wordsBy(crawl.reasons),
    kinds: wordsBy(crawl.kinds),
    personal: wordsBy(crawl.personal),
    topics: wordsBy(crawl.topics),
    places: wordsBy(crawl.places),
    confidence: wordsBy(crawl.confidence),
    ends: wordsBy(crawl.ends),
  },
});

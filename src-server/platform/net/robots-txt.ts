/**
 * The Robots Exclusion Protocol (RFC 9309). Threat: files of any size with any pattern. Lines and patterns are bounded,
 * and patterns are matched part by part, never with a regular expression that could backtrack.
 */
const MAX_LINE_CHARS = 16_664;

const MAX_RULES = 20_000;

const MAX_DELAY_SECONDS = 30;

export interface RobotsRule {
  allow: boolean;
  /** With normalised percent-encoding; `*` and a final `$` unchanged. */
  pattern: string;
  /** Starts at 1. */
  line: number;
}

interface RobotsGroup {
  /** Product tokens in lower case; `*` for all crawlers. */
  agents: string[];
  rules: RobotsRule[];
  crawlDelaySeconds: number | null;
}

export interface RobotsFile {
  groups: RobotsGroup[];
  sitemaps: string[];
}

interface RobotsVerdict {
  allowed: boolean;
  /** The rule that decides; null when none applies. */
  rule: RobotsRule | null;
}

export function parseRobots(text: string): RobotsFile {
  const file: RobotsFile = { groups: [], sitemaps: [] };
  let open: RobotsGroup | null = null;
  let namesAgents = false;
  let rules = 0;
  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const [key, value] = fieldOf(raw);
    if (key === 'user-agent') {
      if (open === null || !namesAgents) {
        open = { agents: [], rules: [], crawlDelaySeconds: null };
        file.groups.push(open);
      }
      namesAgents = true;
      open.agents.push(tokenOf(value));
    } else if (key === 'allow' || key === 'disallow') {
      namesAgents = false;
      if (open === null || value === '' || rules >= MAX_RULES) continue;
      rules += 1;
      open.rules.push({ allow: key === 'allow', pattern: equalEncoding(value), line: index + 1 });
    } else if (key === 'crawl-delay' && open !== null) {
      namesAgents = false;
      const seconds = Number.parseFloat(value);
      if (seconds >= 0) open.crawlDelaySeconds = Math.min(seconds, MAX_DELAY_SECONDS);
    } else if (key === 'sitemap') {
      file.sitemaps.push(value);
    }
  }
  return file;
}

/** The rules for a product: all groups with its name, else those for `*`. */
export function rulesFor(file: RobotsFile, product: string): Omit<RobotsGroup, 'agents'> {
  const named = file.groups.filter(({ agents }) => agents.includes(product.toLowerCase()));
  const groups = named.length > 0 ? named : file.groups.filter(({ agents }) => agents.includes('*'));
  const delays = groups.flatMap(({ crawlDelaySeconds }) => (crawlDelaySeconds === null ? [] : [crawlDelaySeconds]));
  return {
    rules: groups.flatMap(({ rules }) => rules),
    crawlDelaySeconds: delays.length === 0 ? null : Math.max(...delays),
  };
}

/** The longest matching pattern decides, for equal lengths an allow rule. robots.txt itself is always allowed. */
export function judgeByRobots(rules: readonly RobotsRule[], url: string): RobotsVerdict {
  if (rules.length === 0) return { allowed: true, rule: null };
  const { pathname, search } = new URL(url);
  if (pathname === '/robots.txt') return { allowed: true, rule: null };
  const path = equalEncoding(pathname + search);
  let best: RobotsRule | null = null;
  for (const rule of rules) {
    const longer = best === null || rule.pattern.length > best.pattern.length;
    const wins = longer || (best !== null && rule.pattern.length === best.pattern.length && rule.allow && !best.allow);
    if (wins && matches(rule.pattern, path)) best = rule;
  }
  return { allowed: best?.allow ?? true, rule: best };
}

/** Misspellings that Google's parser accepts. */
const SPELLINGS = new Map([
  ...['useragent', 'user agent'].map((key) => [key, 'user-agent'] as const),
  ...['dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw'].map((key) => [key, 'disallow'] as const),
  ['site-map', 'sitemap'],
]);

function fieldOf(raw: string): [key: string, value: string] {
  const line = raw.slice(0, MAX_LINE_CHARS).split('#', 1)[0] ?? '';
  const colon = line.indexOf(':');
  // Crawlers have always accepted a missing colon.
  const at = colon === -1 ? line.trim().search(/\s/) : colon;
  if (at === -1) return ['', ''];
  const from = colon === -1 ? line.trim() : line;
  const key = from.slice(0, at).trim().toLowerCase();
  return [SPELLINGS.get(key) ?? key, from.slice(at + 1).trim()];
}

/** A product token consists of letters, `_` and `-`: `Foo/1.2 bar` means foo. */
function tokenOf(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*';
  return (/^[A-Za-z_-]+/.exec(value)?.[0] ?? '').toLowerCase();
}

/** Decodes octets that need no encoding and encodes all others, so that two spellings of one path are equal. */
function equalEncoding(path: string): string {
  return (
    path
      // Includes characters that URLs encode and robots.txt files often do not.
      .replace(/[^\x21-\x7e]+|["<>^`{}]/g, (text) => encodeURIComponent(text.toWellFormed()))
      .replace(/%([0-9a-fA-F]{2})/g, (octet, hex: string) => {
        const character = String.fromCharCode(Number.parseInt(hex, 16));
        return /[A-Za-z0-9._~-]/.test(character) ? character : octet.toUpperCase();
      })
  );
}

/** Greedy matching of literals between wildcards. Linear in the path for each literal. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const first = parts.shift() ?? '';
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return !anchored || path.length === first.length;
  const last = anchored ? (parts.pop() ?? '') : '';
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return !anchored || (path.length - last.length >= at && path.endsWith(last));
}

/** How much of a file is examined: generators put comments before the first tag. */
const LOOKED_AT_CHARS = 16_384;

/** Byte-order marks, declarations, comments. */
const BEFORE_FIRST_TAG = /^(?:\ufeff|\s|<\?[^>]*>|<!--[\s\S]*?-->)*/;

const LIST_TAG = /^<(?:\w+:)?(?:urlset|sitemapindex|rss|feed)[\s>]/i;

/** Whether a text is a sitemap, by its first tag. */
export function opensSitemap(text: string): boolean {
  return LIST_TAG.test(text.slice(0, LOOKED_AT_CHARS).replace(BEFORE_FIRST_TAG, ''));
}

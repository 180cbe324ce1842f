/**
 * The Robots Exclusion Protocol (RFC 9309). Threat: files of any size with any pattern. Lines and patterns are bounded,
 * and patterns are matched part by part, never with a regular expression that could backtrack.
 */
/** What the reference parser keeps of a line: its buffer of 16,664 bytes ends with a zero. */
const MAX_LINE_BYTES = 16_663;

const MAX_BYTES_PER_CHAR = 3;

const MAX_RULES = 20_000;

const MAX_DELAY_SECONDS = 30;

export interface RobotsRule {
  allow: boolean;
  /** With normalised percent-encoding; `*` and a final `$` are special. */
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
      open.rules.push(...robotsRulesOf(key === 'allow', value, index + 1));
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

/** `/dir/index.html` is usually the page of `/dir/`: to allow one allows the other, as in the reference parser. */
function robotsRulesOf(allow: boolean, value: string, line: number): RobotsRule[] {
  const folder = allow ? /^(.*\/)index\.htm[^/]*$/.exec(value)?.[1] : undefined;
  const patterns = folder === undefined ? [value] : [value, `${folder}$`];
  return patterns.map((text) => ({ allow, pattern: robotsPathPattern(text), line }));
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
  // As in the reference parser, an empty address is that of the front page.
  const { pathname, search } = URL.parse(url) ?? { pathname: '/', search: '' };
  if (pathname === '/robots.txt') return { allowed: true, rule: null };
  const path = equalEncoding(pathname + search).replace(/[*$]/g, encodedSign);
  let best: RobotsRule | null = null;
  for (const rule of rules) {
    const longer = best === null || rule.pattern.length > best.pattern.length;
    const wins = longer || (best !== null && rule.pattern.length === best.pattern.length && rule.allow && !best.allow);
    if (wins && matchesRobotsPattern(rule.pattern, path)) best = rule;
  }
  return { allowed: best?.allow ?? true, rule: best };
}

/** Misspellings that Google's parser accepts. */
const SPELLINGS = new Map([
  ...['useragent', 'user agent'].map((key) => [key, 'user-agent'] as const),
  ...['dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw'].map((key) => [key, 'disallow'] as const),
  ['site-map', 'sitemap'],
]);

const KEYS: ReadonlySet<string> = new Set(['user-agent', 'allow', 'disallow', 'crawl-delay', 'sitemap']);

function fieldOf(raw: string): [key: string, value: string] {
  const line = (boundedLineStart(raw).split('#', 1)[0] ?? '').trim();
  const colon = line.indexOf(':');
  const written = robotsFieldKey(colon === -1 ? '' : line.slice(0, colon));
  if (KEYS.has(written)) return [written, line.slice(colon + 1).trim()];
  // Crawlers have always accepted a missing colon between a key and one word. More words are prose.
  const [, key = '', value = ''] = /^(\S+)\s+(\S+)$/.exec(line) ?? [];
  return [robotsFieldKey(key), value];
}

function robotsFieldKey(text: string): string {
  const key = text.trim().toLowerCase();
  return SPELLINGS.get(key) ?? key;
}

function boundedLineStart(line: string): string {
  if (line.length * MAX_BYTES_PER_CHAR <= MAX_LINE_BYTES) return line;
  const bytes = Buffer.from(line);
  return bytes.length <= MAX_LINE_BYTES ? line : bytes.toString('utf8', 0, MAX_LINE_BYTES).replace(/\ufffd$/, '');
}

/** A product token consists of letters, `_` and `-`: `Foo/1.2 bar` means foo. */
function tokenOf(value: string): string {
  if (value === '*' || /^\*\s/.test(value)) return '*';
  return (/^[A-Za-z_-]+/.exec(value)?.[0] ?? '').toLowerCase();
}

/** A rule in the encoding of paths. A `$` is special only at its end. */
function robotsPathPattern(value: string): string {
  return equalEncoding(value).replace(/\$(?!$)/g, encodedSign);
}

/** RFC 9309, 2.2.3: where `*` and `$` are no special characters, they are compared as octets. */
function encodedSign(sign: string): string {
  return sign === '*' ? '%2A' : '%24';
}

/** Unreserved characters, and those that have the same meaning encoded: `/wiki/Special%3ASearch`. */
const DECODED = /[A-Za-z0-9._~:@!(),;-]/;

/** The same in a query: `?from=http%3A%2F%2Fa`. */
const DECODED_IN_QUERY = /[A-Za-z0-9._~:@!(),;/?-]/;

/**
 * Brings two spellings of one path to the same text (RFC 9309, 2.2.2). Addresses and robots.txt files encode other
 * characters: `URL` encodes `'` in a query, but not in a path.
 */
function equalEncoding(path: string): string {
  const query = path.indexOf('?');
  const normalizePathEncoding = (text: string, decoded: RegExp) =>
    text.replace(/[^\x21-\x7e]+|["'<>[\]\\^`{|}]/g, encodedText).replace(/%([0-9a-fA-F]{2})/g, (octet, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return decoded.test(character) ? character : octet.toUpperCase();
    });
  if (query === -1) return normalizePathEncoding(path, DECODED);
  return (
    normalizePathEncoding(path.slice(0, query), DECODED) + normalizePathEncoding(path.slice(query), DECODED_IN_QUERY)
  );
}

function encodedText(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
}

/** Greedy matching of literals between wildcards. Linear in the path for each literal. */
function matchesRobotsPattern(pattern: string, path: string): boolean {
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

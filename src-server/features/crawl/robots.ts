import { QuarryError } from '../../platform/errors.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import { judgeByRobots, type RobotsFile, type RobotsRule, rulesFor } from '../../platform/net/robots-txt.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { saidElsewhere, saidTogether, say } from '../../platform/text/say.ts';
import { KIB, SECOND_MS } from '../../platform/units.ts';

/** Product token of this crawler in robots.txt. */
const PRODUCT = 'quarry';
/** The size that RFC 9309 requires to be read. The rest is ignored. */
const MAX_BYTES = 500 * KIB;
const MAX_REDIRECTS = 5;
const FETCH_LIMIT_MS = 20 * SECOND_MS;
const PARSE_LIMIT_MS = 10 * SECOND_MS;
const MAX_PATTERN_CHARS = 200;
/** User agents of AI crawlers. */
const AI_AGENTS = [
  ...['GPTBot', 'OAI-SearchBot', 'ChatGPT-User', 'ClaudeBot', 'Claude-User', 'anthropic-ai', 'CCBot'],
  ...['Google-Extended', 'Applebot-Extended', 'Meta-ExternalAgent', 'PerplexityBot', 'Bytespider', 'Amazonbot'],
];

/** The rules of one host's robots.txt. */
export interface HostRules {
  delayMs: number;
  /** Addresses of sitemaps, as the file has them. */
  sitemaps: readonly string[];
  /** Null when the URL may be fetched, else the skip reason, with the rule and its line when robots.txt decides. */
  refusal(url: string): { verdict: 'robots' | 'forbidden' | 'unreachable' | 'status'; reason: string } | null;
  aiAgents(url: string): { agent: string; allowed: boolean; line: number | null }[];
}

export interface RobotsDeps {
  client: GuardedClient;
  runTask: RunTask;
  accountId: string;
  policy: FetchPolicy;
}

/**
 * Fetches a host's robots.txt (RFC 9309). 4xx means no rules; 5xx, 429 and no response mean that nothing may be
 * fetched. Errors: `cancelled`, `interrupted`.
 */
export async function loadHostRules(url: string, deps: RobotsDeps, signal: AbortSignal): Promise<HostRules> {
  const address = new URL('/robots.txt', url).href;
  try {
    const { status, body } = await deps.client.request(address, {
      policy: deps.policy,
      totalTimeoutMs: FETCH_LIMIT_MS,
      maxResponseBytes: MAX_BYTES,
      followRedirects: MAX_REDIRECTS,
      headers: { accept: 'text/plain,*/*;q=0.1' },
      signal,
    });
    if (status >= 500 || status === 429)
      return closedHostRules('unreachable', say`It answered with status ${status}; try later.`);
    if (status < 200 || status > 299) return hostRulesOf({ groups: [], sitemaps: [] });
    const options = { accountId: deps.accountId, timeLimitMs: PARSE_LIMIT_MS, signal };
    const read = await deps.runTask('read-site-file', { kind: 'robots', url: address, body, maxUrls: 0 }, options);
    return read.kind === 'robots' ? hostRulesOf(read.robots) : closedHostRules('unreachable', say`Its parser failed.`);
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code === 'cancelled' || error.code === 'interrupted') throw error;
    return closedHostRules(error.code === 'source_forbidden' ? 'forbidden' : 'unreachable', error.message);
  }
}

function hostRulesOf(file: RobotsFile): HostRules {
  const { rules, crawlDelaySeconds } = rulesFor(file, PRODUCT);
  return {
    delayMs: (crawlDelaySeconds ?? 0) * SECOND_MS,
    sitemaps: file.sitemaps,
    refusal(url) {
      const { allowed, rule } = judgeByRobots(rules, url);
      if (allowed || rule === null) return null;
      return { verdict: 'robots', reason: say`robots.txt, line ${rule.line}: ${robotsRuleWords(rule)}` };
    },
    aiAgents: (url) =>
      AI_AGENTS.map((agent) => {
        const { allowed, rule } = judgeByRobots(rulesFor(file, agent).rules, url);
        return { agent, allowed, line: rule?.line ?? null };
      }),
  };
}

const UNREAD = say`Quarry could not read robots.txt, which says what may be crawled, so it crawled nothing of
  this host.`;

/** RFC 9309, 2.3.1.4: with unknown rules, everything is disallowed until they can be read. */
function closedHostRules(verdict: 'forbidden' | 'unreachable', reason: string): HostRules {
  return {
    delayMs: 0,
    sitemaps: [],
    refusal: () => ({
      verdict,
      reason: saidTogether([UNREAD, saidElsewhere(reason)]),
    }),
    aiAgents: () => AI_AGENTS.map((agent) => ({ agent, allowed: false, line: null })),
  };
}

function robotsRuleWords({ allow, pattern }: RobotsRule): string {
  return `${allow ? 'Allow' : 'Disallow'}: ${pattern.slice(0, MAX_PATTERN_CHARS)}`;
}

/**
 * Path patterns of a request, with `*` and `**`. Threat: a pattern and a path that together match slowly. Both are
 * matched segment by segment without backtracking, and their segments are bounded.
 */

import { normalUrl } from '../../platform/net/normal-url.ts';

export const MAX_PATTERN_SEGMENTS = 16;

/** Longer paths match no `include` and every `exclude`. */
const MAX_PATH_SEGMENTS = 64;

const ANY_SEGMENTS = '**';

export interface PathPattern {
  /** As the request has it, for reasons. */
  text: string;
  segments: string[];
}

/** `*` is any text within a segment; a segment `**` is any number of segments. A final slash has no meaning. */
export function pathPattern(text: string): PathPattern {
  // The same normal form as the paths it is compared with.
  const { pathname } = new URL(normalUrl(`http://pattern.example${text}`) ?? '', 'http://pattern.example');
  const segments = segmentsOf(pathname).filter(
    (segment, at, all) => segment !== ANY_SEGMENTS || all[at - 1] !== segment,
  );
  return { text, segments };
}

export function matchesPath({ segments }: PathPattern, path: readonly string[]): boolean {
  const runs = segmentRunsOf(segments);
  const [first = []] = runs;
  if (path.length < first.length || !matchesAt(first, path, 0)) return false;
  if (runs.length === 1) return path.length === first.length;
  const last = runs.at(-1) ?? [];
  const end = path.length - last.length;
  let at = first.length;
  for (const run of runs.slice(1, -1)) {
    while (at + run.length <= end && !matchesAt(run, path, at)) at += 1;
    at += run.length;
  }
  return at <= end && matchesAt(last, path, end);
}

/** Null for a path of too many segments. */
export function pathSegments(pathname: string): string[] | null {
  const segments = segmentsOf(pathname);
  return segments.length > MAX_PATH_SEGMENTS ? null : segments;
}

function segmentsOf(pathname: string): string[] {
  return pathname.split('/').filter((segment) => segment !== '');
}

/** The segments between the `**`. */
function segmentRunsOf(segments: readonly string[]): string[][] {
  const runs: string[][] = [[]];
  for (const segment of segments) {
    if (segment === ANY_SEGMENTS) runs.push([]);
    else runs.at(-1)?.push(segment);
  }
  return runs;
}

function matchesAt(run: readonly string[], path: readonly string[], at: number): boolean {
  return run.every((segment, index) => matchesSegment(segment, path[at + index] ?? ''));
}

/** Each literal part is taken where it first occurs: linear in the segment. */
function matchesSegment(pattern: string, segment: string): boolean {
  if (!pattern.includes('*')) return pattern === segment;
  const parts = pattern.split('*');
  const first = parts.shift() ?? '';
  const last = parts.pop() ?? '';
  const end = segment.length - last.length;
  let at = first.length;
  if (at > end || !segment.startsWith(first) || !segment.endsWith(last)) return false;
  for (const part of parts) {
    const found = segment.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

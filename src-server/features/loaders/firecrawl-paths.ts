import { invalidRequest } from '../../platform/http/validate.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { tell } from '../../platform/text/say.ts';

interface PathChoice {
  url: string;
  includePaths?: readonly string[] | undefined;
  excludePaths?: readonly string[] | undefined;
  /** Also pages that are not below the path of `url`. */
  isWhole: boolean;
  /** Name of the field for `isWhole`. */
  wholeName: string;
  /** Most segments of a path below that of `url`. */
  maxDepth?: number | undefined;
}

/** A regular expression that only names a folder: `^/docs/.*`, `docs/.*$`. */
const FOLDER = /^(\^?)\/?((?:[\w~-]|\\?\.)+(?:\/(?:[\w~-]|\\?\.)+)*)\/\.[*+]\$?$/;

const ADVICE = tell`Name a folder, such as ^/docs/.* or docs/.*. Other expressions are not supported.`;

/** The most that the pattern of a crawl has. */
const SEGMENTS_MAX = 14;

/** Firecrawl's choice of paths as the patterns of a crawl. Errors: `invalid_request` naming the field. */
export function crawlPaths(choice: PathChoice): { include?: string[]; exclude?: string[] } {
  const include = (choice.includePaths ?? []).map((text, index) => globPatternOf(text, `includePaths.${index}`));
  const exclude = (choice.excludePaths ?? []).map((text, index) => globPatternOf(text, `excludePaths.${index}`));
  const below = new URL(choice.url).pathname.replace(/\/+$/, '');
  if (!choice.isWhole && below !== '') {
    if (include.length > 0) {
      const message = tell`Only pages below ${below} are crawled unless ${choice.wholeName} is true.
        Give one of the two.`;
      throw invalidRequest([{ path: 'includePaths', message }]);
    }
    include.push(`${below}/**`);
  }
  if (choice.maxDepth !== undefined) exclude.push(deeperThan(choice.maxDepth, below));
  return {
    ...omitUndefined({
      include: include.length === 0 ? undefined : include,
      exclude: exclude.length === 0 ? undefined : exclude,
    }),
  };
}

function deeperThan(maxDepth: number, below: string): string {
  const segments = below.split('/').filter((segment) => segment !== '').length + maxDepth + 1;
  if (segments <= SEGMENTS_MAX) return `${'/*'.repeat(segments)}/**`;
  const message = tell`Give at most ${Math.max(0, maxDepth - (segments - SEGMENTS_MAX))}, or leave it out.`;
  throw invalidRequest([{ path: 'maxDepth', message }]);
}

function globPatternOf(text: string, path: string): string {
  const [, start, folder] = FOLDER.exec(text) ?? [];
  if (folder === undefined) throw invalidRequest([{ path, message: ADVICE }]);
  return `${start === '^' ? '' : '/**'}/${folder.replaceAll('\\', '')}/**`;
}

import { invalidRequest } from '../../platform/http/validate.ts';

interface PathChoice {
  url: string;
  includePaths?: readonly string[] | undefined;
  excludePaths?: readonly string[] | undefined;
  allowBackwardLinks: boolean;
}

/** A regular expression that only names a folder: `^/docs/.*`, `docs/.*$`. */
const FOLDER = /^(\^?)\/?((?:[\w~-]|\\?\.)+(?:\/(?:[\w~-]|\\?\.)+)*)\/\.[*+]\$?$/;

const ADVICE = 'Name a folder, such as ^/docs/.* or docs/.*. Other expressions are not supported.';

/** Firecrawl's expressions for paths as the patterns of a crawl. Errors: `invalid_request` naming the field. */
export function crawlPaths(choice: PathChoice): { include?: string[]; exclude?: string[] } {
  const include = (choice.includePaths ?? []).map((text, index) => patternOf(text, `includePaths.${index}`));
  const exclude = (choice.excludePaths ?? []).map((text, index) => patternOf(text, `excludePaths.${index}`));
  const below = new URL(choice.url).pathname.replace(/\/+$/, '');
  if (!choice.allowBackwardLinks && below !== '') {
    if (include.length > 0) {
      const message = `Only pages below ${below} are crawled unless allowBackwardLinks is true. Give one of the two.`;
      throw invalidRequest([{ path: 'includePaths', message }]);
    }
    include.push(`${below}/**`);
  }
  return { ...(include.length === 0 ? {} : { include }), ...(exclude.length === 0 ? {} : { exclude }) };
}

function patternOf(text: string, path: string): string {
  const [, start, folder] = FOLDER.exec(text) ?? [];
  if (folder === undefined) throw invalidRequest([{ path, message: ADVICE }]);
  return `${start === '^' ? '' : '/**'}/${folder.replaceAll('\\', '')}/**`;
}

/**
 * `npm run package`: builds, then packs the desktop app into out/release, for this platform or for those named
 * (`--linux`, `--mac`, `--win`). `--dir` stops before the installers. The options are under `build` in package.json.
 * Electron is taken from node_modules if `npm start` has fetched it for this platform; else electron-builder fetches
 * it. QUARRY_UPDATE_FEED, an https address, is written into the package as its update feed, and the feed's list is
 * written beside the installers; nothing is uploaded.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type CliOptions } from 'electron-builder';
import { usableFeed } from '../src-main/updates.ts';
import { ensureBuilt } from './build.ts';

const PLATFORMS = { linux: 'linux', mac: 'darwin', win: 'win32' } as const;
type PlatformName = keyof typeof PLATFORMS;

const root = dirname(import.meta.dirname);

/** @param given flags of the command line. Rejects with electron-builder's error, and if the feed is not https. */
export async function packageApp(
  given: readonly string[],
  feed: string | undefined,
  electronDist = fetchedElectron(),
  output = join(root, 'out/release'),
): Promise<string[]> {
  const names = Object.keys(PLATFORMS) as PlatformName[];
  const named = names.filter((name) => given.includes(`--${name}`));
  const platforms = named.length > 0 ? named : names.filter((name) => PLATFORMS[name] === process.platform);
  const onlyThis = platforms.every((name) => PLATFORMS[name] === process.platform);
  if (feed !== undefined && usableFeed(feed) === null) {
    throw new Error('QUARRY_UPDATE_FEED must be an https address.');
  }
  await ensureBuilt();
  const options: CliOptions = {
    projectDir: root,
    publish: 'never',
    dir: given.includes('--dir'),
    config: {
      directories: { output },
      ...(electronDist !== null && onlyThis ? { electronDist } : {}),
      ...(feed === undefined ? {} : { publish: { provider: 'generic', url: feed } }),
    },
  };
  // An empty list means the targets in package.json.
  return build({ ...options, ...Object.fromEntries(platforms.map((name) => [name, []])) });
}

function fetchedElectron(): string | null {
  const folder = join(root, 'node_modules/electron/dist');
  return existsSync(folder) ? folder : null;
}

if (import.meta.main) {
  const files = await packageApp(process.argv.slice(2), process.env.QUARRY_UPDATE_FEED);
  for (const file of files) process.stdout.write(`${file}\n`);
}

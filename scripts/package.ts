/**
 * `npm run package`: builds, then packs the desktop app into out/release, for this platform and processor or for those
 * named (`--linux`, `--mac`, `--win`, `--x64`, `--arm64`). `--dir` stops before the installers, `--output=<folder>` packs
 * elsewhere. The options are in electron-builder.config.ts. Electron is taken from node_modules if `npm start` has fetched it for this platform; else
 * electron-builder fetches it. QUARRY_UPDATE_FEED, an https address, is written into the package as its update feed,
 * and the feed's list, with the release notes of CHANGELOG.md, is written beside the installers; nothing is uploaded.
 *
 * Packages are for trying unless `--release` is given, which refuses to pack without the credentials that sign.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Configuration, createTargets, build as packWithBuilder, Platform as Target } from 'electron-builder';
import packaging from '../electron-builder.config.ts';
import manifest from '../package.json' with { type: 'json' };
import { usableFeed } from '../src-main/update-feed.ts';
import { ensureBuilt } from './build.ts';
import {
  type Architecture,
  azureSigning,
  missingCredentials,
  missingNativeParts,
  type Platform,
  releaseNotes,
} from './packaging/release.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PLATFORMS: Readonly<Record<string, Platform>> = { '--linux': 'linux', '--mac': 'darwin', '--win': 'win32' };
const ARCHITECTURES: Readonly<Record<string, Architecture>> = { '--x64': 'x64', '--arm64': 'arm64' };
const TARGETS = { linux: Target.LINUX, darwin: Target.MAC, win32: Target.WINDOWS } as const;
const OUTPUT_FLAG = '--output=';
const OTHER_FLAGS = ['--dir', '--release'];

const root = dirname(import.meta.dirname);

/** What to pack, as the command line says it. */
interface Order {
  platforms: Platform[];
  architecture: Architecture;
  toFolder: boolean;
  isRelease: boolean;
  /** Folder of the packages. */
  output: string;
}

/** Throws for an unknown flag and for two processors: npm installs the native parts of one. */
export function readOrder(flags: readonly string[]): Order {
  const known = [...Object.keys(PLATFORMS), ...Object.keys(ARCHITECTURES), ...OTHER_FLAGS];
  const output = flags.findLast((flag) => flag.startsWith(OUTPUT_FLAG))?.slice(OUTPUT_FLAG.length);
  const unknown = flags.find((flag) => !known.includes(flag) && !flag.startsWith(OUTPUT_FLAG));
  if (unknown !== undefined)
    throw new Error(`Unknown flag ${unknown}. Known are ${[...known, OUTPUT_FLAG].join(', ')}.`);
  const platforms = flags.flatMap((flag) => PLATFORMS[flag] ?? []);
  const architectures = flags.flatMap((flag) => ARCHITECTURES[flag] ?? []);
  if (architectures.length > 1) throw new Error('Name one of --x64 and --arm64.');
  return {
    platforms: platforms.length > 0 ? platforms : [process.platform as Platform],
    architecture: architectures[0] ?? (process.arch as Architecture),
    toFolder: flags.includes('--dir'),
    isRelease: flags.includes('--release'),
    output: output ? resolve(output) : join(root, 'out/release'),
  };
}

/** Throws if the order cannot give an app that works, or a release that systems trust. */
function checkOrder({ platforms, architecture, isRelease }: Order, environment: Environment): void {
  const feed = environment.QUARRY_UPDATE_FEED;
  if (feed !== undefined && usableFeed(feed) === null) {
    throw new Error('QUARRY_UPDATE_FEED must be an https address.');
  }
  for (const platform of platforms) {
    const parts = missingNativeParts(platform, architecture, join(root, 'node_modules'));
    if (parts.length > 0) {
      const install = `npm install --no-save --ignore-scripts --os=${platform} --cpu=${architecture}`;
      throw new Error(`node_modules has no ${parts.join(', ')}. Pack on that system, or run ${install} first.`);
    }
    const missing = isRelease ? missingCredentials(platform, environment) : [];
    if (missing.length > 0)
      throw new Error(`A release for ${platform} needs ${missing.join(', ')}. See resources/docs/release.md.`);
  }
  if (isRelease && notesOfThisVersion() === null) {
    throw new Error(`CHANGELOG.md has no section for version ${manifest.version}.`);
  }
}

function notesOfThisVersion(): string | null {
  return releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), manifest.version);
}

/** electron-builder's configuration for an order. */
export function configurationOf({ platforms, isRelease, output }: Order, environment: Environment): Configuration {
  const feed = environment.QUARRY_UPDATE_FEED;
  const notes = notesOfThisVersion();
  const azure = azureSigning(environment);
  const onlyThis = platforms.every((platform) => platform === process.platform);
  const fetched = join(root, 'node_modules/electron/dist');
  // Without a certificate a Mac signs ad hoc, and the hardened runtime would then refuse Electron's own frameworks.
  const trial: Configuration = { mac: { ...packaging.mac, identity: '-', hardenedRuntime: false, notarize: false } };
  return {
    ...packaging,
    directories: { ...packaging.directories, output },
    ...(isRelease ? { forceCodeSigning: true } : trial),
    win: { ...packaging.win, ...(azure === null ? {} : { azureSignOptions: azure }) },
    ...(notes === null ? {} : { releaseInfo: { releaseNotes: notes } }),
    ...(feed === undefined ? {} : { publish: { provider: 'generic', url: feed } }),
    ...(onlyThis && existsSync(fetched) ? { electronDist: fetched } : {}),
  };
}

/**
 * @param flags of the command line
 * @returns the packages' files. Rejects with electron-builder's error, and before it with what is missing
 */
export async function packageApp(flags: readonly string[], environment: Environment): Promise<string[]> {
  const order = readOrder(flags);
  checkOrder(order, environment);
  await ensureBuilt();
  const platforms = order.platforms.map((platform) => TARGETS[platform]);
  return packWithBuilder({
    projectDir: root,
    publish: 'never',
    // No type means the targets of the configuration.
    targets: createTargets(platforms, order.toFolder ? 'dir' : null, order.architecture),
    config: configurationOf(order, environment),
  });
}

if (import.meta.main) {
  try {
    const files = await packageApp(process.argv.slice(2), process.env);
    for (const file of files) process.stdout.write(`${file}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

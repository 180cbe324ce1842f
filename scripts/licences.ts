/**
 * `npm run licences [file]`: the shipped packages and their licences. These are the dependencies with their own
 * dependencies, and the contents of the dashboard's bundle. Tools for building and testing are not shipped.
 */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface LockedPackage {
  version?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

interface Manifest {
  name: string;
  version: string;
  license?: string | { type?: string };
  repository?: string | { url?: string };
  homepage?: string;
}

/** Works inside a package's binary that its manifest does not name, by the beginning of the package's name. */
const CONTAINED: Readonly<Record<string, string>> = {
  '@seydx/node-av-':
    'FFmpeg 8.1 as built by Jellyfin, GPL-3.0-or-later, with the FDK AAC library. Its source: ' +
    'https://github.com/jellyfin/jellyfin-ffmpeg',
};

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

const root = dirname(import.meta.dirname);
const locked = (readJson(join(root, 'package-lock.json')) as { packages: Record<string, LockedPackage> }).packages;

const shipped = new Map<string, Manifest>();
for (const name of [...Object.keys(locked['']?.dependencies ?? {}), ...importedByDashboard()]) add(name, '');

const [outputFile] = process.argv.slice(2);
const text = [...shipped]
  .sort(([a], [b]) => a.localeCompare(b))
  .map(describe)
  .join('\n');
if (outputFile === undefined) process.stdout.write(text);
else writeFileSync(outputFile, text);

/** Adds a package with its dependencies. `from` is the lockfile path of the package that needs it. */
function add(name: string, from: string): void {
  const place = placeOf(name, from);
  if (place === null || shipped.has(place)) return;
  const manifestFile = join(root, place, 'package.json');
  // An optional package of another platform is locked but not installed here.
  if (!existsSync(manifestFile)) return;
  shipped.set(place, readJson(manifestFile) as Manifest);
  const { dependencies, optionalDependencies, peerDependencies } = locked[place] ?? {};
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
    add(needed, place);
}

/** Resolves `name` like Node for a package at `from`: in its own modules, then in those of the folders above. */
function placeOf(name: string, from: string): string | null {
  const above = from.split('/node_modules/');
  for (let depth = above.length; depth > 0; depth -= 1) {
    const folder = above.slice(0, depth).join('/node_modules/');
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (place in locked) return place;
  }
  const top = `node_modules/${name}`;
  return top in locked ? top : null;
}

function importedByDashboard(): string[] {
  const names = new Set<string>();
  for (const file of globSync('src-renderer/**/*.{ts,tsx}', { cwd: root })) {
    for (const [, specifier = ''] of readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from|import) '([^.'][^']*)'/g,
    )) {
      names.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
    }
  }
  return [...names];
}

function describe([place, manifest]: [string, Manifest]): string {
  const licence = typeof manifest.license === 'string' ? manifest.license : (manifest.license?.type ?? 'see its text');
  const address =
    manifest.homepage ?? (typeof manifest.repository === 'string' ? manifest.repository : manifest.repository?.url);
  const folder = join(root, place);
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENCE_FILE.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
  const [, contained] = Object.entries(CONTAINED).find(([start]) => manifest.name.startsWith(start)) ?? [];
  const inside = contained === undefined ? '' : `Contains: ${contained}\n`;
  return `${manifest.name} ${manifest.version}\nLicence: ${licence}\nSource: ${address ?? 'the npm registry'}\n${inside}${
    outputFile === undefined ? '' : `\n${texts.join('\n\n')}\n\n${'-'.repeat(80)}\n`
  }`;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

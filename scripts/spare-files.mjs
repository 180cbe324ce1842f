/**
 * Removes the files of node_modules that running Quarry never reads, about 300 MB: source maps, TypeScript, builds for
 * other processors, sources of what is installed compiled. No option of npm leaves them out. Plain JavaScript, because
 * the Node that runs it may be as old as 18.
 */
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Packages with a downloaded program. They stay as they are, so that it is downloaded once. */
export const PACKAGES_WITH_DOWNLOADS = ['electron', 'ffmpeg-static', 'node'];

/** Optional peers, used by type checks only. npm installs them even without the development packages. */
const TYPE_CHECKING = ['@types', '@typescript', 'typescript'];

const DEVELOPMENT_FILE = /\.(?:map|[cm]?tsx?)$/;

/** Spare entries of a folder: those that the function accepts. */
const SPARE_ENTRIES = {
  '@e965/xlsx': (name) => name === 'bin' || name === 'xlsx.js',
  '@e965/xlsx/dist': (name) => name !== 'cpexcel.full.mjs',
  '@electron-internal/extract-zip': (name) => name.endsWith('.node') && isForeign(name),
  '@mantine/core': (name) => name === 'cjs',
  '@node-llama-cpp': (name) => !name.includes(`-${process.arch}`) || (name.endsWith('-vulkan') && !hasGpu()),
  '@opentelemetry/semantic-conventions/dist': (name) => /^(?:experimental_|index-incubating)/.test(name),
  'better-sqlite3': (name) => name === 'deps' || name === 'src',
  'better-sqlite3/prebuilds': isForeign,
  'caniuse-lite/data': (name) => name === 'features' || name === 'regions',
  'fingerprint-generator': (name) => name === 'data_files',
  'got-scraping': (name) => name === 'dist',
  'header-generator': (name) => name === 'data_files',
  'mupdf/dist': (name) => name.endsWith('.br'),
  [`node/node_modules/node-${process.platform}-${process.arch}`]: (name) => name === 'include',
  'node-llama-cpp/llama': (name) => name === 'gitRelease.bundle',
  'playwright-core/lib': (name) => name === 'vite',
  'tesseract.js-core': (name) =>
    name.startsWith('tesseract-core') && !/^tesseract-core-simd-lstm\.(?:js|wasm)$/.test(name),
  ox: (name) => name === '_cjs',
  tinyld: (name) => name === 'playground',
  'tinyld/dist': (name) => /heavy|light|browser/.test(name),
  viem: (name) => name === '_cjs',
};

export function removeSpareFiles(modules) {
  for (const name of TYPE_CHECKING) remove(join(modules, name));
  for (const [folder, isSpare] of Object.entries(SPARE_ENTRIES)) {
    const path = join(modules, folder);
    if (!existsSync(path)) continue;
    for (const name of readdirSync(path).filter(isSpare)) remove(join(path, name));
  }
  removeDevelopmentFiles(modules, PACKAGES_WITH_DOWNLOADS);
}

/** Linux shows a GPU as a render node; the other systems have a driver for each. */
export function hasGpu() {
  if (process.platform !== 'linux') return true;
  return existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'));
}

/** Whether a file named for its platform is for another one. */
function isForeign(name) {
  const isForArch = name.includes(`-${process.arch}`) || name.includes('-universal');
  return !name.includes(process.platform) || !isForArch;
}

function removeDevelopmentFiles(path, except = []) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (except.includes(entry.name)) continue;
    const child = join(path, entry.name);
    if (entry.isDirectory()) removeDevelopmentFiles(child);
    else if (DEVELOPMENT_FILE.test(entry.name)) remove(child);
  }
}

function remove(path) {
  rmSync(path, { recursive: true, force: true });
}

const here = fileURLToPath(import.meta.url);
if (realpathSync(process.argv[1]) === here) removeSpareFiles(join(dirname(dirname(here)), 'node_modules'));

import {
  isWithinAny,
  nameInFeature,
  PACKAGES,
  PURE_FILES,
  type Room,
  roomOf,
  SHARED_FILES,
  SHELL_FILES,
  SHELL_TYPES,
  TABLES,
  WORKERS_OF,
  WORKERS_ON_WORKERS,
} from './rooms.ts';
import type { Import } from './source-files.ts';

/** Files that start the product or describe it, which the rooms below may read. */
const MANIFEST = { file: 'package.json', reader: 'src-server/platform/version.ts' };
const BUILD = { file: 'scripts/build.ts', reader: 'src-main/launch.ts' };

/** The types of the public API, generated once: for programs that use the client package, and for the window. */
const CLIENT_TYPES = { file: 'resources/client/api.d.ts', reader: 'src-renderer/api/generated/public.ts' };

/** Words and patterns of music, as data. */
const DATA = { folder: 'resources/music', reader: 'src-server/features/audio' };

/** What is wrong with an import, as a sentence; null when nothing is. */
export function objection(one: Import): string | null {
  const from = roomOf(one.from);
  if (from === null) return `${one.from} lies in no room: see test/architecture/rooms.ts.`;
  const where = `${one.from}:${one.line}`;
  if (one.isPackage) return packageObjection(from, one, where);
  const isOutside = [MANIFEST, BUILD, CLIENT_TYPES].some(
    ({ file, reader }) => one.target === file && one.from === reader,
  );
  if (isOutside) return null;
  if (isWithinAny(one.target, [DATA.folder]) && isWithinAny(one.from, [DATA.reader])) return null;
  const to = roomOf(one.target);
  if (to === null) return `${where}: ${one.target} lies in no room.`;
  return mayImport(from, to, one) ? null : `${where} may not import ${one.isType ? 'the types of ' : ''}${one.target}.`;
}

function packageObjection(from: Room, one: Import, where: string): string | null {
  if (one.target.startsWith('node:')) {
    return from.kind === 'window' ? `${where}: the window runs in a browser, without ${one.target}.` : null;
  }
  const places = PACKAGES[one.target];
  if (places === undefined) return `${where}: ${one.target} has no place in test/architecture/rooms.ts.`;
  return isWithinAny(one.from, places) ? null : `${where}: ${one.target} belongs to ${places.join(', ')}.`;
}

function mayImport(from: Room, to: Room, one: Import): boolean {
  switch (from.kind) {
    case 'platform':
      return to.kind === 'platform';
    case 'root':
      return rootMayImport(from.name, to, one);
    case 'feature':
      return featureMayImport(from.name, to, one);
    case 'workers':
      return workersMayImport(from.name, to, one);
    case 'shell':
      return shellMayImport(to, one);
    case 'window':
      return windowMayImport(from.name, to, one);
  }
}

/** Each layer of the root sees those before it; the commands, and `work.ts`, see everything but the stores. */
function rootMayImport(name: string, to: Room, { target }: Import): boolean {
  if (to.kind === 'platform') return true;
  if (name === 'operation.ts') return false;
  if (name === 'context.ts') return to.kind === 'root' && ['config.ts', 'operation.ts'].includes(to.name);
  if (name === 'config.ts') return target === 'src-server/operation.ts' || isSchema(to, target);
  if (name === 'feature.ts') return to.kind === 'root' && ['config.ts', 'context.ts', 'operation.ts'].includes(to.name);
  // What opens and serves features knows none of them.
  if (name === 'app.ts' || name === 'open-features.ts') return to.kind === 'root';
  if (name === 'features.ts' && to.kind === 'feature') return nameInFeature(target) === 'feature.ts';
  if (to.kind === 'feature') return nameInFeature(target) !== 'store.ts';
  return to.kind === 'root';
}

function featureMayImport(name: string, to: Room, { target, isType }: Import): boolean {
  if (to.kind === 'platform') return true;
  if (to.kind === 'root')
    return ['operation.ts', 'context.ts', 'config.ts', 'feature.ts', 'start-errors.ts'].includes(to.name);
  if (to.kind === 'workers') {
    return isType && (WORKERS_OF[name] ?? []).some((folder) => target === `workers/${folder}/tasks.ts`);
  }
  if (to.kind !== 'feature') return false;
  return to.name === name || ['service.ts', 'schema.ts', 'feature.ts'].includes(nameInFeature(target));
}

function workersMayImport(name: string, to: Room, { target, isType, names }: Import): boolean {
  if (to.kind === 'workers') {
    return name === '' || to.name === '' || to.name === name || (WORKERS_ON_WORKERS[name] ?? []).includes(to.name);
  }
  if (to.kind === 'platform') return isType || isWithinAny(target, PURE_FILES);
  // Chunks are checked against their schema where they are written, so that the server need not read them again.
  if (target === 'src-server/operation.ts') return isType || names.every((one) => one === 'Chunk');
  return isType && isSchema(to, target);
}

function shellMayImport(to: Room, { target, isType }: Import): boolean {
  if (to.kind === 'shell') return true;
  if (isType) return target === SHELL_TYPES || isSchema(to, target);
  return SHELL_FILES.includes(target) || TABLES.includes(target);
}

/** `api` and `components` know no feature of the window. */
function windowMayImport(name: string, to: Room, { from, target, isType }: Import): boolean {
  if (to.kind !== 'window') return SHARED_FILES.includes(target) || (isType && target === SHELL_TYPES);
  const isShared = isWithinAny(from, ['src-renderer/api', 'src-renderer/components']);
  return name !== '' || to.name === '' || !isShared;
}

function isSchema(to: Room, target: string): boolean {
  return to.kind === 'feature' && nameInFeature(target) === 'schema.ts';
}

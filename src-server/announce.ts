import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BASE_PATHS } from './contract/index.ts';
import { VERSION } from './platform/version.ts';

/**
 * Tells local tools, and a desktop app that starts later, where the server of this data folder answers. The file
 * appears whole or not at all.
 */
export async function announce(root: string, url: string, closers: (() => Promise<void> | void)[]): Promise<void> {
  const path = join(root, 'server.json');
  const baseUrls = { baseUrl: url + BASE_PATHS.production, stagingBaseUrl: url + BASE_PATHS.staging };
  const told = { url, ...baseUrls, version: VERSION, pid: process.pid };
  await writeFile(`${path}.part`, `${JSON.stringify(told)}\n`, { mode: 0o600 });
  await rename(`${path}.part`, path);
  closers.push(() => rm(path, { force: true }));
}

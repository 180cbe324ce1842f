import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Appliance, type ApplianceOptions, startAppliance } from './appliance.ts';

export const TINY_MODEL = 'stories260K';
export const TINY_MODEL_PATH = join(import.meta.dirname, '../fixtures/models/stories260K.gguf');

/** An appliance that looks for no other text servers, with the tiny model put into its models folder by hand. */
export async function startWithTinyModel(options: ApplianceOptions = {}): Promise<Appliance> {
  const appliance = await startAppliance({ knownTextServers: [], ...options });
  await mkdir(join(appliance.dataDir, 'models'), { recursive: true });
  await copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', `${TINY_MODEL}.gguf`));
  return appliance;
}

export function postJson(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

const UNUSABLE_FOR_MS = 11 * 60_000;

const LOADS_MAX = 4;

/** Asks again where a busy machine takes longer than a model may take to load. */
export async function loaded<Answer>(appliance: Appliance, ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === LOADS_MAX || !String(error).includes('could not be loaded')) throw error;
      appliance.clock.advance(UNUSABLE_FOR_MS);
    }
  }
}

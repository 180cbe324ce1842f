import { readFileSync, writeFileSync } from 'node:fs';

/** What the person chose for the shell itself. The server's settings are elsewhere, and have no part in it. */
export interface Preferences {
  /** Whether a job's end is told by the system. */
  notifications: boolean;
  /** Where updates are looked for; null for nowhere, unless the package names a place. */
  updateFeed: string | null;
}

/** A file that is missing or is not ours counts as no choice made. */
export function readPreferences(file: string): Preferences {
  const { notifications, updateFeed } = readObject(file);
  return {
    notifications: notifications !== false,
    updateFeed: typeof updateFeed === 'string' ? updateFeed : null,
  };
}

export function keepPreferences(file: string, preferences: Preferences): void {
  try {
    writeFileSync(file, `${JSON.stringify(preferences, null, 2)}\n`);
  } catch (error) {
    // The choice holds until the app ends; a full disk is no reason to refuse it.
    process.stderr.write(`The choice could not be kept: ${(error as Error).message}\n`);
  }
}

function readObject(file: string): Record<string, unknown> {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

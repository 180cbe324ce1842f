import { Settings } from './contract/index.ts';
import type { Clock } from './platform/clock.ts';
import type { Storage } from './platform/db/database.ts';

/** The settings table, read once and kept in memory: every request asks it, only the owner changes it. */
export class SettingsStore {
  readonly #storage: Storage;
  readonly #clock: Clock;
  #current: Settings;

  private constructor(storage: Storage, clock: Clock, current: Settings) {
    this.#storage = storage;
    this.#clock = clock;
    this.#current = current;
  }

  static async open(storage: Storage, clock: Clock): Promise<SettingsStore> {
    const rows = await storage.db.selectFrom('settings').select(['name', 'value']).execute();
    return new SettingsStore(storage, clock, settingsOf(rows));
  }

  get current(): Readonly<Settings> {
    return this.#current;
  }

  /** Keeps the given fields; the others stay as they are. */
  async change(fields: Partial<Settings>): Promise<Settings> {
    const merged = () => Settings.parse({ ...this.#current, ...fields });
    merged();
    await this.#storage.transaction(async (tx) => {
      for (const [name, value] of Object.entries(fields)) {
        const row = { value: JSON.stringify(value), updated_at: this.#clock.now() };
        await tx
          .insertInto('settings')
          .values({ name, ...row })
          .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
          .execute();
      }
    });
    // Onto what there is by now: another change may have been kept meanwhile.
    this.#current = merged();
    return this.#current;
  }
}

/** Rows that no longer fit the schema (another version wrote them, or somebody by hand) count as not set. */
export function settingsOf(rows: readonly { name: string; value: string }[]): Settings {
  const known: Record<string, unknown> = {};
  for (const { name, value } of rows) {
    const field = Object.hasOwn(Settings.shape, name) ? Settings.shape[name as keyof Settings] : undefined;
    const parsed = field?.safeParse(jsonOf(value));
    if (parsed?.success) known[name] = parsed.data;
  }
  return Settings.parse(known);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { SecretFile } from '../files/private-files.ts';
import { omitUndefined } from '../omit-undefined.ts';

const Bond = z.object({
  /** SHA-256 of the key; null while there is none. */
  mark: z.string().nullable(),
  /** The origin that the key was given for; null until the owner has named one. */
  origin: z.string().nullable(),
  /** A named key of a tool named the present address: the owner has not said that it may have the key. */
  isByTool: z.boolean(),
});

const UNBOUND: z.infer<typeof Bond> = { mark: null, origin: null, isByTool: false };

/**
 * The key of another server, bound to the origin that it was given for. Threat: whoever may change the address of the
 * server, such as a tool with the scope `admin`, would receive the key. It is bound to the address in the settings when
 * it is given, or to the first that the owner names after that. A start without the key, then one with it, gives it
 * again.
 */
export class OriginKey {
  readonly #file: SecretFile;
  readonly #secret: string | undefined;
  #bond: z.infer<typeof Bond>;

  /** @param url the address in the settings */
  constructor(folder: string, name: 'text' | 'speech', secret: string | undefined, url: string | null) {
    this.#file = new SecretFile(join(folder, `${name}-server-key`));
    this.#secret = secret;
    const stored = this.#file.readSecret();
    const known = stored === null ? UNBOUND : readBond(stored);
    const mark = secret === undefined ? null : createHash('sha256').update(secret).digest('hex');
    const origin = mark === null || known.isByTool ? null : parsedOriginOf(url);
    this.#bond = mark === known.mark ? known : { ...known, mark, origin };
  }

  /** Keeps what the key is bound to, for the next start. */
  keepKeyBond(): this {
    if (this.#secret !== undefined || this.#file.readSecret() !== null)
      this.#file.writeSecret(JSON.stringify(this.#bond));
    return this;
  }

  /** The key, for a request to the origin that it was given for; undefined for every other address. */
  for(url: string): string | undefined {
    return this.#bond.origin !== null && parsedOriginOf(url) === this.#bond.origin ? this.#secret : undefined;
  }

  /** Whether there is a key, and this address does not get it. */
  withholds(url: string): boolean {
    return this.#secret !== undefined && this.for(url) === undefined;
  }

  /** The settings name another address. @param isByTool a named key changes them, not the owner */
  bindToNamedAddress(url: string | null, isByTool: boolean): void {
    const isFirst = !isByTool && this.#secret !== undefined && this.#bond.origin === null;
    const bond = { ...this.#bond, isByTool, ...omitUndefined({ origin: isFirst ? parsedOriginOf(url) : undefined }) };
    this.#file.writeSecret(JSON.stringify(bond));
    this.#bond = bond;
  }
}

/** A file that is damaged binds the key to nothing. */
function readBond(stored: string): z.infer<typeof Bond> {
  try {
    return Bond.parse(JSON.parse(stored));
  } catch {
    return { ...UNBOUND, isByTool: true };
  }
}

function parsedOriginOf(url: string | null): string | null {
  return url === null ? null : (URL.parse(url)?.origin ?? null);
}

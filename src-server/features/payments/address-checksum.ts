import { QuarryError } from '../../platform/errors.ts';
import type { PaymentSettings } from './settings.ts';
import { loadEvm } from './signature.ts';

const NAMES = ['payTo', 'asset'] as const satisfies readonly (keyof PaymentSettings)[];

/**
 * An address with capitals carries a checksum in them (EIP-55). Where it does not fit, a digit is wrong and money would
 * go to nobody; and wallets refuse to sign for it, so no challenge that names it could be paid. Errors:
 * `invalid_request`, by field.
 */
export async function checkAddresses(
  addresses: {
    [name in (typeof NAMES)[number]]?: string | null | undefined;
  },
): Promise<void> {
  const fields: { path: string; message: string }[] = [];
  for (const name of NAMES) {
    const address = addresses[name];
    if (!address || address === address.toLowerCase() || (await loadEvm()).isAddress(address)) continue;
    const message =
      'Copy the address anew: its capitals are not its checksum (EIP-55). Without one it is all lower case.';
    fields.push({ path: name, message });
  }
  if (fields.length === 0) return;
  throw new QuarryError('invalid_request', 'An address to be paid is mistyped.', { fields });
}

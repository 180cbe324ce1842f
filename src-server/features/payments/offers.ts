/**
 * Signed offers and receipts: x402's extension `offer-receipt`. An offer shows later that this server asked for a
 * price, a receipt that it was paid. Both are JWS whose `kid` holds the public key (did:jwk).
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { SecretFile } from '../../platform/files/private-files.ts';
import { canonicalJson } from '../../platform/text/canonical-json.ts';

export const OFFER_RECEIPT = 'offer-receipt';

const VERSION = 1;

export interface OfferTerms {
  resourceUrl: string;
  scheme: string;
  network: string;
  asset: string;
  payTo: string;
  amount: string;
  /** Seconds. */
  validUntil: number;
}

export interface ReceiptFacts {
  resourceUrl: string;
  network: string;
  payer: string;
  /** Seconds. */
  issuedAt: number;
  /** Absent where the ledger names none. */
  transaction?: string;
}

interface Signed {
  format: 'jws';
  signature: string;
}

const SIGNED_SCHEMA = {
  type: 'object',
  properties: { format: { const: 'jws' }, signature: { type: 'string' } },
  required: ['format', 'signature'],
};

const schemaOf = (name: string, member: object) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { [name]: member },
  required: [name],
});

export class OfferSigner {
  readonly #key: KeyObject;
  readonly #header: string;

  private constructor(key: KeyObject) {
    this.#key = key;
    const jwk = createPublicKey(key).export({ format: 'jwk' });
    const kid = `did:jwk:${textToBase64url(canonicalJson(jwk))}#0`;
    this.#header = textToBase64url(JSON.stringify({ alg: 'EdDSA', kid }));
  }

  /** Makes the key if there is none. Errors: one that names the file, for a damaged key. */
  static openOfferSigner(file: SecretFile): OfferSigner {
    const stored = file.readSecret();
    if (stored !== null) return new OfferSigner(parseOfferKey(stored));
    const { privateKey } = generateKeyPairSync('ed25519');
    file.writeSecret(privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'));
    return new OfferSigner(privateKey);
  }

  /** The extension of a challenge with one entry in `accepts`. */
  offerExtension(terms: OfferTerms): object {
    const offers = [{ ...this.#signOfferPayload(terms), acceptIndex: 0 }];
    return { info: { offers }, schema: schemaOf('offers', { type: 'array', items: SIGNED_SCHEMA }) };
  }

  /** The extension of a settlement record. */
  receiptExtension(facts: ReceiptFacts): object {
    return { info: { receipt: this.#signOfferPayload(facts) }, schema: schemaOf('receipt', SIGNED_SCHEMA) };
  }

  #signOfferPayload(payload: OfferTerms | ReceiptFacts): Signed {
    const content = `${this.#header}.${textToBase64url(canonicalJson({ version: VERSION, ...payload }))}`;
    return {
      format: 'jws',
      signature: `${content}.${sign(null, Buffer.from(content), this.#key).toString('base64url')}`,
    };
  }
}

function textToBase64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function parseOfferKey(stored: string): KeyObject {
  try {
    return createPrivateKey({ key: Buffer.from(stored, 'base64'), format: 'der', type: 'pkcs8' });
  } catch (error) {
    const message = 'The file offer-key in the data folder is damaged. Delete it; the server makes a new key.';
    throw new Error(message, { cause: error });
  }
}

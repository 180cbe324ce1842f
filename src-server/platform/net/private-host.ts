/**
 * Grants access to one private or loopback host: the one that the owner named in a request. Threat: server-side request
 * forgery (SSRF) by what that host, or a public one, leads to. A redirect, a sub-resource, a feed's entry or a
 * playlist's segment on another host is not covered, nor is a name that turns from a public address to a private one
 * (DNS rebinding): the first lookup decides for as long as the grant lasts.
 */
import { byName } from '../records.ts';
import { isPublicAddress } from './address-policy.ts';

export interface ResolvedAddress {
  address: string;
  family: number;
}

const DEFAULT_PORTS: Record<string, string> = byName({ 'http:': '80', 'https:': '443' });

export class PrivateHost {
  /** Host name and port, for example `nas.local:80`. */
  readonly host: string;
  #first: Promise<readonly ResolvedAddress[] | null> | null = null;

  private constructor(host: string) {
    this.host = host;
  }

  /** The host of an address; null if the text is not an http or https URL. */
  static privateHostOf(address: string): PrivateHost | null {
    const url = URL.parse(address);
    const port = url === null ? undefined : url.port || DEFAULT_PORTS[url.protocol];
    return url === null || port === undefined ? null : new PrivateHost(`${url.hostname.toLowerCase()}:${port}`);
  }

  /** A grant that was stored by its `host`. */
  static fromStoredHost(host: string): PrivateHost {
    return new PrivateHost(host);
  }

  /** @param port as in a URL or a connection: empty or null means the default of the protocol */
  coversAddress(hostname: string, port: string | number | null, protocol = 'https:'): boolean {
    return this.host === `${hostname.toLowerCase()}:${port || DEFAULT_PORTS[protocol]}`;
  }

  coversUrl({ hostname, port, protocol }: URL): boolean {
    return this.coversAddress(hostname, port, protocol);
  }

  /**
   * The addresses to connect to; null if the name's first lookup gave public addresses only, so that the rules for
   * public hosts apply from then on. A failed lookup decides nothing.
   */
  async pinAddresses(resolve: () => Promise<readonly ResolvedAddress[]>): Promise<readonly ResolvedAddress[] | null> {
    this.#first ??= resolve().then((addresses) =>
      addresses.every(({ address }) => isPublicAddress(address)) ? null : addresses,
    );
    try {
      return await this.#first;
    } catch (error) {
      this.#first = null;
      throw error;
    }
  }
}

export type Address = `0x${string}`;
export type Hex = `0x${string}`;

/** Hexadecimal digits that follow 0x, in lower case. */
export function lowerHex(text: string): Hex {
  return `0x${text.slice(2).toLowerCase()}`;
}

/** A chain under both of its x402 names, with the asset that is used where the owner names none. */
export interface Network {
  /** Version 1 name. */
  name: 'base-sepolia' | 'base';
  /** Version 2 name (CAIP-2). */
  caip2: `eip155:${number}`;
  chainId: number;
  usdc: { asset: Address; extra: { name: string; version: string } };
}

export const NETWORK_NAMES = ['base-sepolia', 'base'] as const;

export const NETWORKS: Record<Network['name'], Network> = {
  'base-sepolia': {
    name: 'base-sepolia',
    caip2: 'eip155:84532',
    chainId: 84532,
    usdc: { asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', extra: { name: 'USDC', version: '2' } },
  },
  base: {
    name: 'base',
    caip2: 'eip155:8453',
    chainId: 8453,
    usdc: { asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', extra: { name: 'USD Coin', version: '2' } },
  },
};

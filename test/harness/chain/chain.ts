/** A real local chain (anvil) with a dollar of its own: what is proven here is proven against an EVM, not a mock. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type Address,
  type Chain,
  createTestClient,
  createWalletClient,
  encodeDeployData,
  type Hex,
  http,
  parseAbi,
  publicActions,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { createNonceManager, jsonRpc } from 'viem/nonce';
import { until } from '../until.ts';
import contracts from './contracts.json' with { type: 'json' };

const POLL_MS = 50;
const LISTENING = /^Listening on (127\.0\.0\.1:\d+)$/m;
const ONE_COIN = 10n ** 18n;
/** Where Circle's dollar stands on Base Sepolia: stock clients pay in it without being told to. */
export const DOLLAR_ADDRESS: Address = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

export const DOLLAR_ABI = parseAbi([
  'function initialize(string name, string version)',
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const BATCH_ABI = parseAbi(['function run(address[] targets, bytes[] calls)']);

/** Path of the platform's anvil, or why there is none. */
function anvilPath(): { path: string } | { missing: string } {
  const require = createRequire(import.meta.url);
  const name = `@foundry-rs/anvil-${process.platform === 'win32' ? 'win32' : process.platform}-${
    process.arch === 'x64' ? 'amd64' : process.arch
  }`;
  try {
    const folder = dirname(require.resolve(`${name}/package.json`));
    const path = join(folder, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil');
    return existsSync(path) ? { path } : { missing: `${name} has no binary.` };
  } catch {
    return { missing: `${name} is not installed: there is no anvil for this platform.` };
  }
}

/** Why tests on a chain cannot run here, or null. */
export const chainMissing: string | null = (() => {
  const found = anvilPath();
  return 'missing' in found ? found.missing : null;
})();

export interface LocalChain {
  rpcUrl: string;
  /** Reads, writes and moves the chain; sends from the account of `funder`. */
  client: ReturnType<typeof clientOf>;
  /** A new key with play money and, when asked for, coin for gas. */
  wallet(money: { dollars?: bigint; coin?: boolean }): Promise<PrivateKeyAccount & { key: Hex }>;
  mint(to: Address, value: bigint): Promise<void>;
  dollarsOf(address: Address): Promise<bigint>;
  /** Deploys a contract wallet (ERC-1271) of an owner. */
  contractWallet(owner: Address): Promise<Address>;
  /** Several calls to the dollar in one transaction. */
  batch(calls: Hex[]): Promise<Hex>;
  stop(): Promise<void>;
}

export interface ChainOptions {
  /** Instant where it is left out. */
  blockTimeSeconds?: number;
  /** EIP-712 domain of the dollar. */
  domain?: { name: string; version: string };
}

export async function startChain({ blockTimeSeconds, domain }: ChainOptions = {}): Promise<LocalChain> {
  const { anvil, rpcUrl } = await startAnvil(blockTimeSeconds);
  const kill = () => anvil.kill('SIGKILL');
  process.once('exit', kill);
  const funderKey = generatePrivateKey();
  // Counts its transactions by itself, so that wallets can be made at the same time; one for each chain.
  const nonceManager = createNonceManager({ source: jsonRpc() });
  const funder = privateKeyToAccount(funderKey, { nonceManager });
  const client = clientOf(rpcUrl, funder);
  await client.setBalance({ address: funder.address, value: 1000n * ONE_COIN });
  await client.setCode({ address: DOLLAR_ADDRESS, bytecode: contracts.TestDollar.deployed as Hex });
  const mined = async (hash: Hex) => {
    const receipt = await client.waitForTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error('A transaction of the test itself was reverted.');
    return receipt;
  };
  const dollar = { address: DOLLAR_ADDRESS, abi: DOLLAR_ABI } as const;
  const { name, version } = domain ?? { name: 'USDC', version: '1' };
  await mined(await client.writeContract({ ...dollar, functionName: 'initialize', args: [name, version] }));
  const mint = async (to: Address, value: bigint) => {
    await mined(await client.writeContract({ ...dollar, functionName: 'mint', args: [to, value] }));
  };
  const deploy = async (data: Hex): Promise<Address> => {
    const { contractAddress } = await mined(await client.sendTransaction({ data }));
    if (!contractAddress) throw new Error('Nothing was deployed.');
    return contractAddress;
  };
  return {
    rpcUrl,
    client,
    mint,
    wallet: async ({ dollars, coin }) => {
      const key = generatePrivateKey();
      const account = privateKeyToAccount(key);
      if (dollars !== undefined) await mint(account.address, dollars);
      if (coin === true) await client.setBalance({ address: account.address, value: ONE_COIN });
      return { ...account, key };
    },
    dollarsOf: (address) => client.readContract({ ...dollar, functionName: 'balanceOf', args: [address] }),
    contractWallet: async (owner) => {
      const abi = parseAbi(['constructor(address owner)']);
      return deploy(encodeDeployData({ abi, bytecode: contracts.TestWallet.bytecode as Hex, args: [owner] }));
    },
    batch: async (calls) => {
      const address = await deploy(contracts.TestBatch.bytecode as Hex);
      const targets = calls.map(() => DOLLAR_ADDRESS);
      const hash = await client.writeContract({ address, abi: BATCH_ABI, functionName: 'run', args: [targets, calls] });
      await mined(hash);
      return hash;
    },
    stop: async () => {
      process.removeListener('exit', kill);
      await ended(anvil);
    },
  };
}

/** On a port that it chooses itself: one that was found free before might be somebody else's by then. */
async function startAnvil(blockTimeSeconds: number | undefined): Promise<{ anvil: ChildProcess; rpcUrl: string }> {
  const found = anvilPath();
  if ('missing' in found) throw new Error(found.missing);
  const pace = blockTimeSeconds === undefined ? [] : ['--block-time', String(blockTimeSeconds)];
  const flags = ['--chain-id', String(baseSepolia.id), '--host', '127.0.0.1', '--port', '0', ...pace];
  const anvil = spawn(found.path, flags, { stdio: ['ignore', 'pipe', 'ignore'] });
  const said = { text: '' };
  anvil.stdout.setEncoding('utf8').on('data', (text: string) => {
    // Of all that it says only this is of use.
    if (!LISTENING.test(said.text)) said.text += text;
  });
  await until(() => LISTENING.test(said.text) || anvil.exitCode !== null);
  const [, address] = LISTENING.exec(said.text) ?? [];
  if (address === undefined) throw new Error('anvil does not start.');
  return { anvil, rpcUrl: `http://${address}` };
}

function clientOf(rpcUrl: string, account: PrivateKeyAccount) {
  const chain: Chain = { ...baseSepolia, rpcUrls: { default: { http: [rpcUrl] } } };
  const transport = http(rpcUrl, { retryCount: 0 });
  const wallet = createWalletClient({ account, chain, transport, pollingInterval: POLL_MS });
  return createTestClient({ mode: 'anvil', account, chain, transport, pollingInterval: POLL_MS })
    .extend(publicActions)
    .extend(() => ({
      writeContract: wallet.writeContract.bind(wallet) as typeof wallet.writeContract,
      sendTransaction: wallet.sendTransaction.bind(wallet) as typeof wallet.sendTransaction,
    }));
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}

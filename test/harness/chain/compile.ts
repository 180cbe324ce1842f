/**
 * Compiles contracts.sol to contracts.json: run by hand after a change of the source, so that tests need no compiler.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import solc from 'solc';

const source = new URL('contracts.sol', import.meta.url);
const artifact = new URL('contracts.json', import.meta.url);

const input = {
  language: 'Solidity',
  sources: { 'contracts.sol': { content: readFileSync(source, 'utf8') } },
  settings: {
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  },
};

interface Compiled {
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
}

const output = JSON.parse(solc.compile(JSON.stringify(input))) as {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, Compiled>>;
};
const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));

const contracts = Object.fromEntries(
  Object.entries(output.contracts['contracts.sol'] ?? {}).flatMap(([name, { evm }]) =>
    name.startsWith('Test')
      ? [[name, { bytecode: `0x${evm.bytecode.object}`, deployed: `0x${evm.deployedBytecode.object}` }]]
      : [],
  ),
);
writeFileSync(artifact, `${JSON.stringify(contracts, null, 2)}\n`);

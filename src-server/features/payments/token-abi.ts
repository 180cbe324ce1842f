import { parseAbi } from 'viem';

/**
 * The part of an EIP-3009 token that settlement needs. The arguments of both transfers are from, to, value, validAfter,
 * validBefore and nonce, then the signature: as v, r and s, or as bytes.
 */
export const TOKEN_ABI = parseAbi([
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, uint8, bytes32, bytes32)',
  'function transferWithAuthorization(address, address, uint256, uint256, uint256, bytes32, bytes)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

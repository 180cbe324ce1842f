import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

const UNLIMITED = {
  ...{ subs: -1, data: -1, payload: -1, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
  ...{ mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 },
};

/** A broker with JWT accounts: the lines of its configuration, and the `.creds` file of a user of one account. */
export function jwtAccounts(): { config: string[]; creds: string } {
  const operator = nkeys.createOperator();
  const [system, account] = [nkeys.createAccount(), nkeys.createAccount()];
  const user = nkeys.createUser();
  const accountOf = (name: string, pair: KeyPair, limits: object) =>
    `  ${pair.getPublicKey()}: ${sign(operator, pair, name, { type: 'account', limits })}`;
  // The system account may not have JetStream.
  const { mem_storage: _memory, disk_storage: _disk, streams: _streams, consumer: _consumers, ...plain } = UNLIMITED;
  const config = [
    `operator: ${sign(operator, operator, 'operator', { type: 'operator' })}`,
    `system_account: ${system.getPublicKey()}`,
    'resolver: MEMORY',
    `resolver_preload {\n${accountOf('SYS', system, plain)}\n${accountOf('quarry', account, UNLIMITED)}\n}`,
  ];
  const rights = { type: 'user', pub: {}, sub: {}, subs: -1, data: -1, payload: -1 };
  const seed = new TextDecoder().decode(user.getSeed());
  const creds = [
    ...['-----BEGIN NATS USER JWT-----', sign(account, user, 'quarry', rights), '------END NATS USER JWT------', ''],
    ...['-----BEGIN USER NKEY SEED-----', seed, '------END USER NKEY SEED------', ''],
  ].join('\n');
  return { config, creds };
}

function sign(issuer: KeyPair, subject: KeyPair, name: string, nats: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { jti: name, iat: Math.floor(Date.now() / 1000), iss: issuer.getPublicKey(), name };
  const body = { ...claims, sub: subject.getPublicKey(), nats: { ...nats, version: 2 } };
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(body)}`;
  return `${signed}.${Buffer.from(issuer.sign(new TextEncoder().encode(signed))).toString('base64url')}`;
}

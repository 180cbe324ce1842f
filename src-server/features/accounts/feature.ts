import type { Context } from 'hono';
import { BASE_PATHS, type KeyIdentity } from '../../context.ts';
import { defineFeature, type ServerContext } from '../../feature.ts';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { mountRoutes, type RouteDescription } from '../../platform/http/route.ts';
import { anonymousAccount } from '../../platform/net/client-address.ts';
import { payments } from '../payments/feature.ts';
import { AuditLog, auditRequests } from './audit.ts';
import { ADMIN_AUDIT_ROUTES } from './audit-routes.ts';
import { ADMIN_KEY_ROUTES } from './key-routes.ts';
import { KeyStore } from './keys.ts';
import {
  addPayingAccounts,
  blockAccounts,
  createAccounts,
  createAudit,
  createKeys,
  createSessions,
  nameDevices,
} from './migrations.ts';
import { ADMIN_SESSION_ROUTES, LOGIN_ROUTES } from './routes.ts';
import { deviceCheck, knownAddresses, scopeCheck } from './scopes.ts';
import { createDeviceIdentity, createIdentity, deviceKey } from './service.ts';
import { SessionStore, SignInCodes } from './sessions.ts';
import { offerSignIn, WalletSignIn } from './wallet-sign-in.ts';

/** Counts a wrong credential against the address it came from. Errors: `rate_limited`. */
type CountRefusal = (context: Context<HttpEnv>) => Promise<void>;

/** The owner, named keys and sessions; wallets sign in to one environment. Both environments share the rest. */
export const accounts = defineFeature({
  name: 'accounts',
  uses: { payments },
  migrations: {
    '003-accounts': { up: createAccounts },
    '017-paying-accounts': { up: addPayingAccounts },
    '018-sessions': { up: createSessions },
    '029-keys': { up: createKeys },
    '030-audit': { up: createAudit },
    '051-devices': { up: nameDevices },
    '059-blocked-accounts': { up: blockAccounts },
  },
  openShared(server) {
    const shared = openAccess(server);
    return { service: shared, close: () => shared.audit.closeAuditLog() };
  },
  open({ name, storage, clock, baseUrl }, { payments: { payments } }, shared) {
    shared.signIns.set(name, new WalletSignIn({ storage, clock, payments, baseUrl }));
    return { service: shared };
  },
  routes: {
    shared: [...ADMIN_SESSION_ROUTES, ...ADMIN_KEY_ROUTES, ...ADMIN_AUDIT_ROUTES],
    described: { owner: LOGIN_ROUTES },
  },
  guard: (app, { shared, door }) =>
    void app.use(auditRequests(shared.audit, door === null ? shared.find : shared.findWith(door.routes))),
  mount: ({ server, shared }) => [
    {
      path: '/',
      routes: mountRoutes(
        LOGIN_ROUTES,
        { ...shared, countRefusal: (context) => shared.countRefusal('production', context) },
        server.readBody,
      ),
    },
  ],
  isOwner: (incoming, { identity }) => identity.isOwner(incoming),
  refuse: (context, error, { shared }) => {
    if (error.code !== 'unauthorized') return null;
    const environments = ENVIRONMENTS.map((name) => ({ name, signIn: signInOf(shared.signIns, name) }));
    return offerSignIn(environments, context);
  },
});

function openAccess({ clock, log, storage, operations, declared, address, basePath, ownerToken }: ServerContext) {
  const sessions = SessionStore.openSessionStore(storage, clock);
  const keys = KeyStore.openKeyStore(storage, clock);
  const findWith = (others: readonly RouteDescription[]) =>
    knownAddresses({
      basePaths: Object.values(BASE_PATHS),
      operations,
      routes: [...declared.publicRoutes, ...declared.ownerRoutes, ...others],
      others: declared.addresses,
    });
  const find = findWith([]);
  const deviceSessions = SessionStore.openSessionStore(storage, clock, 'devices');
  const signIns = new Map<EnvironmentName, WalletSignIn>();
  const counters = new Map<EnvironmentName, CountRefusal>();
  const countRefusal = async (name: EnvironmentName, context: Context<HttpEnv>) => counters.get(name)?.(context);
  const identity = createIdentity({
    ownerToken,
    sessions,
    keys,
    checkScope: scopeCheck(find),
    port: () => address().port,
    basePath,
    anonymousAccount,
    walletOf: (header, context) => {
      // A wallet signs in to the environment whose address it calls; the two share no nonces.
      const name = context.req.path.startsWith('/staging/') ? 'staging' : 'production';
      return signInOf(signIns, name).verifyWalletHeader(header, () => countRefusal(name, context));
    },
  });
  return {
    audit: new AuditLog(storage, clock, log),
    codes: new SignInCodes(clock),
    sessions,
    keys,
    deviceSessions,
    find,
    findWith,
    identity,
    /** Identifies linked devices at a listener of their own. */
    identifyDevices: (port: number, routes: readonly RouteDescription[]) =>
      createDeviceIdentity({ sessions: deviceSessions, checkScope: deviceCheck(findWith(routes)), port: () => port }),
    signIns,
    /** Set by what counts requests. */
    counters,
    countRefusal,
    operations,
    now: () => clock.now(),
    /** Null for a named key that was revoked or has expired, and for a device that was signed out. */
    keyOf: (keyId: string) => keys.currentKeyById(keyId) ?? keyOfDevice(deviceSessions, keyId),
  };
}

/** What a device made goes on while it is linked. */
function keyOfDevice(sessions: SessionStore, id: string): KeyIdentity | null {
  const session = sessions.listUserSessions().find((one) => one.id === id);
  return session === undefined ? null : deviceKey(session);
}

function signInOf(signIns: ReadonlyMap<EnvironmentName, WalletSignIn>, name: EnvironmentName): WalletSignIn {
  const signIn = signIns.get(name);
  if (signIn === undefined) throw new Error(`Wallets cannot sign in to ${name} before it is open.`);
  return signIn;
}

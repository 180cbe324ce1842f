/**
 * "Open on your phone": a second listener for other devices of the network, off by default. It serves the window and
 * the routes that are declared `forDevices` to devices that were linked with a one-time code, and nothing else to
 * anybody. Its app never gets the owner token (`createDeviceIdentity`). Switching it off ends the listener and every
 * answer in progress, and keeps the devices linked: they are let in again once it is on. Signing a device out ends its
 * session at once. The choice survives restarts; a listener that cannot be opened then is tried again, and the window
 * says why.
 */

import type { Clock } from '../../platform/clock.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { browserOf, deviceKey, type SessionStore, SignInCodes } from '../accounts/service.ts';
import { Guesses } from './guesses.ts';
import type { DeviceAccess, DoorChange } from './schema.ts';
import { type DoorChoice, readDoor, writeDoor } from './store.ts';

/** Long enough to find the camera; the window renews the code. */
const CODE_LIFE_MS = 2 * MINUTE_MS;

/** An interface may appear after the start of the computer. */
const TRY_AGAIN_MS = 15 * SECOND_MS;

const ALL_IPV4 = '0.0.0.0';

const NO_NETWORK = 'This computer is in no network. Connect it to the same network as the phone.';

export interface Door {
  close(): Promise<void>;
}

export interface DevicesDeps {
  storage: Storage;
  clock: Clock;
  log: Logger;
  /** Sessions of linked devices. */
  sessions: SessionStore;
  /** IPv4 addresses of this computer in its networks. */
  addresses(): readonly string[];
  /** Port of the appliance itself. */
  ownPort(): number;
  /** Opens the listener. Errors: those of Node's `listen`. */
  openDoor(place: { host: string; port: number }): Promise<Door>;
}

export class Devices {
  readonly sessions: SessionStore;
  readonly #deps: DevicesDeps;
  readonly #codes: SignInCodes;
  readonly #guesses: Guesses;
  #choice: DoorChoice;
  #door: Door | null = null;
  #failure: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** Changes run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: DevicesDeps) {
    this.#deps = deps;
    this.sessions = deps.sessions;
    this.#codes = new SignInCodes(deps.clock, CODE_LIFE_MS);
    this.#guesses = new Guesses(deps.clock);
    this.#choice = readDoor(deps.storage.db);
  }

  /** Port of the listener, for the name of its cookie. */
  get doorPort(): number {
    return this.#choice.port;
  }

  /** Opens the listener where it is on. A failure stops no start. */
  async startDevices(): Promise<void> {
    await this.#runDoorChangeInOrder(() => this.#openIfOn());
    this.#timer = setInterval(() => void this.#runDoorChangeInOrder(() => this.#openIfOn()), TRY_AGAIN_MS).unref();
  }

  async closeDevices(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#runDoorChangeInOrder(() => this.#shutDeviceDoor());
  }

  deviceAccessView(): DeviceAccess {
    const { on, address, port } = this.#choice;
    return {
      on,
      address,
      port,
      listening: this.#door !== null,
      problem: on ? this.#deviceDoorProblem() : null,
      addresses: [...this.#deps.addresses()],
      urls: this.#deviceDoorUrls(),
      devices: this.sessions.listUserSessions().map((session) => ({
        deviceId: session.id,
        name: deviceKey(session).name,
        linkedAt: toIsoTime(session.createdAt),
        lastUsedAt: toIsoTime(session.lastUsedAt),
        expiresAt: toIsoTime(this.sessions.expiresAt(session)),
      })),
    };
  }

  /**
   * Opens, moves or closes the listener, and saves the choice. Where the new place cannot be opened, all stays as it
   * was. Errors: `conflict` with the remedy.
   */
  changeDeviceDoor(change: DoorChange): Promise<DeviceAccess> {
    return this.#runDoorChangeInOrder(async () => {
      const before = this.#choice;
      const next = { ...before, ...givenDoorChoice(change) };
      const isMoved = next.address !== before.address || next.port !== before.port;
      if (this.#door !== null && (!next.on || isMoved)) await this.#shutDeviceDoor();
      if (next.on && this.#door === null) {
        const failure = await this.#openDeviceDoor(next);
        if (failure !== null) {
          await this.#openIfOn();
          throw new QuarryError('conflict', failure);
        }
      }
      if (!next.on) this.#codes.clearSignInCodes();
      this.#choice = next;
      this.#deps.storage.transaction((tx) => writeDoor(tx, next));
      return this.deviceAccessView();
    });
  }

  /** A code for the next device. Errors: `conflict` while no device could use it. */
  createCode(): { code: string; links: string[]; expiresAt: string } {
    if (this.#door === null) {
      throw new QuarryError('conflict', this.#failure ?? 'Switch on "Open on your phone" first.');
    }
    const problem = this.#deviceDoorProblem();
    if (problem !== null) throw new QuarryError('conflict', problem);
    const { code, expiresAt } = this.#codes.issueSignInCode();
    return { code, links: this.#deviceDoorUrls().map((url) => `${url}/link#${code}`), expiresAt: toIsoTime(expiresAt) };
  }

  /**
   * Links the device that sends a code. Its earlier session, if it has one, ends. Errors: `unauthorized` for a wrong,
   * used or expired code, `rate_limited` after many.
   */
  linkDeviceByCode(code: string, from: { address: string | undefined; userAgent: string; replaced: string | null }) {
    this.#guesses.checkGuessLimit(from.address);
    if (this.#door === null || !this.#codes.redeemSignInCode(code)) {
      this.#guesses.countWrongGuess(from.address);
      throw new QuarryError('unauthorized', 'The code was used, has expired or is wrong. Scan the code once more.');
    }
    if (from.replaced !== null) this.sessions.revokeSessions(({ id }) => id === from.replaced);
    return this.sessions.createUserSession(from.userAgent, this.#deviceNameOf(from.userAgent));
  }

  /** Ends the session of a device, with every answer that is being sent to it. Errors: `not_found`. */
  signOut(deviceId: string): void {
    if (this.sessions.revokeSessions(({ id }) => id === deviceId) > 0) return;
    throw new QuarryError('not_found', 'There is no such device. GET /admin/devices lists them.');
  }

  #deviceNameOf(userAgent: string): string {
    const taken = new Set(this.sessions.listUserSessions().map(({ device }) => device));
    const name = browserOf(userAgent);
    if (!taken.has(name)) return name;
    let number = 2;
    while (taken.has(`${name} (${number})`)) number += 1;
    return `${name} (${number})`;
  }

  #deviceDoorProblem(): string | null {
    if (this.#failure !== null) return this.#failure;
    if (this.#choice.address !== null || this.#deps.addresses().length > 0) return null;
    return NO_NETWORK;
  }

  #deviceDoorUrls(): string[] {
    const { address, port } = this.#choice;
    const hosts = address === null ? this.#deps.addresses() : [address];
    return hosts.map((host) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  }

  async #openIfOn(): Promise<void> {
    if (!this.#choice.on || this.#door !== null) return;
    const earlier = this.#failure;
    const failure = await this.#openDeviceDoor(this.#choice);
    this.#failure = failure;
    if (failure !== null && failure !== earlier) this.#deps.log.warn(failure);
  }

  /** Returns why the listener could not be opened. */
  async #openDeviceDoor({ address, port }: DoorChoice): Promise<string | null> {
    if (port === this.#deps.ownPort()) return `Port ${port} is that of Quarry itself. Choose another one.`;
    if (address === null && this.#deps.addresses().length === 0) return NO_NETWORK;
    try {
      this.#door = await this.#deps.openDoor({ host: address ?? ALL_IPV4, port });
      this.#failure = null;
      return null;
    } catch (error) {
      return doorFailureReason(error, address, port);
    }
  }

  async #shutDeviceDoor(): Promise<void> {
    const door = this.#door;
    this.#door = null;
    await door?.close();
  }

  #runDoorChangeInOrder<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(run);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** The fields that a change names. */
function givenDoorChoice({ on, address, port }: DoorChange): Partial<DoorChoice> {
  const change: Partial<DoorChoice> = {};
  if (on !== undefined) change.on = on;
  if (address !== undefined) change.address = address;
  if (port !== undefined) change.port = port;
  return change;
}

function doorFailureReason(error: unknown, address: string | null, port: number): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `Another program uses port ${port}. Choose another port.`;
  if (code === 'EADDRNOTAVAIL') return `This computer does not have the address ${address}. Choose another address.`;
  if (code === 'EACCES') return `This system does not let Quarry open port ${port}. Choose a port above 1023.`;
  return `Port ${port} could not be opened (${code ?? 'unknown reason'}). Choose another port.`;
}

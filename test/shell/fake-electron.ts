/** A mirror of Electron's downloads on loopback, with an archive that has the layout of the real one and runs nothing. */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { zipSync } from 'fflate';

/** What `@electron/fuses` looks for in the binary, followed by the version, the number of fuses, and their states. */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSE_VERSION = 1;
const FUSE_COUNT = 8;
const FUSE_OFF = '0';

/** Files beside the program that a package keeps. */
const COMPANIONS = ['chrome-sandbox', 'icudtl.dat', 'locales/en-US.pak', 'resources.pak', 'LICENSES.chromium.html'];

function fakeArchive(): Uint8Array {
  const program = Buffer.concat([
    Buffer.from(`\x7fELF fake ${FUSE_SENTINEL}`),
    Buffer.from([FUSE_VERSION, FUSE_COUNT]),
    Buffer.from(FUSE_OFF.repeat(FUSE_COUNT)),
  ]);
  const others = ['LICENSE', 'version', 'resources/default_app.asar', ...COMPANIONS];
  const files = others.map((name) => [name, Buffer.from(name)] as const);
  return zipSync({ electron: [program, { attrs: 0o755 << 16, os: 3 }], ...Object.fromEntries(files) });
}

/** The states of the fuses in a program, as `0` and `1`. */
export function fusesOf(program: Buffer): string {
  const place = program.indexOf(FUSE_SENTINEL) + FUSE_SENTINEL.length + 2;
  return program.subarray(place, place + FUSE_COUNT).toString();
}

/** Serves the archive as GitHub's releases do, and answers nothing as a proxy; remembers what it was asked for. */
export class ElectronMirror implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly strangers: string[] = [];
  readonly #server: Server;
  #address = '';

  constructor(version: string) {
    const archive = fakeArchive();
    const name = `electron-v${version}-linux-${process.arch}.zip`;
    const sums = `${createHash('sha256').update(archive).digest('hex')} *${name}\n`;
    const files = new Map<string, Uint8Array | string>([
      [`/v${version}/${name}`, archive],
      [`/v${version}/SHASUMS256.txt`, sums],
    ]);
    this.#server = createServer(({ url = '' }, response) => {
      // A client may ask through the proxy for what the proxy itself has.
      const path = url.startsWith(this.#address) ? url.slice(this.#address.length - 1) : url;
      (path.startsWith('/') ? this.asked : this.strangers).push(path);
      const file = files.get(path);
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    this.#server.on('connect', ({ url = '' }, socket) => {
      this.strangers.push(url);
      socket.destroy();
    });
  }

  /** Resolves to the environment of a process that downloads from here, and reaches everything else through here. */
  async environment(cacheFolder: string): Promise<Record<string, string>> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
    this.#address = address;
    return {
      ELECTRON_MIRROR: address,
      ELECTRON_BUILDER_CACHE: cacheFolder,
      XDG_CACHE_HOME: cacheFolder,
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: address,
      HTTPS_PROXY: address,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

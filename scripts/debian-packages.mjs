/**
 * Installs the Debian packages that some tests need (scripts/debian-packages.txt) if no confirmation is required: on
 * Debian, as root. Elsewhere it prints what is missing and continues, because a test without its program is skipped
 * with a reason.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';

const APT_TIMEOUT_MS = 10 * 60_000;
const APT = '/usr/bin/apt-get';
const QUIET = ['-qq', '-y', '--no-install-recommends', '-o', 'Dpkg::Use-Pty=0', '-o', 'DPkg::Lock::Timeout=120'];

const wanted = readFileSync(new URL('./debian-packages.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(Boolean);
if (existsSync(APT)) installMissing();
else say(`Some tests are skipped unless these programs are installed: ${wanted.join(', ')}.`);

function installMissing() {
  const absent = missing();
  if (absent.length === 0) return;
  if (process.getuid?.() !== 0) {
    say(`Some tests will be skipped. To run them all: sudo apt-get install ${absent.join(' ')}`);
    return;
  }
  say(`Installing Debian packages for the tests: ${absent.join(' ')}`);
  // The package list may be absent or old; it is fetched only if the install fails without it.
  if (!apt('install', ...QUIET, ...absent)) {
    apt('update', '-qq');
    apt('install', ...QUIET, ...absent);
  }
  const left = missing();
  if (left.length > 0) say(`Not installed, so their tests will be skipped: ${left.join(' ')}`);
}

function missing() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query fills these in.
  const format = '${Package} ${db:Status-Status}\n';
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', format, ...wanted], { encoding: 'utf8' });
  const present = new Set(stdout.split('\n').filter((line) => line.endsWith(' installed')));
  return wanted.filter((name) => !present.has(`${name} installed`));
}

function apt(...args) {
  // Tests start the proxies themselves: at this runlevel the packages start no service.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync(APT, args, { stdio: ['ignore', 2, 2], env, timeout: APT_TIMEOUT_MS }).status === 0;
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

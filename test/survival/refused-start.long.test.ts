import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src-server/config.ts';
import { VERSION } from '../../src-server/platform/version.ts';
import { runServe, startApplianceProcess } from '../harness/appliance-process.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry test '));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a server that cannot start says in a sentence what to change, and ends with 1', () => {
  test('where the data folder is a file', async () => {
    const dataDir = join(folder, 'a file');
    await writeFile(dataDir, 'Not a folder.');
    const message = `The data folder ${dataDir} cannot be used: file already exists. Give another with --data-dir.\n`;
    expect(await runServe(['--port', '0', '--data-dir', dataDir])).toEqual({ code: 1, stdout: '', stderr: message });
  });

  test('where the models folder is a file', async () => {
    const modelsDir = join(folder, 'one.gguf');
    await writeFile(modelsDir, 'Not a folder.');
    const message = `The models folder ${modelsDir} cannot be used: file already exists. Give another with --models-dir.\n`;
    const refused = await runServe(['--port', '0', '--data-dir', join(folder, 'data'), '--models-dir', modelsDir]);
    expect(refused).toEqual({ code: 1, stdout: '', stderr: message });
  });

  test.runIf(process.platform === 'linux')('where the system makes no folders', async () => {
    const message =
      'The data folder /proc/quarry/data cannot be used: no such file or directory. Give another with --data-dir.\n';
    const refused = await runServe(['--port', '0', '--data-dir', '/proc/quarry/data']);
    expect(refused).toEqual({ code: 1, stdout: '', stderr: message });
  });

  test.runIf(process.platform === 'linux')('where the folder belongs to another user, with both users', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'quarry other '));
    const isRoot = process.getuid?.() === 0;
    // Root may write everywhere, so the server runs as another user; others take their own right away.
    const other = 65_534;
    await chmod(dataDir, isRoot ? 0o700 : 0o500);
    try {
      const cli = join(import.meta.dirname, '../../src-server/cli.ts');
      const options = isRoot ? { uid: other, gid: other } : {};
      const args = [cli, 'serve', '--port', '0', '--data-dir', dataDir];
      const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
        execFile(process.execPath, args, options, (error, _, stderr) => resolve({ code: error?.code, stderr }));
      });
      const [owner, own] = isRoot ? [0, other] : [process.getuid?.(), process.getuid?.()];
      const users = `no permission to write to ${dataDir}, which belongs to user ${owner}; this process is user ${own}`;
      const way = isRoot ? `chown it to ${own}` : 'chmod u+rwx it';
      const message = `The data folder ${dataDir} cannot be used: ${users}: ${way}. Give another with --data-dir.\n`;
      expect(ended).toEqual({ code: 1, stderr: message });
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  test('where the address is none of this machine', async () => {
    // Set aside for documentation: no machine has it, and binding to it sends nothing.
    const address = ['--host', '192.0.2.1', '--port', '0'];
    const message = 'Cannot listen on 192.0.2.1, port 0: address not available. Give others with --host and --port.\n';
    const refused = await runServe([...address, '--data-dir', join(folder, 'data')]);
    expect(refused).toEqual({ code: 1, stdout: '', stderr: message });
  });

  test.each([
    ['is damaged', "pragma writable_schema = 1; update sqlite_master set sql = 'none'", 'damaged (SQLITE_CORRUPT)'],
    ['comes from a newer version', "insert into kysely_migration values ('999-later', '2100')", 'another version'],
  ])('where a database %s', async (_, harm, reason) => {
    const dataDir = join(folder, reason);
    await (await startApplianceProcess({ dataDir })).kill('SIGTERM');
    const database = new SqliteDatabase(join(dataDir, 'production', 'quarry.db'));
    database.unsafeMode().exec(harm).close();
    const refused = await runServe(['--port', '0', '--data-dir', dataDir]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/^The data folder .* cannot be used: [^\n]*\.\n$/);
    expect(refused.stderr).toContain(reason);
  });

  test('where variables ask for a settlement that they do not describe, each by its name', async () => {
    const refused = await runServe(['--port', '0', '--data-dir', join(folder, 'data')], {
      QUARRY_SETTLEMENT: 'onchain',
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr.split('\n')).toEqual([
      'Settlement by onchain needs more than was given.',
      expect.stringMatching(/^QUARRY_PAY_TO: /),
      expect.stringMatching(/^QUARRY_RPC_URL: /),
      expect.stringMatching(/^QUARRY_PRIVATE_KEY: /),
      '',
    ]);
  });
});

describe('a question about the program is answered, and no server starts', () => {
  test.each([['--help'], ['-h']])('%s says the commands, the flags and the variables', async (flag) => {
    const answer = await runServe([flag]);
    expect(answer).toMatchObject({ code: 0, stderr: '' });
    for (const said of ['doctor', '--data-dir', 'QUARRY_SETTLEMENT']) expect(answer.stdout).toContain(said);
  });

  test('--version says the version alone', async () => {
    expect(await runServe(['--version'])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });
});

describe('flags and variables', () => {
  test.each([
    [['--port', 'abc'], '--port, or QUARRY_PORT, is not usable: give a number from 0 to 65535.'],
    [['--port', '65536'], '--port, or QUARRY_PORT, is not usable: give a number from 0 to 65535.'],
    [['--port', ''], '--port, or QUARRY_PORT, is not usable: give a number from 0 to 65535.'],
    [['--data-dir', ''], '--data-dir, or QUARRY_DATA_DIR, is not usable: give a folder.'],
    [
      ['--log-level', 'loud'],
      '--log-level, or QUARRY_LOG_LEVEL, is not usable: give one of fatal, error, warn, info, debug, silent.',
    ],
  ])('%j is refused with what to give', (flags, message) => {
    expect(() => readConfig(flags, {})).toThrow(message);
  });

  test('a variable that is set to nothing is as good as none', () => {
    const nothing = { QUARRY_PORT: '', QUARRY_DATA_DIR: '', QUARRY_HOST: '', QUARRY_LOG_LEVEL: '' };
    const config = readConfig([], { ...nothing, XDG_DATA_HOME: '', LOCALAPPDATA: '' });
    expect(config).toMatchObject({ host: '127.0.0.1', port: 8402, logLevel: 'info' });
    expect(config.dataDir.startsWith(homedir())).toBe(true);
  });
});

/**
 * The headless entry: `serve`, `token`, `doctor`. It checks Node's version before it loads anything native, since
 * better-sqlite3 ends an older Node without a word.
 */
const NODE_MAJOR_MIN = 24;
/** What is only asked about the program: no server starts. */
const QUESTIONS = ['--help', '-h', '--version'];

async function main(): Promise<void> {
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
    process.stderr.write(
      `Quarry needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.versions.node}. Use: npm start\n`,
    );
    process.exitCode = 1;
    return;
  }
  const argv = process.argv.slice(2);
  // From source each start may meet other code; what is built stays.
  if (
    argv[0] === 'serve' &&
    !argv.some((argument) => QUESTIONS.includes(argument)) &&
    !import.meta.url.endsWith('.ts')
  ) {
    (await import('./compiled-code.ts')).keepCompiledCode(new URL(import.meta.url), argv.slice(1), process.env);
  }
  const { runCommand } = await import('./commands.ts');
  process.exitCode = await runCommand(argv, import.meta.url);
}

await main();

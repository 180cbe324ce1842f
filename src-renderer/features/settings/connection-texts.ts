export const backups = {
  title: 'Backups',
  about: 'Texts, originals, notes, tags, versions and settings. Models are left out: Quarry can download them again.',
  noFolder: 'Choose a backup folder above and save it first.',
  into: (folder: string) => `Into ${folder}`,
  unreadable: 'The backup folder cannot be read. Is its disk connected?',
  making: 'A backup is being made. You can go on working.',
  older: (count: number) => (count === 1 ? 'and 1 older one' : `and ${count} older ones`),
  now: 'Back up now',
  restore: 'Bring a backup back',
  restoreAbout:
    'Stop Quarry, run this command in its folder, and start it again. It checks the backup first. ' +
    'With --force it replaces data that is there, and keeps that beside it.',
};

export const aiApps = {
  title: 'AI apps on this computer',
  about: 'An app you connect can find and read what is in your library, with the source named.',
  apps: { claude: 'Claude', cursor: 'Cursor', vscode: 'VS Code', other: 'Another app' },
  paste: {
    claude: 'Paste it into a terminal, for Claude Code.',
    cursor: 'Paste it into .cursor/mcp.json of your project, then restart Cursor.',
    vscode: 'Paste it into .vscode/mcp.json of your project.',
    other: 'For apps that speak MCP over HTTP: the address, and the header to send with it.',
  },
  may: 'What it may do',
  read: 'Search and read the library',
  run: 'Add files and addresses, make sounds and texts',
  copy: 'Copy with a new key',
  again: 'Make another key',
  keyOf: (app: string) => `${app} (MCP)`,
  copied: (name: string) => `Copied, with the key “${name}”. The key is shown this once.`,
  made: (name: string) => `The key “${name}” is made. Copy the text below.`,
  chooseSome: 'Choose at least one.',
  programs: 'Programs that speak the OpenAI API',
  programsAbout: 'Speech, transcription, text and embeddings from this computer. Use this base address with a key.',
  base: 'Base address',
};

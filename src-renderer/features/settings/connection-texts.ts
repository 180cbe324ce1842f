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
  restoreAbout: 'The library, notes and settings of that day replace those of today, which stay in a folder beside.',
  restoreOf: (name: string) => `Bring back ${name}`,
  choose: 'Bring back',
  ask: (when: string) => `Bring back the backup of ${when}?`,
  askAbout: (when: string) =>
    `What you added, wrote and changed after ${when} leaves the library. Nothing is deleted: the data of today stays ` +
    'in a folder beside. The backup is checked first, and takes its place when Quarry starts again. Until then you ' +
    'can cancel.',
  yes: 'Check it and bring it back',
  no: 'Keep what is here',
  preparing: 'The backup is being copied and checked. You can go on working.',
  ready: (name: string) => `${name} is ready. Quit Quarry and start it again: then it is in place.`,
  cancel: 'Keep what is here',
  failed: (name: string, why: string) => `${name} cannot be brought back. Nothing was changed. ${why}`,
  replaced: 'What was there before a backup was brought back. Delete these folders when you no longer need them.',
};

export const mirrors = {
  title: 'Folders that stay in step',
  about:
    'Copies of your texts as Markdown with front matter, for an Obsidian vault or any editor. Quarry writes to them ' +
    'and never reads them back.',
  none: 'There is none. Select items in the Library, choose Export, then “A folder that stays in step”.',
  of: (filter: string) => (filter === '' ? 'All items' : filter),
  inStep: 'In step, last written',
  writing: 'Being written',
  failed: 'It could not be written.',
  kept: (count: number) =>
    count === 1
      ? '1 file is yours or was changed by you, and stays'
      : `${count} files are yours or were changed by you, and stay`,
  now: 'Write now',
  end: (path: string) => `Stop following ${path}. Its files stay`,
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

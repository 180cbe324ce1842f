/**
 * What the desktop shell, the server process that it runs, and the page in its window say to each other. Types only:
 * the three share no code.
 */

/**
 * Where the server answers and how its owner is known to it. Goes from the server to the shell, and no further.
 */
export interface ShellSession {
  /** Origin of the server, without a trailing slash: `http://127.0.0.1:8402`. */
  baseUrl: string;
  /** The owner's bearer token. It never travels in an address, an argument or an environment variable. */
  ownerToken: string;
}

/** What the preload puts on `window.quarry`. Absent in a plain browser, where the owner signs in with a link. */
export interface ShellBridge {
  /** A code that `POST /login` takes once, in place of the owner's token, which the page never gets. */
  signInCode(): Promise<string>;
  /** The folder that the owner chooses in a dialog of the system; null when the dialog is cancelled. */
  chooseFolder(): Promise<string | null>;
  /** Shows a folder in the file manager of the system. */
  showFolder(path: string): Promise<void>;
  /** Shows menus, dialogs and notifications in a language too; null follows the system. `language`: BCP 47 tag. */
  showLanguage(language: string | null): Promise<void>;
}

/** From the server process to the shell. */
export type ServerProcessMessage =
  | ChildOrder
  /** `attached`: the server belongs to another process on the same data folder, and outlives this shell. */
  | { type: 'ready'; session: ShellSession; attached: boolean }
  /** The server did not start. `message` is one public sentence. `takenPort`: because another program has this port. */
  | { type: 'failed'; message: string; takenPort: number | null };

/** From the shell to the server process. */
export type ShellMessage = { type: 'stop' } | ChildNews;

/** The child programs: a shell starts these and no others. */
export type ChildProgramName = 'embedding' | 'media' | 'render' | 'speech' | 'text-model' | 'voice';

/** What the server asks of the shell for a child program, which it numbers itself. */
export type ChildOrder =
  | { type: 'child-start'; id: number; name: ChildProgramName }
  | { type: 'child-send'; id: number; message: unknown }
  | { type: 'child-end'; id: number };

/** What the shell tells of it. `child-began` has its process id. After `child-ended` nothing follows. */
export type ChildNews =
  | { type: 'child-began'; id: number; pid: number }
  | { type: 'child-said'; id: number; message: unknown }
  | { type: 'child-ended'; id: number; cause: string };

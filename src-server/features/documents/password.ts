import { QuarryError } from '../../platform/errors.ts';
import { secretOf } from '../../platform/memory-secrets.ts';
import { say } from '../../platform/text/say.ts';

/**
 * The password that the options of a stored request refer to, for the tasks that open the file. Errors:
 * `encrypted_input` for one of the process before a restart.
 */
export function knownPassword(options: { password?: string | undefined }): { password?: string } {
  if (options.password === undefined) return {};
  const password = secretOf(options.password);
  if (password !== null) return { password };
  throw new QuarryError(
    'encrypted_input',
    say`Quarry was restarted, and passwords are in its memory only. Send the file again with its password.`,
  );
}

/** Wrong arguments as one line that names the nearest flag or command. */

import { nearestName } from './text/nearest-name.ts';

/**
 * The sentence for an error of `parseArgs`.
 * @param flags names of the known flags, without dashes
 * @param command the command whose help lists them, such as `quarry key`
 */
export function flagProblem(error: unknown, flags: readonly string[], command: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const [, given = ''] = /'(-[^']*)'/.exec(message) ?? [];
    return unknownWord(`Unknown option ${given}.`, given, [...flags, 'help', 'version'].map(longFlag), command);
  }
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    const [, given = ''] = /'(.*)'\./s.exec(message) ?? [];
    return `Unexpected argument ${given}. ${seeHelp(command)} After npm start, -- comes before the flags.`;
  }
  const [sentence = ''] = message.split(/\.?\n/, 1);
  return `${sentence}. ${seeHelp(command)}`;
}

/** The sentence for a word that is no command. */
export function commandProblem(given: string, commands: readonly string[], command: string): string {
  return unknownWord(`There is no command "${given}".`, given, commands, command);
}

function unknownWord(sentence: string, given: string, known: readonly string[], command: string): string {
  const nearest = nearestName(given, known);
  return `${sentence} ${nearest === undefined ? '' : `Did you mean ${nearest}? `}${seeHelp(command)}`;
}

function longFlag(name: string): string {
  return `--${name}`;
}

function seeHelp(command: string): string {
  return `See ${command} --help.`;
}

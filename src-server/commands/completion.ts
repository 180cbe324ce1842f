import type { Command, Option } from 'commander';

/** `quarry completion <shell>` prints a script that asks `quarry complete -- <words>` at each press of Tab. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** The line that says that names of files fit too. */
const FILES = ':files';

/** Arguments and options whose values are paths. */
const PATHS: ReadonlySet<string> = new Set(['sources', 'output', 'data-dir']);

/**
 * What may be in place of the last word, as lines of value, tab and description. Values are whole words:
 * `--format=txt` for `--format=`.
 */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const current = words.at(-1) ?? '';
  const { command, option, operands } = completionPlace(program, words.slice(0, -1));
  if (option !== undefined) return valuesOf(option.name(), option.argChoices, current);
  if (current.startsWith('-')) return optionsOf(command, current);
  const argument = command.registeredArguments[operands] ?? command.registeredArguments.at(-1);
  if (argument !== undefined) return valuesOf(argument.name(), argument.argChoices, current);
  if (operands > 0) return [];
  const commands = command.createHelp().visibleCommands(command);
  return matchingCandidates(
    commands.map((one) => [one.name(), one.description()]),
    current,
  );
}

interface Place {
  command: Command;
  /** The option whose value comes next. */
  option: Option | undefined;
  /** Operands of the command so far. */
  operands: number;
}

function completionPlace(program: Command, before: readonly string[]): Place {
  let place: Place = { command: program, option: undefined, operands: 0 };
  for (const word of before) {
    const { command, option, operands } = place;
    if (option !== undefined) place = { ...place, option: undefined };
    else if (word.startsWith('-') && word !== '-') place = { ...place, option: waitingOption(command, word) };
    else {
      const inner = operands === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      place = { command: inner ?? command, option: undefined, operands: inner === undefined ? operands + 1 : 0 };
    }
  }
  return place;
}

function waitingOption(command: Command, word: string): Option | undefined {
  return command.options.find(
    ({ short, long, ...one }) => [short, long].includes(word) && (one.required || one.optional),
  );
}

function optionsOf(command: Command, current: string): string[] {
  const [flag = '', value] = current.split(/=(.*)/s);
  if (value === undefined) {
    const options = command.createHelp().visibleOptions(command);
    return matchingCandidates(
      options.map(({ long, short, description }) => [long ?? short ?? '', description]),
      current,
    );
  }
  const option = waitingOption(command, flag);
  if (option === undefined) return [];
  return matchingCandidates(
    (option.argChoices ?? []).map((one) => [`${flag}=${one}`, '']),
    current,
  );
}

function valuesOf(name: string, choices: readonly string[] | undefined, current: string): string[] {
  const values = matchingCandidates(
    (choices ?? []).map((one) => [one, '']),
    current,
  );
  return PATHS.has(name) ? [...values, FILES] : values;
}

function matchingCandidates(
  candidates: readonly (readonly [value: string, about: string])[],
  current: string,
): string[] {
  return candidates.flatMap(([value, about]) => (value.startsWith(current) ? [`${value}\t${about}`] : []));
}

/** Needs bash 3.2, that of macOS, and no further package. Nothing of the line is run. */
const BASH = String.raw`# bash completion for quarry
_quarry() {
  local word last='' value files='' prefix=''
  local -a words=()
  # Bash splits words at = and :.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ \${#words[@]} -gt 0 && ( $word == [=:]* || $last == [=:] ) ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    last=$word
  done
  word=\${words[\${#words[@]}-1]}
  [[ $word == *=* ]] && prefix=\${word%=*}=
  COMPREPLY=()
  while IFS=$'\t' read -r value _; do
    if [[ $value == ${FILES} ]]; then files=1; else COMPREPLY+=("\${value#"$prefix"}"); fi
  done < <(quarry complete -- "\${words[@]}" 2>/dev/null)
  [[ $files ]] || compopt +o default 2>/dev/null
}
complete -o default -F _quarry quarry
`;

const ZSH = String.raw`#compdef quarry
_quarry() {
  local value about files
  local -a values
  while IFS=$'\t' read -r value about; do
    if [[ $value == ${FILES} ]]; then files=1; else values+=("\${value//:/\\:}:$about"); fi
  done < <(quarry complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && _describe quarry values
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _quarry ]]; then _quarry "$@"; else compdef _quarry quarry; fi
`;

const FISH = `# fish completion for quarry
function __quarry_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    set -l found (quarry complete -- $words[2..-1] "$last" 2>/dev/null)
    for line in $found
        if test "$line" = ${FILES}
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c quarry -f -a '(__quarry_complete)'
`;

export function completionScript(shell: Shell): string {
  const script = { bash: BASH, zsh: ZSH, fish: FISH }[shell];
  return script.replaceAll('\\${', '${');
}

// Options that several commands have alike.

import { type Command, Option } from 'commander'

/** Hosts asked at once. Pages that are kept together share commits and syncs (two runs each by turns, on a fast web:
 * a twelfth less processor time than with 64, no less still with 256, and with 16 nearly half as much again). Politeness is kept per host and
 * address, whatever this is. */
export const concurrencyDefault = 128

/** For options that may be given more than once. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

const selectionHelp = {
  url: 'this URL alone',
  prefix: 'all URLs that start like this one',
  host: 'all URLs of this host',
  site: 'all URLs of this site: a registrable domain with its subdomains',
}

export function addSelection(command: Command, kinds: (keyof typeof selectionHelp)[]): Command {
  for (const kind of kinds) {
    const others = kinds.filter((other) => other !== kind)
    command.addOption(
      new Option(`--${kind} <${kind === 'prefix' ? 'url' : kind}>`, selectionHelp[kind]).conflicts(others),
    )
  }
  return command
}

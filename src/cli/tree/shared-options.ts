// Options that several commands have alike.

import { type Command, Option } from 'commander'

/** Hosts asked at once. */
export const concurrencyDefault = 64

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

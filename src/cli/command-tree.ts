// Which commands there are: names, arguments, options and help, in the order in which --help lists them. What they do is in
// commands/, loaded when called.
//
// Those that need no archive stand here. All others are loaded only when it is none of these that is asked for: to name them takes
// longer than `polyhistor url` does.

import type { Command } from 'commander'
import type { Perform } from './program.ts'

/** `asked`: the first word of the command line. */
export async function addCommands(
  program: Command,
  perform: Perform,
  asked: string | undefined,
): Promise<void> {
  addFirstCommands(program, perform)
  if (program.commands.some((command) => command.name() === asked)) return
  const { addArchiveCommands } = await import('./tree/all-commands.ts')
  addArchiveCommands(program, perform)
}

function addFirstCommands(program: Command, perform: Perform): void {
  program
    .command('config')
    .description('show the effective configuration: each value, where it comes from and what it trades off')
    .action(perform(async () => (await import('./commands/config.ts')).showConfiguration))

  program
    .command('url')
    .description(
      'show how the archive understands URLs: as fetched, as key, host, site and place on the ring',
    )
    .argument('<url...>', 'URLs, or - for one a line from standard input')
    .action(perform(async () => (await import('./commands/url.ts')).showUrls))

  program
    .command('demo')
    .description('five peers and a little web on this machine, at work on one page; ends without a trace')
    .option('--http <host:port>', 'where its page is (default: localhost:7080, or any free port)')
    .action(perform(async () => (await import('./commands/demo.ts')).showDemo))

  program
    .command('doctor')
    .description(
      'whether this machine and the home have what a peer needs (runtime, home, store, disk, open files, clock, ports, browser), and whether others reach it; the exit code is 1 where something is not well',
    )
    .option(
      '--mend',
      'do what can be done about it: close the home to other users, remove what killed processes left, make a damaged format mark or index anew, fetch a browser that is asked for',
    )
    .action(perform(async () => (await import('./commands/doctor.ts')).examine))
}

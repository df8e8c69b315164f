// Which commands there are: names, arguments, options and help, in the order in which --help lists them. What they do is in
// commands/, loaded when called.

import type { Command } from 'commander'
import type { Perform } from './program.ts'
import { addReadingCommands, addTransferCommands } from './tree/archive-commands.ts'
import { addCrawlCommands, addExplainCommand, addVisitsCommand } from './tree/crawl-commands.ts'
import { addPeerCommand, addRingCommands } from './tree/peer-commands.ts'
import { addStoreCommands } from './tree/store-commands.ts'

export function addCommands(program: Command, perform: Perform): void {
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

  addCrawlCommands(program, perform)
  addPeerCommand(program, perform)
  addRingCommands(program, perform)
  addExplainCommand(program, perform)
  addVisitsCommand(program, perform)
  addReadingCommands(program, perform)
  addTransferCommands(program, perform)
  addStoreCommands(program, perform)
}

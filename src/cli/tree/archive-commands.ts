// `versions`, `get`, `takedown`, `import` and `export`: what is in the archive, what goes in and comes out.

import { type Command, Option } from 'commander'
import { nonNegativeNumber } from '../input/option-values.ts'
import type { Perform } from '../program.ts'
import { addSelection } from './shared-options.ts'

export function addReadingCommands(program: Command, perform: Perform): void {
  program
    .command('versions')
    .description('list the versions of a URL, oldest first')
    .argument('<url>')
    .option('--from <time>', 'not older than this: 2020, 20200131 or 2020-01-31T12:00:00Z')
    .option('--to <time>', 'not newer than this')
    .option('--limit <count>', 'at most so many', nonNegativeNumber)
    .option('--newest-first', 'the other way round')
    .action(perform(async () => (await import('../commands/versions.ts')).showVersions))

  program
    .command('get')
    .description('print an archived page: its newest version, or the one nearest to a time')
    .argument('<url>')
    .option('--at <time>', 'the version nearest to this time: 2020, 20200131 or 2020-01-31T12:00:00Z')
    .option('--not-newer', 'with --at: the newest version that is not newer')
    .option('--headers', 'print the HTTP status line and headers first')
    .option('--decode', 'undo Content-Encoding; without it the bytes are printed as they came')
    .action(perform(async () => (await import('../commands/get.ts')).printCapture))

  addSelection(
    program
      .command('takedown')
      .description(
        'hide a URL, a prefix or a site at once; --release brings it back within store.takedownUndo (30 days)',
      ),
    ['url', 'prefix', 'site'],
  )
    .option('--reason <text>', 'why, for the record', '')
    .option('--release', 'bring back what was taken down')
    .option('--now', 'there is no way back on this peer: the next compaction ends the bytes')
    .option('--yes', 'do not ask')
    .option('--list', 'show what has been taken down')
    .action(perform(async () => (await import('../commands/takedown.ts')).takeDown))
}

export function addTransferCommands(program: Command, perform: Perform): void {
  program
    .command('import')
    .description(
      'take archives in: .warc, .warc.gz, .warc.zst, .arc, .arc.gz, .wacz, and JSON lists of .wacz; goes on where it was interrupted',
    )
    .argument('<file...>')
    .option('--again', 'read files that were imported before once more; mends what has rotted since')
    .action(perform(async () => (await import('../commands/import.ts')).importFiles))

  addSelection(
    program
      .command('export')
      .description('write captures to a .warc.gz or .wacz file: everything, or what is selected')
      .argument('<file>', 'ends in .warc.gz or .wacz; - for WARC on standard output'),
    ['url', 'prefix', 'host', 'site'],
  )
    .addOption(
      new Option(
        '--page <url>',
        'one version of this page, with everything it needs, from all hosts',
      ).conflicts(['url', 'prefix', 'host', 'site', 'from', 'to']),
    )
    .option('--at <time>', 'with --page: the version nearest to this time; the newest unless told')
    .option('--from <time>', 'not older than this: 2020, 20200131 or 2020-01-31T12:00:00Z')
    .option('--to <time>', 'not newer than this')
    .option('--title <text>', 'title of the WACZ')
    .option('--force', 'replace the file if it exists')
    .action(perform(async () => (await import('../commands/export.ts')).exportFile))
}

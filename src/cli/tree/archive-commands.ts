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

  program
    .command('links')
    .description('list the links of a page, or those that lead to it, on all peers')
    .option('--from <url>', 'links of this page')
    .option('--to <url>', 'links to this page')
    .option('--site', 'of, or to, all pages of its site')
    .option(
      '--at <time>',
      'as of this time: 2020, 20200131 or 2020-01-31T12:00:00Z; all that are known unless told',
    )
    .option('--limit <count>', 'at most so many', nonNegativeNumber)
    .action(perform(async () => (await import('../commands/links.ts')).showLinks))

  program
    .command('verify')
    .description(
      'see who captured a page, and whether every byte is what they signed: of a URL, a proof file, or all of a WARC or WACZ file',
    )
    .argument('<url-or-file>')
    .option('--at <time>', 'of a URL: the version nearest to this time')
    .option('--allow-unsigned', 'of a WARC or WACZ file: captures that nobody signed may be in it')
    .action(perform(async () => (await import('../commands/verify.ts')).verify))

  program
    .command('prove')
    .description('write a proof of who captured a page and when, which anybody can check; see docs/proof.md')
    .argument('<url>')
    .option('--at <time>', 'the version nearest to this time: 2020, 20200131 or 2020-01-31T12:00:00Z')
    .option('-o, --output <file>', 'where to; - or nothing for standard output')
    .option('--force', 'replace the file if it exists')
    .action(perform(async () => (await import('../commands/prove.ts')).proveCapture))

  program
    .command('search')
    .description('find archived pages by their words, as they are or as they were; see docs/search.md')
    .argument(
      '[words...]',
      'words, "phrases", -without, OR, title: url: site: lang: type: before: after: at:',
    )
    .option('--site <name>', 'only this site, or host')
    .option('--at <time>', 'as of this time: 2020, 2020-05-01; ever: all versions; the newest unless told')
    .option('--limit <count>', 'at most so many; 10 unless told', nonNegativeNumber)
    .option('--cursor <cursor>', 'what comes behind an earlier answer')
    .option('--facets', 'with --json: how many there are by site, year, type and language')
    .option('--rebuild', 'throw the index away first, and make it anew from all captures')
    // -word is for the query.
    .allowUnknownOption()
    .action(perform(async () => (await import('../commands/search.ts')).searchPages))

  program
    .command('rank')
    .description('list the most important pages, by the links between all archived pages (PageRank)')
    .option('--top <count>', 'so many, the best first; 20 unless told', nonNegativeNumber)
    .option('--site <site>', 'only pages of this site')
    .option('--sites', 'sites instead of pages: the sum of their pages')
    .action(perform(async () => (await import('../commands/rank.ts')).showRank))

  program
    .command('sql')
    .description(
      'ask the archive by SQL (DuckDB): tables pages, captures, links and changes; see docs/tables.md',
    )
    .argument('<query>', 'such as "select site, count(*) from captures group by site"')
    .action(perform(async () => (await import('../commands/sql.ts')).askTables))

  addSelection(
    program
      .command('takedown')
      .description(
        'hide a URL, a prefix or a site at once; --release brings it back within store.takedownUndo (30 days)',
      ),
    ['url', 'prefix', 'site'],
  )
    .option('--reason <text>', 'why, for the record; on a network it must be said', '')
    .option('--release', 'bring back what was taken down')
    .option('--now', 'there is no way back on this peer: the next compaction ends the bytes')
    .option('--yes', 'do not ask')
    .option('--list', 'show what has been taken down')
    .action(perform(async () => (await import('../commands/store/takedown.ts')).takeDown))
}

export function addTransferCommands(program: Command, perform: Perform): void {
  program
    .command('bridge')
    .description(
      'keep pages, captures, links and changes in a PostgreSQL in step with the running peer; see docs/bridge.md',
    )
    .argument('<address>', 'postgres://user:password@host:5432/name')
    .option('--schema <name>', 'where its tables are', 'polyhistor')
    .option('--once', 'end when all there is was bridged')
    .action(perform(async () => (await import('../commands/changes/bridge.ts')).bridgeTables))

  program
    .command('import')
    .description(
      'take archives in: .warc, .warc.gz, .warc.zst, .arc, .arc.gz, .wacz, and JSON lists of .wacz; goes on where it was interrupted',
    )
    .argument('<file...>')
    .option('--again', 'read files that were imported before once more; mends what has rotted since')
    .action(perform(async () => (await import('../commands/store/import.ts')).importFiles))

  addSelection(
    program
      .command('export')
      .description(
        'write captures to a .warc.gz or .wacz file, or tables to Parquet files: everything, or what is selected',
      )
      .argument(
        '<file>',
        'ends in .warc.gz, .wacz or .parquet; FOLDER/ for all tables; - for WARC on standard output',
      ),
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
    .option(
      '--table <name>',
      'with .parquet: pages, captures, links or changes; as the file is named unless told',
    )
    .option('--job <id>', 'with .parquet: what this job fetched')
    .option(
      '--partitioned',
      'with FOLDER/: many files, by crawl day and range of sites, for Spark, Trino and DuckDB',
    )
    .option('--title <text>', 'title of the WACZ')
    .option('--force', 'replace the file if it exists')
    .option('--private', 'with --profile: also what is private')
    .action(perform(async () => (await import('../commands/store/export.ts')).exportFile))
}

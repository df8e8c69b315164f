// `crawl`, `crawl log` and `explain`: fetching, and what became of it.

import { type Command, Option } from 'commander'
import { giveHeapRoom } from '../../platform/real/threads/heap-room.ts'
import { agentName, nonNegativeNumber, positiveNumber } from '../input/option-values.ts'
import type { Perform, Work } from '../program.ts'
import { collect, concurrencyDefault } from './shared-options.ts'

export function addCrawlCommands(program: Command, perform: Perform): void {
  const crawl = program
    .command('crawl')
    .description(
      'crawl URLs and what they lead to; Ctrl-C pauses, the same command goes on, and starts anew when it was done',
    )
    .argument('[url...]', 'where to start')
    .option('--depth <count>', 'follow links so many steps from a start', nonNegativeNumber)
    .addOption(
      new Option(
        '--scope <scope>',
        'how far from the starts: the page with all it needs, what lies below it, its host, its site, anywhere (default: host; with --profile: page)',
      ).choices(['page', 'prefix', 'host', 'site', 'any']),
    )
    .option('--include <regexp>', 'only URLs that match, and what such pages need (repeatable)', collect)
    .option('--exclude <regexp>', 'no URLs that match (repeatable)', collect)
    .option('--pages <count>', 'stop after so many pages', positiveNumber)
    .option('--bytes <size>', 'stop after so much, such as 500MB')
    .option('--time <time>', 'stop after so long, such as 2h')
    .option('--types <types>', 'keep only html,image,css,script,font,audio,video,pdf,other', 'all')
    .option(
      '--delay <ms>',
      'pause after each response of a host (default: five times as long as it took, 1 s to 30 s)',
      nonNegativeNumber,
    )
    .option('--concurrency <count>', 'hosts asked at once', positiveNumber, concurrencyDefault)
    .option('--sitemaps', 'also follow sitemaps')
    .addOption(
      new Option(
        '--browser <when>',
        'show pages in a browser, to keep what their scripts fetch: all, or those that would be empty without (default: crawl.browser)',
      ).choices(['auto', 'always', 'never']),
    )
    .option('--user-agent <name>', 'how to introduce ourselves', agentName)
    .option(
      '--allow-address <cidr>',
      'crawl this special range too, such as 127.0.0.0/8 (repeatable)',
      collect,
    )
    .option('--insecure', 'take certificates that cannot be verified, and note it in the archive')
    .option('--ignore-robots', 'do not ask robots.txt nor obey noarchive and nofollow: for your own sites')
    .option(
      '--seeds <file|url>',
      'starts from a list: URLs one a line, a sitemap, a feed, OPML, bookmarks of a browser; - for standard input',
    )
    .addOption(
      new Option('--priority <priority>', 'before or after other crawls of a peer').choices([
        'low',
        'normal',
        'high',
      ]),
    )
    .addOption(
      new Option(
        '--every <time>',
        'let a peer begin it every so often, such as 1d; at once the first time',
      ).conflicts(['cron', 'at']),
    )
    .addOption(
      new Option('--cron <fields>', 'let a peer begin it at these times, UTC: "0 3 * * *"').conflicts(['at']),
    )
    .option('--at <time>', 'let a peer begin it once, then: 2026-12-01T03:00Z')
    .action(perform(loadCrawl))

  crawl
    .command('log')
    .description('show what happened to each URL, and why')
    .option('--url <text>', 'only URLs with this text')
    .addOption(
      new Option('--outcome <outcome>', 'only what ended like this').choices([
        'new',
        'changed',
        'same',
        'not-kept',
        'failed',
        'retry',
        'refused',
      ]),
    )
    .option('--job <id>', 'only of this crawl')
    .action(perform(async () => (await import('../commands/crawl/crawl-log.ts')).showCrawlLog))
}

/** Its threads start first: they load what they need while this one does. */
async function loadCrawl(): Promise<Work> {
  giveHeapRoom()
  const { pageThreads } = await import('../../app/threads/page-threads.ts')
  const threads = pageThreads()
  threads.start()
  const { crawlUrls } = await import('../commands/crawl/crawl.ts')
  return (context, words, options) => crawlUrls(context, words, options, threads)
}

export function addExplainCommand(program: Command, perform: Perform): void {
  program
    .command('explain')
    .description('say whether and when a URL would be fetched, and why')
    .argument('<url>')
    .option('--robots-file <file>', 'answer from this robots.txt alone, without asking anyone')
    .option('--agent <name>', 'as this crawler')
    .option('--allow-address <cidr>', 'as if this special range were allowed (repeatable)', collect)
    .action(perform(async () => (await import('../commands/crawl/explain.ts')).explain))
}

export function addChangesCommand(program: Command, perform: Perform): void {
  program
    .command('changes')
    .description('show what has changed on the sites of the archive, and what changes')
    .option('--follow', 'go on with what changes from now on; all that is kept before it with --since')
    .option(
      '--since <cursor>',
      'from a cursor, a time (2026-11-17T10:00:00Z, 2026-11-17, or 1h, 7d ago) or "now" on',
    )
    .option('--site <site>', 'of this site')
    .option('--host <host>', 'of this host')
    .option('--prefix <url>', 'of URLs that begin like this one')
    .option('--pattern <regexp>', 'of URLs in which this regular expression (RE2) is found')
    .option('--kind <kinds>', 'of these kinds, with commas between: new, changed, moved, gone, back')
    .option('--min-change <share>', 'the least share of words that differ, 0 to 1')
    .option('--job <id>', 'of visits that this job asked for')
    .option('--all', 'with pictures, styles and scripts, and changes of parts that differ at every visit')
    .action(perform(async () => (await import('../commands/changes/changes.ts')).showChanges))
}

export function addSchedulesCommand(program: Command, perform: Perform): void {
  const load = () => import('../commands/crawl/schedules.ts')
  const schedules = program
    .command('schedules')
    .description('crawls that peers begin at their times (made by: crawl --every, --cron or --at)')
    .helpCommand(false)
  schedules
    .command('list')
    .description('show them, with the next time and the last')
    .action(perform(async () => (await load()).listSchedules))
  for (const [name, description, work] of [
    ['pause', 'begin no more runs of it', 'pauseSchedule'],
    ['resume', 'begin runs of it again', 'resumeSchedule'],
    ['remove', 'remove it; a run that is under way goes on', 'removeSchedule'],
  ] as const)
    schedules
      .command(name)
      .description(description)
      .argument('<id>', 'as schedules list shows it')
      .action(perform(async () => (await load())[work]))
}

export function addVisitsCommand(program: Command, perform: Perform): void {
  program
    .command('visits')
    .description('show which pages are visited again and when; change how often, or stop it')
    .option('--url <url>', 'of this page')
    .addOption(new Option('--site <site>', 'of this site').conflicts(['url']))
    .addOption(new Option('--all', 'of everything').conflicts(['url', 'site']))
    .option('--every <span>', 'from now on at least this often: 1d; or not more than and at least: 1h-7d')
    .addOption(new Option('--stop', 'not at all from now on').conflicts(['every']))
    .addOption(
      new Option('--resume', 'take back what was said with --every or --stop').conflicts(['every', 'stop']),
    )
    .option('--limit <count>', 'show so many', positiveNumber, 20)
    .action(perform(async () => (await import('../commands/crawl/visits.ts')).plannedVisits))
}

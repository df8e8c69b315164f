// `crawl`, `crawl log` and `explain`: fetching, and what became of it.

import { type Command, Option } from 'commander'
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
        'how far from the starts: the page with all it needs, what lies below it, its host, its site, anywhere',
      )
        .choices(['page', 'prefix', 'host', 'site', 'any'])
        .default('host'),
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
    .option('--seeds <file>', 'starts from a file, one a line; - for standard input')
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
    .action(perform(async () => (await import('../commands/crawl-log.ts')).showCrawlLog))
}

/** Its threads start first: they load what they need while this one does. */
async function loadCrawl(): Promise<Work> {
  const { pageThreads } = await import('../../app/threads/page-threads.ts')
  const threads = pageThreads()
  threads.start()
  const { crawlUrls } = await import('../commands/crawl.ts')
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
    .action(perform(async () => (await import('../commands/explain.ts')).explain))
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
    .action(perform(async () => (await import('../commands/visits.ts')).plannedVisits))
}

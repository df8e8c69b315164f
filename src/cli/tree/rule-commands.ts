// `rules …`: what is crawled and how, by site, host and pattern.

import { type Command, Option } from 'commander'
import type { Perform } from '../program.ts'

export function addRuleCommands(program: Command, perform: Perform): void {
  const rules = program
    .command('rules')
    .description('rules for what is crawled and how: by site, host, pattern or URL; they hold on all peers')
    .helpCommand(false)

  rules
    .command('list')
    .description('show the rules')
    .action(perform(async () => (await import('../commands/crawl/rules.ts')).listRules))

  targeted(rules.command('set'))
    .description(
      'set a rule, or change what is named of the one that there is; none as a value takes a matter out',
    )
    .addOption(new Option('--allow', 'crawl it, in spite of a broader rule that denies').conflicts('deny'))
    .option('--deny', 'do not crawl it; what is queued waits until that is taken back')
    .option('--access <access>', 'allow, deny, pause (what is found is queued and waits) or none')
    .option('--delay <time>', 'pause between two requests to a host, at least: 5s, 2m')
    .option('--hours <hours>', 'ask its hosts only then, each day, UTC: 22:00-06:00')
    .option('--fresh <span>', 'how often pages are visited again: 1d, 1h-7d, never')
    .option('--depth <count>', 'follow links so many steps from a start')
    .option('--types <types>', 'keep only html,image,css,script,font,audio,video,pdf,other')
    .option('--size <size>', 'keep so much of a response: 10MB')
    .option('--priority <priority>', 'low, normal or high')
    .option('--browser <when>', 'show its pages in a browser: auto, always, never')
    .action(perform(async () => (await import('../commands/crawl/rules.ts')).setRule))

  targeted(rules.command('remove'))
    .description('remove a rule; what it held back goes on')
    .action(perform(async () => (await import('../commands/crawl/rules.ts')).removeRule))

  rules
    .command('export')
    .description('write all rules as one TOML file')
    .argument('[file]', 'standard output unless told')
    .action(perform(async () => (await import('../commands/crawl/rules.ts')).exportRules))

  rules
    .command('import')
    .description('set the rules of a TOML file')
    .argument('<file>', 'as rules export writes it; - for standard input')
    .option('--replace', 'also remove the rules that the file does not name')
    .option('--dry-run', 'only say what would change')
    .action(perform(async () => (await import('../commands/crawl/rules.ts')).importRules))
}

function targeted(command: Command): Command {
  const others = (own: string): string[] =>
    ['site', 'host', 'pattern', 'url', 'all'].filter((name) => name !== own)
  const option = (name: string, flags: string, description: string): Option =>
    new Option(flags, description).conflicts(others(name))
  return command
    .addOption(option('site', '--site <site>', 'for a registrable domain and all its hosts'))
    .addOption(option('host', '--host <host>', 'for a host'))
    .addOption(
      option('pattern', '--pattern <regexp>', 'for URLs in which this regular expression is found (RE2)'),
    )
    .addOption(option('url', '--url <url>', 'for one URL'))
    .addOption(option('all', '--all', 'for everything, on this peer only'))
}

// `watch …` and `webhooks …`: what somebody wants to be told of, and who is told.

import { type Command, Option } from 'commander'
import { positiveNumber } from '../input/option-values.ts'
import type { Perform } from '../program.ts'
import { collect } from './shared-options.ts'

export function addWatchCommands(program: Command, perform: Perform): void {
  const load = () => import('../commands/changes/watch.ts')
  const watch = program
    .command('watch')
    .description('be told of changes: of a page, the pages below an address, or a site; see docs/watches.md')
    .helpCommand(false)

  settings(watch.command('add'))
    .description('watch a page; one that is not in the archive is archived first')
    .argument('<url>', 'the page')
    .addOption(new Option('--prefix', 'all pages whose addresses begin like this one').conflicts('site'))
    .option('--site', 'all pages of its site')
    .action(perform(async () => (await load()).addWatch))

  watch
    .command('list')
    .description('show the watches with what they last saw')
    .option('--limit <count>', 'at most so many', positiveNumber, 100)
    .action(perform(async () => (await load()).listWatches))

  watch
    .command('show')
    .description('show a watch with all that it saw, and the address of its feed')
    .argument('<id>', 'as watch list shows it, or the beginning of it')
    .action(perform(async () => (await load()).showWatch))

  settings(watch.command('change'))
    .description('change a watch; none as a value takes a setting out')
    .argument('<id>')
    .action(perform(async () => (await load()).changeWatch))

  settings(watch.command('test'))
    .description('show what would be watched of the newest version of a page in the archive')
    .argument('<url-or-id>', 'a page, or a watch')
    .option('--page <url>', 'try it on this page instead')
    .action(perform(async () => (await load()).testWatch))

  for (const [name, description, work] of [
    ['pause', 'tell nobody of it for now', 'pauseWatch'],
    ['resume', 'go on with it, from now on', 'resumeWatch'],
    ['remove', 'remove it with all that it saw; what is archived stays', 'removeWatch'],
  ] as const)
    watch
      .command(name)
      .description(description)
      .argument('<id>')
      .action(perform(async () => (await load())[work]))
}

export function addWebhookCommands(program: Command, perform: Perform): void {
  const load = () => import('../commands/changes/watch-webhooks.ts')
  const webhooks = program
    .command('webhooks')
    .description('who is sent what watches see: signed as Standard Webhooks has it, and again until taken')
    .helpCommand(false)

  webhooks
    .command('list')
    .description('show them, with what waits and what was given up')
    .action(perform(async () => (await load()).listWebhooks))

  webhooks
    .command('add')
    .description('send what watches see to an address; prints the secret, which is not shown again')
    .argument('<url>')
    .option('--watch <id>', 'only of this watch (repeatable); all unless told', collect)
    .option('--name <name>', 'what lists call it')
    .action(perform(async () => (await load()).addWebhook))

  webhooks
    .command('change')
    .description('send to another address, or of other watches')
    .argument('<id>')
    .option('--url <url>', 'where messages are sent to')
    .option('--watch <id>', 'only of this watch (repeatable)', collect)
    .addOption(new Option('--all', 'of all watches').conflicts('watch'))
    .option('--name <name>', 'what lists call it')
    .action(perform(async () => (await load()).changeWebhook))

  for (const [name, description, work] of [
    ['test', 'send it a message that says nothing', 'testWebhook'],
    ['secret', 'make a new secret; the one before still signs for a day', 'renewSecret'],
    ['pause', 'send nothing for now; messages wait', 'pauseWebhook'],
    ['resume', 'send again, at once', 'resumeWebhook'],
    ['remove', 'send nothing more; what waits is dropped', 'removeWebhook'],
  ] as const)
    webhooks
      .command(name)
      .description(description)
      .argument('<id>')
      .action(perform(async () => (await load())[work]))

  webhooks
    .command('dead-letters')
    .description('show messages that were given up, newest first')
    .argument('<id>')
    .option('--limit <count>', 'at most so many', positiveNumber, 20)
    .action(perform(async () => (await load()).listDeadLetters))

  webhooks
    .command('resend')
    .description('send dead letters again: all of them, or one')
    .argument('<id>')
    .argument('[message]', 'its id, as dead-letters shows it')
    .action(perform(async () => (await load()).resendDeadLetters))
}

function settings(command: Command): Command {
  return command
    .option('--name <name>', 'what lists and feeds call it')
    .addOption(new Option('--selector <css>', 'only what this CSS selector selects').conflicts('mainText'))
    .option('--main-text', 'only the main text of the page')
    .option('--ignore <css>', 'leave out what this CSS selector selects (repeatable)', collect)
    .option(
      '--ignore-pattern <regexp>',
      'leave out what matches this (RE2) within a line (repeatable)',
      collect,
    )
    .option('--least-change <share>', 'only when at least this share of its words differs, 0 to 1')
    .option('--cosmetic', 'also of parts that differ at every visit: clocks, counters, tokens')
    .option('--every <span>', 'visit it at least this often: 30m, 6h, 1d; as often as it changes unless told')
    .option('--browser <when>', 'show it in a browser when visited: auto, always, never')
}

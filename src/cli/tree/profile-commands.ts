// `profile`: who the owner is to sites, kept for crawls of what only he is shown.

import type { Command } from 'commander'
import type { Perform } from '../program.ts'
import { collect } from './shared-options.ts'

export function addProfileCommands(program: Command, perform: Perform): void {
  const profile = program
    .command('profile')
    .description('log in to sites, and archive what only you are shown, for yourself alone (--profile NAME)')

  profile
    .command('create')
    .description('open a browser window to log in; what it has then is kept. Again: log in anew')
    .argument('<name>', 'small letters, digits and hyphens')
    .argument('[url]', 'where to log in')
    .option('--remote', 'show the window in your own browser (default where there is no screen)')
    .option('--http <host:port>', 'with --remote: where to show it (default: a free port of localhost)')
    .option('--allow-address <cidr>', 'let its pages reach this special range too (repeatable)', collect)
    .action(perform(async () => (await import('../commands/crawl/profile.ts')).createProfile))

  profile
    .command('list')
    .description('list the profiles')
    .action(perform(async () => (await import('../commands/crawl/profile.ts')).showProfiles))

  profile
    .command('remove')
    .description('remove a profile, with everything that was archived with it')
    .argument('<name>')
    .option('--yes', 'do not ask')
    .action(perform(async () => (await import('../commands/crawl/profile.ts')).forgetProfile))
}

// `store …`: contents by key, volumes and their health.

import { type Command, Option } from 'commander'
import type { Perform } from '../program.ts'

export function addStoreCommands(program: Command, perform: Perform): void {
  const store = program
    .command('store')
    .description('look after the store: contents, volumes, health')
    .helpCommand(false)

  store
    .command('put')
    .description('keep files by content and print a content key a line')
    .argument('<file...>', 'files, or - for standard input')
    .addOption(modeOption())
    .option('--folder <dir>', 'volume folder to write to')
    .option('--type <mime>', 'media type of the contents')
    .action(perform(async () => (await import('../commands/store-contents.ts')).putFiles))

  store
    .command('get')
    .description('write the bytes of a content to standard output')
    .argument('<key>', 'as store put printed it: sha256:…')
    .action(perform(async () => (await import('../commands/store-contents.ts')).getContent))

  store
    .command('delete')
    .description(
      'take back one put of each content; the bytes of what nothing needs go at the next compaction',
    )
    .argument('<key...>')
    .action(perform(async () => (await import('../commands/store-contents.ts')).deleteContents))

  store
    .command('stat')
    .description('show what the store holds, in numbers')
    .action(perform(async () => (await import('../commands/store-stat.ts')).showStat))

  store
    .command('volumes')
    .description('show the volume folders, or change them')
    .addOption(
      new Option('--add <dir>', 'add a volume folder, on another disk perhaps').conflicts([
        'readOnly',
        'writable',
        'moveOff',
      ]),
    )
    .addOption(
      new Option('--read-only <dir>', 'write no more to this folder').conflicts(['writable', 'moveOff']),
    )
    .addOption(new Option('--writable <dir>', 'write to this folder again').conflicts('moveOff'))
    .option('--move-off <dir>', 'copy everything in this folder to the others, then forget it')
    .action(perform(async () => (await import('../commands/store-volumes.ts')).manageVolumes))

  store
    .command('scrub')
    .description('read everything, check every digest and the index both ways, report what is damaged')
    .option('--rate <bytes>', 'bytes a second, such as 100MB (default: store.scrubRate)')
    .option('--restart', 'from the beginning, not where the last scrub stopped')
    .action(perform(async () => (await import('../commands/store-upkeep.ts')).scrubStore))

  store
    .command('compact')
    .description('rewrite volumes with much dead weight, and all that hold taken-down bytes')
    .option(
      '--dead-share <share>',
      'rewrite volumes with more dead weight than this (default: store.deadShare)',
    )
    .action(perform(async () => (await import('../commands/store-upkeep.ts')).compactStore))

  store
    .command('rebuild')
    .description('build the index anew from the volumes, when it is lost or damaged')
    .action(perform(async () => (await import('../commands/store-upkeep.ts')).rebuildStore))
}

function modeOption(): Option {
  return new Option(
    '--mode <mode>',
    'how duplicates are told: by digest and size, by every byte, or not at all',
  )
    .choices(['regular', 'compare', 'force-new'])
    .default('regular')
}

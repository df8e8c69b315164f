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
    .action(perform(async () => (await import('../commands/store/store-contents.ts')).putFiles))

  store
    .command('get')
    .description('write the bytes of a content to standard output')
    .argument('<key>', 'as store put printed it: sha256:…')
    .action(perform(async () => (await import('../commands/store/store-contents.ts')).getContent))

  store
    .command('delete')
    .description(
      'take back one put of each content; the bytes of what nothing needs go at the next compaction',
    )
    .argument('<key...>')
    .action(perform(async () => (await import('../commands/store/store-contents.ts')).deleteContents))

  store
    .command('stat')
    .description('show what the store holds, in numbers')
    .action(perform(async () => (await import('../commands/store/store-stat.ts')).showStat))

  const volumes = store
    .command('volumes')
    .description('show the volume folders and buckets, or change them')
    .addOption(
      new Option(
        '--add <dir>',
        'add a volume folder, on another disk perhaps, or s3://BUCKET/PREFIX',
      ).conflicts(['readOnly', 'writable', 'moveOff']),
    )
    .addOption(
      new Option('--read-only <dir>', 'write no more to this folder').conflicts(['writable', 'moveOff']),
    )
    .addOption(new Option('--writable <dir>', 'write to this folder again').conflicts('moveOff'))
    .option('--move-off <dir>', 'copy everything in this folder to the others, then forget it')
    .action(perform(async () => (await import('../commands/store/store-volumes.ts')).manageVolumes))
    .helpCommand(false)

  volumes
    .command('add')
    .description('add a volume folder, or a bucket of an S3 store that takes closed volumes')
    .argument(
      '<place>',
      'a folder, or s3://BUCKET/PREFIX; endpoint and credentials come from AWS_… variables',
    )
    .action(perform(async () => (await import('../commands/store/store-volumes.ts')).addPlace))

  volumes
    .command('move')
    .description('move closed volumes as they are to a bucket, back to a folder, or to another folder')
    .argument('<to>', 'a folder or s3://BUCKET/PREFIX that was added before')
    .argument('[volume...]', 'file names; without them all closed volumes in folders, or all in buckets')
    .option('--from <place>', 'only volumes that lie there')
    .action(perform(async () => (await import('../commands/store/store-volumes.ts')).moveVolumes))

  store
    .command('scrub')
    .description('read everything, check every digest and the index both ways, report what is damaged')
    .option('--rate <bytes>', 'bytes a second, such as 100MB (default: store.scrubRate)')
    .option('--restart', 'from the beginning, not where the last scrub stopped')
    .action(perform(async () => (await import('../commands/store/store-upkeep.ts')).scrubStore))

  store
    .command('compact')
    .description('rewrite volumes with much dead weight, and all that hold taken-down bytes')
    .option(
      '--dead-share <share>',
      'rewrite volumes with more dead weight than this (default: store.deadShare)',
    )
    .action(perform(async () => (await import('../commands/store/store-upkeep.ts')).compactStore))

  store
    .command('rebuild')
    .description('build the index anew from the volumes, when it is lost or damaged')
    .option('--from <place...>', 'from these folders and buckets alone, such as s3://BUCKET/PREFIX')
    .action(perform(async () => (await import('../commands/store/store-upkeep.ts')).rebuildStore))
}

function modeOption(): Option {
  return new Option(
    '--mode <mode>',
    'how duplicates are told: by digest and size, by every byte, or not at all',
  )
    .choices(['regular', 'compare', 'force-new'])
    .default('regular')
}

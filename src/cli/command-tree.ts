// Which commands there are: names, arguments, options and help. What they do is in commands/, loaded when called.

import { type Command, Option } from 'commander'
import { agentName, nonNegativeNumber, positiveNumber } from './option-values.ts'
import type { Perform } from './program.ts'

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
  addReadingCommands(program, perform)
  addTransferCommands(program, perform)
  addStoreCommands(program, perform)
}

function addCrawlCommands(program: Command, perform: Perform): void {
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
    .option('--pages <count>', 'stop after so many pages', nonNegativeNumber)
    .option('--bytes <size>', 'stop after so much, such as 500MB')
    .option('--time <time>', 'stop after so long, such as 2h')
    .option('--types <types>', 'keep only html,image,css,script,font,audio,video,pdf,other', 'all')
    .option(
      '--delay <ms>',
      'pause after each response of a host (default: five times as long as it took, 1 s to 30 s)',
      nonNegativeNumber,
    )
    .option('--concurrency <count>', 'hosts asked at once', positiveNumber, 64)
    .option('--sitemaps', 'also follow sitemaps')
    .option('--user-agent <name>', 'how to introduce ourselves', agentName)
    .option(
      '--allow-address <cidr>',
      'crawl this special range too, such as 127.0.0.0/8 (repeatable)',
      collect,
    )
    .option('--insecure', 'take certificates that cannot be verified, and note it in the archive')
    .option('--ignore-robots', 'do not ask robots.txt nor obey noarchive and nofollow: for your own sites')
    .option('--seeds <file>', 'starts from a file, one a line; - for standard input')
    .action(perform(async () => (await import('./commands/crawl.ts')).crawlUrls))

  crawl
    .command('log')
    .description('show what happened to each URL, and why')
    .option('--url <text>', 'only URLs with this text')
    .option('--outcome <outcome>', 'only new, changed, same, not-kept, failed, retry, refused or dropped')
    .option('--job <id>', 'only of this crawl')
    .action(perform(async () => (await import('./commands/crawl-log.ts')).showCrawlLog))
}

function addPeerCommand(program: Command, perform: Perform): void {
  program
    .command('peer')
    .description('serve the archive until stopped; finish interrupted crawls, and keep fresh what it knows')
    .option('--http <host:port>', 'where to answer (default: localhost:7070)')
    .option('--listen <place>', 'where other peers reach this one: a port, or ADDRESS:PORT (default: 7071)')
    .option(
      '--join <address>',
      'a peer to begin with: HOST:PORT, a name with dnsaddr entries, or a multiaddress (repeatable)',
      collect,
    )
    .option('--invite <invitation>', 'join the network of this invitation')
    .addOption(
      new Option('--positions <count>', 'positions on the ring, 1 to 16 (default: by --share)').conflicts(
        'share',
      ),
    )
    .option('--share <size>', 'disk to give to the network: each 100GB are a position (default: 100GB)')
    .option(
      '--fresh <span>',
      'visit pages at least this often, if politeness has room: 1d, 1h-7d, or example.com=6h (repeatable)',
      collect,
    )
    .option('--delay <ms>', 'pause after each response of a host', nonNegativeNumber)
    .option('--concurrency <count>', 'hosts asked at once', positiveNumber, 64)
    .option('--user-agent <name>', 'how to introduce ourselves', agentName)
    .option('--allow-address <cidr>', 'crawl this special range too (repeatable)', collect)
    .option('--insecure', 'take certificates that cannot be verified, and note it in the archive')
    .option('--ignore-robots', 'do not ask robots.txt nor obey noarchive and nofollow: for your own sites')
    .action(perform(async () => (await import('./commands/peer.ts')).runPeer))
}

function addRingCommands(program: Command, perform: Perform): void {
  program
    .command('ring')
    .description(
      'draw the ring as the running peer of this home knows it: positions, arcs, peers, round trips',
    )
    .action(perform(async () => (await import('./commands/ring.ts')).showRing))

  program
    .command('lookup')
    .description('ask the running peer of this home who owns a key or a URL, and who keeps copies')
    .argument('<key|url>', 'a ring key of 40 hex digits, or a URL')
    .action(perform(async () => (await import('./commands/lookup.ts')).lookUp))

  const network = program
    .command('network')
    .description('the network that this home belongs to: make one, invite others')
    .action(perform(async () => (await import('./commands/network.ts')).showNetwork))

  network
    .command('create')
    .description('make a network, with this home as its first peer, and print an invitation')
    .argument('<name>')
    .option('--open', 'let everybody in who knows of it, without an invitation')
    .action(perform(async () => (await import('./commands/network.ts')).createNetwork))

  network
    .command('invite')
    .description('print an invitation for other homes: polyhistor peer --invite …')
    .option('--expires <time>', 'not to be used later than this from now, such as 7d (default: never)')
    .action(perform(async () => (await import('./commands/network.ts')).inviteOthers))
}

function addExplainCommand(program: Command, perform: Perform): void {
  program
    .command('explain')
    .description('say whether and when a URL would be fetched, and why')
    .argument('<url>')
    .option('--robots-file <file>', 'answer from this robots.txt alone, without asking anyone')
    .option('--agent <name>', 'as this crawler')
    .option('--allow-address <cidr>', 'as if this special range were allowed (repeatable)', collect)
    .action(perform(async () => (await import('./commands/explain.ts')).explain))
}

function addReadingCommands(program: Command, perform: Perform): void {
  program
    .command('versions')
    .description('list the versions of a URL, oldest first')
    .argument('<url>')
    .option('--from <time>', 'not older than this: 2020, 20200131 or 2020-01-31T12:00:00Z')
    .option('--to <time>', 'not newer than this')
    .option('--limit <count>', 'at most so many', nonNegativeNumber)
    .option('--newest-first', 'the other way round')
    .action(perform(async () => (await import('./commands/versions.ts')).showVersions))

  program
    .command('get')
    .description('print an archived page: its newest version, or the one nearest to a time')
    .argument('<url>')
    .option('--at <time>', 'the version nearest to this time: 2020, 20200131 or 2020-01-31T12:00:00Z')
    .option('--not-newer', 'with --at: the newest version that is not newer')
    .option('--headers', 'print the HTTP status line and headers first')
    .option('--decode', 'undo Content-Encoding; without it the bytes are printed as they came')
    .action(perform(async () => (await import('./commands/get.ts')).printCapture))

  addSelection(
    program
      .command('takedown')
      .description(
        'hide a URL, a prefix or a site at once and for good; its bytes go at the next compaction',
      ),
    ['url', 'prefix', 'site'],
  )
    .option('--reason <text>', 'why, for the record', '')
    .option('--yes', 'do not ask: there is no way back')
    .option('--list', 'show what has been taken down')
    .action(perform(async () => (await import('./commands/takedown.ts')).takeDown))
}

function addTransferCommands(program: Command, perform: Perform): void {
  program
    .command('import')
    .description(
      'take archives in: .warc, .warc.gz, .warc.zst, .arc, .arc.gz, .wacz; goes on where it was interrupted',
    )
    .argument('<file...>')
    .option('--again', 'read files that were imported before once more')
    .action(perform(async () => (await import('./commands/import.ts')).importFiles))

  addSelection(
    program
      .command('export')
      .description('write captures to a .warc.gz or .wacz file: everything, or what is selected')
      .argument('<file>', 'ends in .warc.gz or .wacz; - for WARC on standard output'),
    ['url', 'prefix', 'host', 'site'],
  )
    .option('--from <time>', 'not older than this: 2020, 20200131 or 2020-01-31T12:00:00Z')
    .option('--to <time>', 'not newer than this')
    .option('--title <text>', 'title of the WACZ')
    .option('--force', 'replace the file if it exists')
    .action(perform(async () => (await import('./commands/export.ts')).exportFile))
}

function addStoreCommands(program: Command, perform: Perform): void {
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
    .action(perform(async () => (await import('./commands/store-contents.ts')).putFiles))

  store
    .command('get')
    .description('write the bytes of a content to standard output')
    .argument('<key>', 'as store put printed it: sha256:…')
    .action(perform(async () => (await import('./commands/store-contents.ts')).getContent))

  store
    .command('delete')
    .description(
      'take back one put of each content; the bytes of what nothing needs go at the next compaction',
    )
    .argument('<key...>')
    .action(perform(async () => (await import('./commands/store-contents.ts')).deleteContents))

  store
    .command('stat')
    .description('show what the store holds, in numbers')
    .action(perform(async () => (await import('./commands/store-stat.ts')).showStat))

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
    .action(perform(async () => (await import('./commands/store-volumes.ts')).manageVolumes))

  store
    .command('scrub')
    .description('read everything, check every digest and the index both ways, report what is damaged')
    .option('--rate <bytes>', 'bytes a second, such as 100MB (default: store.scrubRate)')
    .option('--restart', 'from the beginning, not where the last scrub stopped')
    .action(perform(async () => (await import('./commands/store-upkeep.ts')).scrubStore))

  store
    .command('compact')
    .description('rewrite volumes with much dead weight, and all that hold taken-down bytes')
    .option(
      '--dead-share <share>',
      'rewrite volumes with more dead weight than this (default: store.deadShare)',
    )
    .action(perform(async () => (await import('./commands/store-upkeep.ts')).compactStore))

  store
    .command('rebuild')
    .description('build the index anew from the volumes, when it is lost or damaged')
    .action(perform(async () => (await import('./commands/store-upkeep.ts')).rebuildStore))
}

function modeOption(): Option {
  return new Option(
    '--mode <mode>',
    'how duplicates are told: by digest and size, by every byte, or not at all',
  )
    .choices(['regular', 'compare', 'force-new'])
    .default('regular')
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

const selectionHelp = {
  url: 'this URL alone',
  prefix: 'all URLs that start like this one',
  host: 'all URLs of this host',
  site: 'all URLs of this site: a registrable domain with its subdomains',
}

function addSelection(command: Command, kinds: (keyof typeof selectionHelp)[]): Command {
  for (const kind of kinds) {
    const others = kinds.filter((other) => other !== kind)
    command.addOption(
      new Option(`--${kind} <${kind === 'prefix' ? 'url' : kind}>`, selectionHelp[kind]).conflicts(others),
    )
  }
  return command
}

// The one table of settings: what can be configured, its default, and what a person gains and loses by changing it.
//
// A setting `store.volumeSize` is written as `volumeSize` under `[store]` in the home folder's config.toml, as
// POLYHISTOR_STORE_VOLUME_SIZE in the environment, or as `--set store.volumeSize=…` on the command line.
// Only settings that something reads stand here.

import {
  bytes,
  bytesFrom,
  duration,
  fileOrNone,
  folders,
  hostAndPort,
  type Kind,
  listenPlace,
  oneOf,
  originOrNone,
  share,
  wholeNumber,
  words,
  yesOrNo,
} from './kinds.ts'

export interface Setting<T> {
  readonly kind: Kind<T>
  readonly default: T
  /** What more and less of it cost. */
  readonly tradeOff: string
}

function setting<T>(kind: Kind<T>, defaultValue: T, tradeOff: string): Setting<T> {
  return { kind, default: defaultValue, tradeOff }
}

export const settings = {
  preset: setting(
    oneOf('local', 'lan', 'internet'),
    'local',
    'local spares the machine you work on; lan and internet give more of a machine that mainly serves the archive',
  ),
  'log.level': setting(
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'warn',
    'more detail explains more and hides more; -v sets debug, -q sets warn',
  ),
  'log.format': setting(
    oneOf('auto', 'pretty', 'json'),
    'auto',
    'pretty is for people, json for log collectors; auto is pretty on a terminal and json elsewhere',
  ),
  'http.address': setting(
    hostAndPort,
    { host: 'localhost', port: 7070 },
    'where the peer answers; any address but localhost lets others read the archive, and nobody encrypts what they read',
  ),
  'http.archiveOrigin': setting(
    originOrNone,
    '',
    'how readers reach the archive through a proxy of yours; other names than this one and localhost are refused',
  ),
  'http.replayOrigin': setting(
    originOrNone,
    '',
    'where archived pages are shown, a host name of its own so that they cannot touch the archive; replay.localhost unless told',
  ),
  'http.folders': setting(
    folders,
    [],
    'folders that the HTTP interface may be told to read files from and to add as volume folders, by whoever has the token; commands of this home need none',
  ),
  'http.crossOrigin': setting(
    yesOrNo,
    true,
    'lets tools in other web pages read the archive; so can any page that you visit',
  ),
  'crawl.retryWait': setting(
    duration,
    60_000,
    'how long a crawl with nothing else left to do waits to try again what failed; more gets pages of servers in trouble, less ends crawls sooner',
  ),
  'crawl.browser': setting(
    oneOf('auto', 'always', 'never'),
    'never',
    'whether crawls show pages in a browser: it keeps what scripts fetch, and takes seconds, memory and more requests for each page; auto does so for pages that would be empty without',
  ),
  'crawl.browserPath': setting(
    fileOrNone,
    '',
    'the Chrome or Chromium to show pages with; an installed one unless told, else that of the npm package @sparticuz/chromium',
  ),
  'store.compression': setting(
    oneOf('gzip', 'zstd', 'none'),
    'gzip',
    'gzip is read by every WARC tool; zstd is faster and takes less than half for unchanged pages, but fewer tools read it',
  ),
  'store.compressionLevel': setting(
    wholeNumber(1, 9),
    4,
    'higher levels save a little disk for much more processor time: gzip 6 takes 1.6 times as long as 4 and saves 4 %; crawled pages get one level less while many wait, and two more while there is time',
  ),
  'store.volumeSize': setting(
    bytes,
    1_000_000_000,
    'larger volumes mean fewer files; smaller ones compact and move in smaller steps',
  ),
  'store.reserve': setting(
    bytes,
    1_000_000_000,
    'room left free on every disk for others; the store refuses captures rather than use it',
  ),
  'store.indexSize': setting(
    bytes,
    256_000_000_000,
    'the largest the index may grow, about 400 bytes a capture; only address space until it is used',
  ),
  'store.deltas': setting(
    yesOrNo,
    true,
    'keeping small changes as deltas saves disk; without them any WARC tool reads every version unaided',
  ),
  'store.deltaChain': setting(
    wholeNumber(0, 16),
    16,
    'longer chains save disk; shorter ones make old versions faster to read and damage reach less far',
  ),
  'store.deadShare': setting(
    share,
    0.25,
    'a volume is compacted when this share of it is dead; less frees disk sooner and writes more',
  ),
  'store.takedownUndo': setting(
    duration,
    30 * 86_400_000,
    'how long a takedown can be taken back: what it hides keeps its room on disk until then; less ends the bytes sooner, and leaves less time to see a mistake or an attack',
  ),
  'store.scrubRate': setting(
    bytesFrom(1_000, '20MB'),
    20_000_000,
    'bytes checked for rot in a second; more finds rot sooner and takes disk time from everything else',
  ),
  'store.scrubEvery': setting(
    duration,
    30 * 86_400_000,
    'a running peer reads everything once in this time to find rot, at most at store.scrubRate; less finds it sooner, 0s never',
  ),
  'ring.listen': setting(
    listenPlace,
    { host: undefined, port: 7071 },
    'where other peers reach this one, once it has a network; one address alone keeps those of other networks out',
  ),
  'ring.announce': setting(
    words,
    [],
    'HOST:PORT that others are told instead of what this peer sees itself: behind a router that passes the port on',
  ),
  'ring.join': setting(
    words,
    [],
    'peers to begin with, as HOST:PORT, a name with dnsaddr entries or a multiaddress; more of them find a way in more surely',
  ),
  'ring.mdns': setting(
    yesOrNo,
    true,
    'asking for peers of the same network on the local network finds them unaided, and tells others there that we are one',
  ),
  'ring.share': setting(
    bytesFrom(1_000_000, '200GB'),
    100_000_000_000,
    'disk that this peer gives to the network: each 100 GB are a position on the ring, up to 16; more means more work and data',
  ),
  'ring.positions': setting(
    wholeNumber(0, 16),
    0,
    'positions on the ring; 0 takes as many as ring.share gives',
  ),
  'ring.replicas': setting(
    wholeNumber(1, 16),
    3,
    'peers that keep each thing; more survive more losses and take more disk. All peers of a network need the same',
  ),
  'ring.copiesMin': setting(
    wholeNumber(1, 16),
    2,
    'copies that must be safe before a capture counts as kept, when some of its peers are slow; more is safer and waits longer',
  ),
  'ring.patience': setting(
    duration,
    12 * 3_600_000,
    'how long a vanished peer is waited for at least before its copies are made up for; less repairs sooner and copies more in vain',
  ),
  'network.knownContent': setting(
    yesOrNo,
    true,
    'a payload of 4 kB or more that other peers keep safely is not kept here again; no takes more disk, and asks nobody',
  ),
  'ring.siteCaptures': setting(
    wholeNumber(2, 1_000_000_000),
    1_000_000,
    'a site with more captures is split over several places of the ring; fewer spread large sites better and make reading them dearer',
  ),
  'ring.repairRate': setting(
    bytes,
    20_000_000,
    'bytes copied to others in a second for repair; more makes up for losses sooner and takes bandwidth from everything else',
  ),
}

export type SettingName = keyof typeof settings

/** The values of all settings, as the program uses them. */
export type Values = {
  readonly [N in SettingName]: (typeof settings)[N] extends Setting<infer T> ? T : never
}

/** Those that can be changed without losing anything, locking anybody out, or parting from the peers of a network. */
export const safeToChange: ReadonlySet<SettingName> = new Set<SettingName>([
  'preset',
  'log.level',
  'log.format',
  'store.compression',
  'store.compressionLevel',
  'store.volumeSize',
  'store.reserve',
  'store.deltas',
  'store.deltaChain',
  'store.deadShare',
  'store.scrubRate',
  'store.scrubEvery',
  'crawl.retryWait',
  'ring.mdns',
  'ring.patience',
  'ring.repairRate',
  'network.knownContent',
])

type Preset = Values['preset']

/** What a preset puts in place of the defaults. */
export const presets: Record<Preset, Partial<Values>> = {
  local: {},
  lan: { 'store.scrubRate': 50_000_000, 'store.reserve': 5_000_000_000 },
  internet: { 'store.scrubRate': 50_000_000, 'store.reserve': 10_000_000_000 },
}

/** `store.volumeSize` → `POLYHISTOR_STORE_VOLUME_SIZE` */
export function environmentName(name: string): string {
  return `POLYHISTOR_${name
    .replaceAll('.', '_')
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .toUpperCase()}`
}

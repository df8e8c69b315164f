// The one table of settings: what can be configured, its default, and what a person gains and loses by changing it.
//
// A setting `store.volumeSize` is written as `volumeSize` under `[store]` in the home folder's config.toml, as
// POLYHISTOR_STORE_VOLUME_SIZE in the environment, or as `--set store.volumeSize=…` on the command line.
// Only settings that something reads stand here.

import {
  bytes,
  bytesFrom,
  contactOrNone,
  dampingShare,
  duration,
  fileOrNone,
  folders,
  hostAndPort,
  type Kind,
  listenPlace,
  mailAddressOrNone,
  oneOf,
  originOrNone,
  share,
  urlOrNone,
  wholeNumber,
  words,
  yesOrNo,
} from './kinds.ts'

export interface Setting<T, Live extends boolean = boolean> {
  readonly kind: Kind<T>
  readonly default: T
  /** What more and less of it cost. */
  readonly tradeOff: string
  /** A running peer takes it on when it reads its settings again; the others hold from the next start on. */
  readonly isLive: Live
}

function setting<T>(kind: Kind<T>, defaultValue: T, tradeOff: string): Setting<T, false> {
  return { kind, default: defaultValue, tradeOff, isLive: false }
}

/** Whoever uses it asks for it each time: see LiveSettings. */
function liveSetting<T>(kind: Kind<T>, defaultValue: T, tradeOff: string): Setting<T, true> {
  return { kind, default: defaultValue, tradeOff, isLive: true }
}

export const settings = {
  preset: liveSetting(
    oneOf('local', 'lan', 'internet'),
    'local',
    'local spares the machine you work on; lan and internet give more of a machine that mainly serves the archive',
  ),
  'log.level': liveSetting(
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'warn',
    'more detail explains more and hides more; -v sets debug, -q sets warn',
  ),
  'log.format': liveSetting(
    oneOf('auto', 'pretty', 'json'),
    'auto',
    'pretty is for people, json for log collectors; auto is pretty on a terminal and json elsewhere',
  ),
  'traces.endpoint': setting(
    urlOrNone,
    '',
    'where OpenTelemetry traces are sent, by OTLP over HTTP, such as http://localhost:4318/v1/traces; they tell what a request waited for, never what was read. Nothing is traced, and nothing spent on it, while it is empty',
  ),
  'traces.share': setting(
    share,
    1,
    'of the requests and fetches that are traced, where traces.endpoint names a collector: less is for busy peers',
  ),
  'peer.stopTime': setting(
    duration,
    10_000,
    'how long a peer takes to stop at the most: what is under way gets 4 seconds to end, slow readers 2, the rest is for closing; then it ends where it is. More lets a slow disk close all in order; nothing that was kept is lost either way',
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
  'http.uploadSize': setting(
    bytes,
    10_000_000_000,
    'the largest archive that can be sent to be taken in, from the page of an empty archive; it lies on the disk of the home until it is, and never takes what store.reserve keeps free',
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
  'crawl.links': setting(
    yesOrNo,
    true,
    'keeps which page links to which, for what links here and for tables; without it a crawl is a little faster',
  ),
  'crawl.sign': setting(
    yesOrNo,
    true,
    'captures are signed with the key of this peer and entered into its log, so that anybody can verify who made them; without it a crawl is a little faster, and nobody can',
  ),
  'crawl.contact': setting(
    contactOrNone,
    '',
    'how the owners of sites reach you, the address of a page or of a mailbox: it is told with every request. Some sites turn away crawlers that do not say whose they are',
  ),
  'crawl.browser': setting(
    oneOf('auto', 'always', 'never'),
    'never',
    'whether crawls show pages in a browser: it keeps what scripts fetch, and takes seconds, memory and more requests for each page; auto does so for pages that would be empty without. never: only where a crawl, rule or watch asks for it; on a network this peer has none then, and its pages are shown by peers that have one',
  ),
  'crawl.browserPath': setting(
    fileOrNone,
    '',
    'the Chrome or Chromium to show pages with; an installed one unless told, else that of the npm package @sparticuz/chromium',
  ),
  'crawl.behaviours': setting(
    yesOrNo,
    true,
    'whether pages in a browser are scrolled, media played and "load more" pressed, for a minute at most: it keeps what a page loads only then, and takes seconds for each',
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
  'store.reserve': liveSetting(
    bytes,
    1_000_000_000,
    'room left free on every disk for others; the store refuses captures rather than use it',
  ),
  'store.bucketCache': setting(
    bytes,
    1_000_000_000,
    'disk for what was read from volumes in buckets, beside the store; more asks the bucket less often, 0 asks it for every read',
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
  'store.deadShare': liveSetting(
    share,
    0.25,
    'a volume is compacted when this share of it is dead; less frees disk sooner and writes more',
  ),
  'store.takedownUndo': setting(
    duration,
    30 * 86_400_000,
    'how long a takedown can be taken back: what it hides keeps its room on disk until then; less ends the bytes sooner, and leaves less time to see a mistake or an attack',
  ),
  'changes.keepAge': liveSetting(
    duration,
    30 * 86_400_000,
    'how long changes can be read again; more lets those who read them be away for longer, and takes room at every peer that keeps the site',
  ),
  'changes.keepBytes': liveSetting(
    bytesFrom(1_000_000, '1GB'),
    1_000_000_000,
    'room for the changes of all sites that this peer crawls; when there are more the oldest go, before changes.keepAge is over',
  ),
  'search.index': setting(
    yesOrNo,
    true,
    'whether this peer indexes the words of archived pages; without it others are asked for every search; it takes a thread that works when nobody else does, and one or two kilobytes a page in the home folder',
  ),
  'rank.maxAge': setting(
    duration,
    12 * 3_600_000,
    'how old the ranks of pages and sites may get; less follows new links sooner and computes more often, 0s never computes them',
  ),
  'rank.damping': setting(
    dampingShare,
    0.85,
    'how likely a reader follows a link rather than begins anew; more listens to links from further away and takes longer, as the peer has it that begins the run',
  ),
  'rank.seeds': setting(
    words,
    [],
    'sites that are trusted: rank begins there, and farms of pages that link to each other get none; without them every page counts alike. Set the same on all peers: any of them may begin the run',
  ),
  'store.scrubRate': liveSetting(
    bytesFrom(1_000, '20MB'),
    20_000_000,
    'bytes checked for rot in a second; more finds rot sooner and takes disk time from everything else',
  ),
  'store.scrubEvery': liveSetting(
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
    'disk that this peer gives to the network; more means more work and data, in proportion up to 16 times ring.positionSize',
  ),
  'ring.positionSize': setting(
    bytesFrom(1_000_000, '25GB'),
    100_000_000_000,
    'disk that a position on the ring stands for; less is evener where disks are alike, more tells larger disks apart, and each position costs a little when idle. All peers of a network need the same',
  ),
  'ring.positions': setting(
    wholeNumber(0, 16),
    0,
    'positions on the ring to begin with; 0 takes as many as ring.share gives',
  ),
  'ring.evenPlaces': setting(
    yesOrNo,
    false,
    'on trial: this peer takes and gives up places on the ring so that all keep about as much for what they give; no keeps the first ones, is less even, and copies nothing for it',
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
  'volunteers.newcomerPages': setting(
    wholeNumber(1, 1_000),
    6,
    'so many pages of a new volunteer are all fetched by somebody else as well; more finds liars before they bring anything, and wastes more fetches',
  ),
  'volunteers.checkShare': setting(
    share,
    0.06,
    'the part of the pages of volunteers that have proved themselves that is fetched by somebody else as well; more finds liars sooner',
  ),
  'network.probation': setting(
    duration,
    0,
    'how long members that are invited from here have to prove themselves before they get places on the ring; longer keeps out who leaves again or keeps nothing, and gains disks later; 0: all are trusted',
  ),
  'network.knownContent': setting(
    yesOrNo,
    true,
    'a payload of 4 kB or more that other peers keep safely is not kept here again; no takes more disk, and asks nobody',
  ),
  'network.upnp': setting(
    yesOrNo,
    true,
    'where others do not reach this peer, its router is asked by UPnP or NAT-PMP to pass the port on; no leaves the router alone',
  ),
  'network.relays': setting(
    yesOrNo,
    true,
    'where others do not reach this peer, other members are asked to pass on what is sent to it; without, only those whom it dials itself can talk to it',
  ),
  'network.holePunching': setting(
    yesOrNo,
    true,
    'peers that met through a relay try to connect directly, through both routers; without, all their data goes through the relay',
  ),
  'network.relayPeers': setting(
    wholeNumber(0, 1_000),
    32,
    'members that cannot be reached for which this peer passes on what is sent to them; more helps more of them and takes more of the line, 0 none',
  ),
  'network.relayData': setting(
    bytesFrom(1_000_000, '1GB'),
    1_000_000_000,
    'bytes that one connection through this peer may carry before it has to be made anew; less keeps any one of them from taking the line for long',
  ),
  'network.relayTime': setting(
    duration,
    3_600_000,
    'how long one connection through this peer may last before it has to be made anew',
  ),
  'ring.siteCaptures': setting(
    wholeNumber(2, 1_000_000_000),
    1_000_000,
    'a site with more captures is split over several places of the ring; fewer spread large sites better and make reading them dearer',
  ),
  'ring.repairRate': liveSetting(
    bytes,
    20_000_000,
    'bytes copied to others in a second for repair; more makes up for losses sooner and takes bandwidth from everything else',
  ),
  'audits.rate': setting(
    bytes,
    100_000,
    'bytes a second read to see whether other peers still keep their copies, and to show ours: 0.1 % of a slow disk; 0 asks nobody, and free-riders are found by others only',
  ),
  'audits.every': setting(
    duration,
    3_600_000,
    'a round of audits, in which each peer that keeps the same places is challenged once; shorter finds free-riders sooner and reads more',
  ),
  'proof.anchorFile': setting(
    fileOrNone,
    '',
    'heads of the log of captures are appended to this file, best on another machine: whoever has one can tell whether the log was rewritten since',
  ),
  'proof.anchorUrl': setting(
    urlOrNone,
    '',
    'a time stamping authority (RFC 3161) that heads of the log are sent to; it learns how much is captured, and that the log is ours',
  ),
  'proof.anchorMailFolder': setting(
    fileOrNone,
    '',
    'heads of the log are put into this folder as e-mails (.eml) to proof.anchorMailTo: the pickup folder of a mail server, or one that a script of yours sends from',
  ),
  'proof.anchorMailTo': setting(
    mailAddressOrNone,
    '',
    'whom these e-mails are for; who keeps them can tell whether the log was rewritten, and learns how much is captured',
  ),
  'proof.anchorEvery': setting(
    duration,
    86_400_000,
    'how often a head is anchored; more often tells more exactly when something was captured, and costs the authority more',
  ),
  'corroboration.sameNetwork': setting(
    yesOrNo,
    false,
    'peers behind the same network prefix are asked, too, where there are no others; they would see the same forgery',
  ),
  'corroboration.share': setting(
    share,
    0.01,
    'of the pages crawled here so many are fetched again soon by a peer in another network, and compared; more shows more forgeries, and asks servers twice. Pages that were contested count twentyfold, often visited ones fourfold; 0 asks nobody',
  ),
}

export type SettingName = keyof typeof settings

export type LiveSettingName = {
  [N in SettingName]: (typeof settings)[N]['isLive'] extends true ? N : never
}[SettingName]

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
  'store.bucketCache',
  'store.deltas',
  'store.deltaChain',
  'store.deadShare',
  'store.scrubRate',
  'store.scrubEvery',
  'crawl.retryWait',
  'rank.maxAge',
  'rank.damping',
  'rank.seeds',
  'ring.mdns',
  'ring.patience',
  'ring.repairRate',
  'audits.rate',
  'audits.every',
  'corroboration.share',
  'corroboration.sameNetwork',
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

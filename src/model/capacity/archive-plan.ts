// What an archive of many peers needs: disk, peers, traffic of each, time to repair, and how likely something is lost.
//
// The calculation is that of Herodotus (chapters 3 and 6), with what has changed since as inputs: a page is fetched by one
// peer and copied to others instead of fetched by all of them, and a change may be kept as a delta. Amounts are in bytes and
// days, rates in kbit/s (1,000 bits), all of them means: nothing here knows of peaks.

/** One kind of resource: pages, or what pages need. */
export interface ResourceKind {
  readonly count: number
  /** Of one, as it is sent. */
  readonly bytes: number
  /** How much of that is left on disk. */
  readonly compressed: number
  /** Share that changes in a day. */
  readonly changedPerDay: number
  /** New ones in a day, as a share of those that are there. */
  readonly addedPerDay: number
}

export interface PlanInputs {
  readonly pages: ResourceKind
  /** Images, style sheets, scripts: what pages need. */
  readonly parts: ResourceKind
  /** What a changed page costs on disk, of what a new one does: 1 without deltas. */
  readonly deltaShare: number
  readonly linksPerPage: number
  readonly urlBytes: number
  /** Of the links of a changed page: those that it did not have before. */
  readonly newLinks: number
  /** Share of all URLs that are asked for in a day. */
  readonly visitedPerDay: number
  readonly requestBytes: { readonly up: number; readonly down: number }
  readonly copies: number
  /** Who fetches: one peer for all who keep a copy, or each of them for itself. */
  readonly fetchedBy: 'one' | 'every-holder'
  /** How long the archive grows before disks are added. */
  readonly months: number
  readonly diskBytes: number
  /** What a peer's line gives to the archive. */
  readonly line: { readonly upKbit: number; readonly downKbit: number }
  /** Share of the time in which a peer is there. */
  readonly uptime: number
  /** After so many days a peer leaves for good, in the mean. */
  readonly stayDays: number
  /** How long the copies of a peer that left may take to be made anew; as fast as the lines allow if not said. */
  readonly repairDays?: number | undefined
}

export interface ArchivePlan {
  /** Rounded up to one figure, as the inputs are not known better. */
  readonly peers: number
  /** By the fullest of disks and lines. */
  readonly peersMin: number
  readonly limitedBy: 'disk' | 'line' | 'copies'
  readonly bytes: {
    readonly firstCrawl: number
    readonly perMonth: number
    /** One copy of everything, after all months. */
    readonly once: number
    readonly withCopies: number
    /** At each peer, after all months. */
    readonly perPeer: number
  }
  readonly perPeer: {
    readonly urls: number
    readonly requestsPerDay: number
    readonly crawl: Traffic
    readonly repair: Traffic
    readonly total: Traffic
  }
  readonly repairDays: number
  /** That all other copies of something go while one is made anew. */
  readonly lossPerDeparture: number
  /** Of one thing that is kept. */
  readonly lossPerYear: number
  /** That at least one copy can be read at a moment. */
  readonly availability: number
  /** undefined if the lines suffice. */
  readonly shortage: string | undefined
}

/** In kbit/s. */
export interface Traffic {
  readonly up: number
  readonly down: number
}

const daysPerMonth = 30
const daysPerYear = 365
const secondsPerDay = 86_400
/** What the crawl may take of a line: the rest repairs. */
const crawlShareMax = 0.5
/** Of what a line has left, so much goes into repair. */
const repairShare = 0.5

export function planArchive(inputs: PlanInputs): ArchivePlan {
  const bytes = storedBytes(inputs)
  const byDisk = bytes.withCopies / inputs.diskBytes
  const allTraffic = crawlTraffic(inputs, 1)
  const byLine = Math.max(
    allTraffic.up / (inputs.line.upKbit * crawlShareMax),
    allTraffic.down / (inputs.line.downKbit * crawlShareMax),
  )
  const peersMin = Math.max(Math.ceil(byDisk - 1e-9), Math.ceil(byLine - 1e-9), inputs.copies)
  const peers = roundedUp(peersMin)
  const crawl = crawlTraffic(inputs, peers)
  const perPeerBytes = bytes.withCopies / peers
  const repairDays = inputs.repairDays ?? fastestRepairDays(inputs, crawl, perPeerBytes)
  const repair = repairTraffic(inputs, repairDays, perPeerBytes)
  const total = { up: crawl.up + repair.up, down: crawl.down + repair.down }
  const urls = (inputs.pages.count + inputs.parts.count) / peers
  return {
    peers,
    peersMin,
    limitedBy: peersMin === inputs.copies ? 'copies' : byDisk >= byLine ? 'disk' : 'line',
    bytes: { ...bytes, perPeer: perPeerBytes },
    perPeer: { urls, requestsPerDay: urls * inputs.visitedPerDay * fetchers(inputs), crawl, repair, total },
    repairDays,
    lossPerDeparture: Math.min(1, (repairDays / inputs.stayDays) ** (inputs.copies - 1)),
    lossPerYear: lossPerYear(inputs, repairDays),
    availability: 1 - (1 - inputs.uptime) ** inputs.copies,
    shortage: shortageOf(inputs, total),
  }
}

function storedBytes({ pages, parts, deltaShare, months, copies }: PlanInputs) {
  const size = ({ count, bytes, compressed }: ResourceKind): number => count * bytes * compressed
  const growth = (kind: ResourceKind): number =>
    size(kind) * (kind.changedPerDay * deltaShare + kind.addedPerDay) * daysPerMonth
  const firstCrawl = size(pages) + size(parts)
  const perMonth = growth(pages) + growth(parts)
  const once = firstCrawl + perMonth * months
  return { firstCrawl, perMonth, once, withCopies: once * copies }
}

function fetchers({ copies, fetchedBy }: PlanInputs): number {
  return fetchedBy === 'one' ? 1 : copies
}

/** Of one of so many peers: what it fetches, the links it sends and gets, and the copies it gives and takes. */
function crawlTraffic(inputs: PlanInputs, peers: number): Traffic {
  const { pages, parts, requestBytes, copies, linksPerPage, urlBytes, newLinks } = inputs
  const requests = (pages.count + parts.count) * inputs.visitedPerDay
  const fetched = newBytesPerDay(pages) + newBytesPerDay(parts)
  // A page that is new sends all its links, one that changed only those that it did not have.
  const linkSets = pages.count * (pages.changedPerDay * newLinks + pages.addedPerDay)
  // Whoever fetches sends them to whoever will: to one peer, or to all that keep the URL.
  const links = linkSets * linksPerPage * urlBytes * fetchers(inputs)
  const copied = inputs.fetchedBy === 'one' ? ((copies - 1) * storedBytes(inputs).perMonth) / daysPerMonth : 0
  const share = fetchers(inputs) / peers
  return {
    up: kbit(requests * requestBytes.up * share + links * share + copied / peers),
    down: kbit((requests * requestBytes.down + fetched) * share + links * share + copied / peers),
  }
}

function newBytesPerDay({ count, bytes, changedPerDay, addedPerDay }: ResourceKind): number {
  return count * bytes * (changedPerDay + addedPerDay)
}

/** Two neighbours on the ring give what a newcomer takes. While one repairs, each of three is busy with it. */
function repairTraffic(
  { diskBytes, repairDays: planned }: PlanInputs,
  repairDays: number,
  kept: number,
): Traffic {
  // A plan that sets the time must hold for full disks.
  const down = kbit((planned === undefined ? kept : diskBytes) / repairDays)
  return { up: down / 2, down }
}

function fastestRepairDays({ line }: PlanInputs, crawl: Traffic, kept: number): number {
  const left = (lineKbit: number, usedKbit: number): number =>
    Math.max(lineKbit - usedKbit, lineKbit * (1 - crawlShareMax)) * repairShare
  const rate = Math.min(left(line.downKbit, crawl.down), 2 * left(line.upKbit, crawl.up))
  return kept / ((rate * 1_000 * secondsPerDay) / 8)
}

/**
 * Copies go one at a time, each after `stayDays` in the mean, and each that went is made anew within `repairDays`: the rate at
 * which such a process reaches no copy at all is copies × leaving × (leaving / repairing)^(copies − 1).
 */
function lossPerYear({ copies, stayDays }: PlanInputs, repairDays: number): number {
  const rate = (copies / stayDays) * (repairDays / stayDays) ** (copies - 1)
  return -Math.expm1(-rate * daysPerYear)
}

function shortageOf({ line }: PlanInputs, { up, down }: Traffic): string | undefined {
  if (up <= line.upKbit && down <= line.downKbit) return undefined
  const [direction, needed, given] =
    up > line.upKbit ? ['sends', up, line.upKbit] : ['gets', down, line.downKbit]
  return `Each peer ${direction} ${Math.ceil(Number(needed))} kbit/s in the mean, and its line gives ${given}: allow more days for repair, or count on better lines.`
}

function kbit(bytesPerDay: number): number {
  return (bytesPerDay * 8) / secondsPerDay / 1_000
}

/** To one figure: 12,654 becomes 20,000. */
function roundedUp(count: number): number {
  const unit = 10 ** Math.floor(Math.log10(count))
  return Math.ceil(count / unit - 1e-9) * unit
}

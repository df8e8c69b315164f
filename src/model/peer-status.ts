// How a peer does, in numbers, and a whole network: what people look at to see whether everything is safe.
//
// Every entry is counted by the peer that owns it, so that the sums over all peers are those of the network.

import { type RemovalStatus, removalWarnings } from './removals.ts'

const warningsMax = 50

interface CopiesStatus {
  /** How many this peer was told to see to; 0 when it does not say. */
  readonly wanted: number
  /** Of the entries that this peer owns, how many have no live copy, one, two and so on; as of the last look at each. */
  readonly histogram: readonly number[]
  /** Entries that are to be copied, from here or to here. */
  readonly queue: number
  readonly bytesPerSecond: number
  readonly bytesIn: number
  readonly bytesOut: number
}

interface LinksStatus {
  readonly sent: number
  readonly received: number
  /** In the outbox. */
  readonly waiting: number
  /** How long the oldest of them has waited. */
  readonly oldestMs: number
  readonly bytesSent: number
}

export interface ShareStatus {
  readonly shareBytes: number
  readonly usedBytes: number
  /** `filling`: positions are given up. `full`: no captures are taken. */
  readonly state: 'room' | 'filling' | 'full'
}

/** What reading everything to find rot has come to. */
export interface SoundnessStatus {
  /** When everything had been read for the last time; of several peers the longest ago. null: never yet. */
  readonly passedAtMs: number | null
  /** Rotten things found, ever. */
  readonly found: number
  readonly mended: number
  /** Rotten still, as far as is known. */
  readonly damaged: number
}

/** What this peer's audits of others have come to. */
export interface AuditStatus {
  readonly rounds: number
  readonly audits: number
  readonly right: number
  readonly wrong: number
  readonly late: number
  readonly lacking: number
  /** Not judged: somebody was away, or stood still. */
  readonly void: number
  /** Read here to ask. */
  readonly bytesRead: number
  /** Peers whose copies do not count here. */
  readonly excluded: number
  /** The worst first. */
  readonly peers: readonly AuditedPeer[]
}

/** Who may do what in the network. */
export interface RolesStatus {
  /** undefined: it was revoked. */
  readonly own: string | undefined
  /** Whether the network's key is here. */
  readonly hasNetworkKey: boolean
  readonly peers: readonly {
    readonly peer: string
    readonly role: string
    readonly sites: readonly string[]
  }[]
  readonly revoked: readonly string[]
  readonly settings: Readonly<
    Record<'threshold' | 'takedownSignatures' | 'takedownDelayMs' | 'jobPagesMax', number>
  >
  /** Grants, revocations and settings, the latest first. */
  readonly said: readonly SaidOfRoles[]
}

export interface SaidOfRoles {
  readonly id: string
  readonly atMs: number
  readonly author: string
  readonly isFounders: boolean
  /** In words. */
  readonly what: string
  readonly reason: string
  readonly standing: 'counts' | 'pending' | 'void'
}

export interface CorroborationStatus {
  readonly asked: number
  readonly same: number
  /** But for noise. */
  readonly alike: number
  readonly other: number
  /** Nothing came of it. */
  readonly failed: number
}

interface AuditedPeer {
  readonly peer: string
  readonly right: number
  readonly wrong: number
  readonly late: number
  readonly lacking: number
  /** 0: nothing is held against it. */
  readonly score: number
  readonly isExcluded: boolean
  readonly excludedUntilMs: number
}

export interface PeerStatus {
  readonly peer: string
  readonly captures: number
  readonly bytesOnDisk: number
  readonly copies: CopiesStatus
  readonly sites: {
    readonly crawled: number
    readonly kept: number
    /** Sites whose queue is not yet with as many peers as it should be. */
    readonly toCopy: number
  }
  readonly links: LinksStatus
  readonly share: ShareStatus
  readonly soundness: SoundnessStatus
  readonly removals: RemovalStatus
  /** Whether it shows pages in a browser; undefined when it is not to, or does not say. */
  readonly browser?: BrowserStatus | undefined
  /** Those who fetch for it, who fetched most first; undefined when it does not say. */
  readonly volunteers?: readonly VolunteerStatus[] | undefined
  /** undefined when it does not say. */
  readonly machine?: MachineStatus | undefined
}

/** A member that has to prove itself before it gets places on the ring. */
export interface NewcomerStatus {
  readonly peer: string
  /** When it first showed its spare copy; 0: not yet. */
  readonly sinceMs: number
  readonly heardAtMs: number
  readonly probationMs: number
  /** How often it was asked for it, and how often it showed it. */
  readonly asked: number
  readonly shown: number
  /** Members that vouch for it, and how many it takes. */
  readonly vouchers: number
  readonly vouchersMin: number
}

/** At most so many are told. */
export const volunteersToldMax = 200

/** One who fetches pages for a peer and keeps nothing. */
export interface VolunteerStatus {
  readonly id: string
  /** Pages, and bytes of them. */
  readonly fetched: number
  readonly bytes: number
  /** 0 to 1: how much of what it brought and promised holds. */
  readonly score: number
  readonly state: 'new' | 'proven' | 'barred'
  /** Pages that only it has seen, and that nothing speaks for yet. */
  readonly open?: number | undefined
  /** How long it was there; of several peers, the longest. */
  readonly presentMs?: number | undefined
  /** What the score is based on; only the peer itself says so. */
  readonly basis?: string | undefined
}

/** The machine that a peer runs on, and the process. */
export interface MachineStatus {
  readonly version: string
  /** Processes that want to run, on average of a minute. */
  readonly load: number
  readonly cores: number
  /** Of the process. */
  readonly memoryBytes: number
  readonly freeMemoryBytes: number
  readonly upMs: number
  /** On the ring. */
  readonly positions: number
  /** What it gives, in positions. Earlier peers do not say, nor how many places they took and gave up since their start. */
  readonly share?: number | undefined
  readonly placesMoved?: number | undefined
}

/** `missing`: it is to show pages in a browser, and has none that can be started. */
export type BrowserStatus = 'ready' | 'missing'

/** A peer that is missed, and waited for. */
export interface AwayPeer {
  readonly peer: string
  readonly sinceMs: number
  /** Then it counts as gone for good. */
  readonly untilMs: number
}

/** Questions of other peers that came to nothing. */
interface FaultCounts {
  /** Could not be read, or said what cannot be. */
  readonly malformed: number
  /** Made this peer fail: a defect of ours. */
  readonly failed: number
  /** Were more than their sender's budget. */
  readonly throttled: number
}

export interface FaultsStatus {
  readonly total: FaultCounts
  /** Who caused most of them first. */
  readonly worst: readonly ({ readonly peer: string; readonly service: string } & FaultCounts)[]
}

export interface NetworkStatus {
  readonly network: { readonly id: string; readonly name: string; readonly kind: string }
  /** How many copies there are to be. */
  readonly copiesWanted: number
  /** This peer's own is the first. Without a status: it did not answer. */
  readonly peers: readonly { readonly peer: string; readonly status: PeerStatus | undefined }[]
  /** As far as this peer knows: who was near it on the ring. */
  readonly away: readonly AwayPeer[]
  /** Of the peers that answered. */
  readonly sums: NetworkSums
  /** Of others, as this peer saw them since it was started. */
  readonly faults?: FaultsStatus
  /** Not where a peer is alone. */
  readonly roles?: RolesStatus | undefined
  /** Of others, by this peer. */
  readonly audits?: AuditStatus | undefined
  /** Members that have no places yet; as far as they keep their spare copy near this peer. */
  readonly newcomers?: readonly NewcomerStatus[] | undefined
  /** Second looks of others at pages that this peer crawled. */
  readonly corroboration?: CorroborationStatus | undefined
  /** What was told to all peers and is not sound: stored and set aside, or refused since this peer was started. */
  readonly notices?: { readonly quarantined: number; readonly refused: number } | undefined
  /** What the network needs more of, a sentence each. */
  readonly lacks: readonly string[]
  /** What somebody should look at: captures that were hidden in a mass, or are missing; a sentence each. */
  readonly warnings: readonly string[]
  /** Who fetches for its peers, as these see them: pages and bytes of all, the lowest score. Who fetched most comes first. */
  readonly volunteers?: readonly VolunteerStatus[]
}

export interface NetworkSums {
  readonly entries: number
  readonly histogram: readonly number[]
  readonly queue: number
  readonly sitesToCopy: number
  readonly bytesPerSecond: number
  readonly links: LinksStatus
  readonly shareBytes: number
  readonly usedBytes: number
  readonly soundness: SoundnessStatus
}

export function sumsOf(statuses: readonly PeerStatus[]): NetworkSums {
  const histogram: number[] = []
  for (const { copies } of statuses) {
    for (const [count, entries] of copies.histogram.entries())
      histogram[count] = (histogram[count] ?? 0) + entries
  }
  const sum = (of: (status: PeerStatus) => number): number =>
    statuses.reduce((total, status) => total + of(status), 0)
  return {
    entries: histogram.reduce((total, entries) => total + entries, 0),
    histogram: Array.from(histogram, (entries) => entries ?? 0),
    queue: sum(({ copies }) => copies.queue),
    sitesToCopy: sum(({ sites }) => sites.toCopy),
    bytesPerSecond: sum(({ copies }) => copies.bytesPerSecond),
    links: {
      sent: sum(({ links }) => links.sent),
      received: sum(({ links }) => links.received),
      waiting: sum(({ links }) => links.waiting),
      oldestMs: Math.max(0, ...statuses.map(({ links }) => links.oldestMs)),
      bytesSent: sum(({ links }) => links.bytesSent),
    },
    shareBytes: sum(({ share }) => share.shareBytes),
    usedBytes: sum(({ share }) => share.usedBytes),
    soundness: {
      passedAtMs: longestAgo(statuses.map(({ soundness }) => soundness.passedAtMs)),
      found: sum(({ soundness }) => soundness.found),
      mended: sum(({ soundness }) => soundness.mended),
      damaged: sum(({ soundness }) => soundness.damaged),
    },
  }
}

/** Each peer goes by what it has seen itself: who is shut out at one of them is told as that. */
export function volunteersOf(statuses: readonly PeerStatus[]): VolunteerStatus[] {
  const all = new Map<string, VolunteerStatus>()
  for (const { volunteers = [] } of statuses)
    for (const one of volunteers) {
      const known = all.get(one.id)
      all.set(one.id, known === undefined ? one : joined(known, one))
    }
  return [...all.values()].sort((a, b) => b.fetched - a.fetched).slice(0, volunteersToldMax)
}

function joined(one: VolunteerStatus, other: VolunteerStatus): VolunteerStatus {
  const states = [one.state, other.state]
  const state = (['barred', 'proven'] as const).find((name) => states.includes(name)) ?? 'new'
  // A peer that has seen nothing of it has nothing to say.
  const seen = [one, other].filter(({ fetched, state: its }) => fetched > 0 || its === 'barred')
  const score = Math.min(...(seen.length === 0 ? [one, other] : seen).map((each) => each.score))
  return {
    id: one.id,
    fetched: one.fetched + other.fetched,
    bytes: one.bytes + other.bytes,
    score,
    state,
    open: (one.open ?? 0) + (other.open ?? 0),
    presentMs: Math.max(one.presentMs ?? 0, other.presentMs ?? 0),
    ...(one.basis !== undefined && { basis: one.basis }),
  }
}

function longestAgo(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 || known.length < times.length ? null : Math.min(...known)
}

/** Of all that answered; our own come first. */
export function warningsOf(statuses: readonly PeerStatus[], isAlone = false): string[] {
  const warnings = statuses.flatMap(({ peer, removals }, index) => {
    const name = index === 0 ? 'this peer' : `peer …${peer.slice(-8)}`
    return removalWarnings(removals, isAlone ? 'this archive' : name)
  })
  return warnings.slice(0, warningsMax)
}

/** How a peer does, in a word. */
export function stateOf({ share, removals }: PeerStatus): string {
  if (share.state !== 'room') return share.state
  if (removals.missing > 0) return 'missing captures'
  if (removals.mass.length > 0) return 'mass removal'
  return removals.quarantinedTakedowns > 0 ? 'unreadable takedowns' : 'well'
}

/** What the network needs more of. */
export function lacksOf(statuses: readonly PeerStatus[], copiesWanted: number, awayCount = 0): string[] {
  const { histogram, entries, queue } = sumsOf(statuses)
  const lacks: string[] = []
  if (statuses.length < copiesWanted)
    lacks.push(
      `${counted(copiesWanted - statuses.length, 'more peer')}, for ${copiesWanted} copies of everything.`,
    )
  const [none = 0] = histogram
  if (none > 0) lacks.push(`Peers that are away: ${none} of ${entries} entries cannot be read.`)
  const full = statuses.filter(({ share }) => share.state === 'full')
  if (full.length > 0)
    lacks.push(
      `Disk: ${counted(full.length, 'peer')} of ${statuses.length} ${full.length === 1 ? 'takes' : 'take'} nothing more (--share, or no room on the disk).`,
    )
  const wanted = new Set(statuses.map(({ copies }) => copies.wanted).filter((copies) => copies > 0))
  if (wanted.size > 1)
    lacks.push(
      `The same --copies for all: some peers keep ${[...wanted].sort((one, other) => one - other).join(', others ')} of everything.`,
    )
  lacks.push(...browserLacks(statuses))
  const few = histogram.slice(1, copiesWanted).reduce((total, count) => total + count, 0)
  if (few > 0 && queue === 0 && awayCount > 0 && lacks.length === 0)
    lacks.push(
      `Peers that are away: ${few} of ${entries} entries have fewer than ${copiesWanted} copies until they are back or given up (ring.patience).`,
    )
  return lacks
}

export function browserLacks(statuses: readonly PeerStatus[]): string[] {
  const missing = statuses.filter(({ browser }) => browser === 'missing').length
  if (missing === 0) return []
  const who = statuses.length === 1 ? 'this peer has' : `${missing} of ${statuses.length} peers have`
  return [
    `A browser: ${who} none to show pages in (crawl.browser, crawl.browserPath); pages are kept without what their scripts fetch.`,
  ]
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

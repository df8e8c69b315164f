// The status of the network: every peer counts what it owns, and whoever is asked asks all the others.

import { PolyhistorError } from '../../errors.ts'
import {
  type AuditStatus,
  type AwayPeer,
  type FaultsStatus,
  lacksOf,
  type MachineStatus,
  type NetworkStatus,
  type PeerStatus,
  sumsOf,
  type VolunteerStatus,
  volunteersOf,
  volunteersToldMax,
  warningsOf,
} from '../../model/peer-status.ts'
import type { MassRemoval } from '../../model/removals.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'

interface Needs {
  readonly network: NetworkStatus['network']
  readonly calls: CallService
  readonly clock: Clock
  peers(): readonly PeerId[]
  away(): readonly AwayPeer[]
  own(): Promise<PeerStatus>
  faults(): FaultsStatus
  audits?(): AuditStatus | undefined
  newcomers?(): NetworkStatus['newcomers']
  roles?(): NetworkStatus['roles']
  corroboration?(): NetworkStatus['corroboration']
  /** Once this peer crawls. */
  notices(): NetworkStatus['notices']
  /** What is wrong with this machine's clock, in a sentence. */
  clockLack(): string | undefined
  /** What is wrong with the copies of others, as far as this peer has seen, in a sentence. */
  copiesLack(): string | undefined
  /** What is wrong with members' tickets, logs and this peer's buckets, a sentence each. */
  ownProblems?(): readonly string[]
}

/** Peers asked for one answer: of a larger network it tells a part. */
const peersMax = 200
const answerMs = 2_000
/** Other peers get the same answer for so long: to count anew for each question would let one of them keep this peer busy. */
const answerAgeMsMax = 500
const massesMax = 20
const textCharsMax = 256

export class NetworkStatusService {
  readonly #needs: Needs
  readonly #copiesWanted: number
  #answer: { readonly bytes: Promise<Uint8Array>; readonly atMs: number } | undefined

  constructor(needs: Needs, copiesWanted: number) {
    this.#needs = needs
    this.#copiesWanted = copiesWanted
    needs.calls.answer(() => this.#answerOthers())
  }

  #answerOthers(): Promise<Uint8Array> {
    const atMs = this.#needs.clock.monotonicMs()
    if (this.#answer === undefined || atMs - this.#answer.atMs > answerAgeMsMax) {
      this.#answer = { bytes: this.#encodedStatus(), atMs }
    }
    return this.#answer.bytes
  }

  async #encodedStatus(): Promise<Uint8Array> {
    return Buffer.from(JSON.stringify(await this.#needs.own()))
  }

  /** Of this peer alone: asks nobody. */
  own(): Promise<PeerStatus> {
    return this.#needs.own()
  }

  async status(): Promise<NetworkStatus> {
    const { network, peers, own } = this.#needs
    const mine = await own()
    const others = await Promise.all(
      peers()
        .slice(0, peersMax)
        .map((peer) => this.#ask(peer)),
    )
    const all = [{ peer: mine.peer, status: mine }, ...others]
    const answered = all.flatMap(({ status }) => (status === undefined ? [] : [status]))
    const clockLack = this.#needs.clockLack()
    const away = this.#needs.away()
    return {
      network,
      copiesWanted: this.#copiesWanted,
      peers: all,
      away,
      sums: sumsOf(answered),
      faults: this.#needs.faults(),
      roles: this.#needs.roles?.(),
      audits: this.#needs.audits?.(),
      newcomers: this.#needs.newcomers?.(),
      corroboration: this.#needs.corroboration?.(),
      notices: this.#needs.notices(),
      lacks: [
        ...lacksOf(answered, this.#copiesWanted, away.length),
        ...[clockLack, this.#needs.copiesLack()].filter((lack) => lack !== undefined),
        ...(this.#needs.ownProblems?.() ?? []),
      ],
      warnings: warningsOf(answered),
      volunteers: volunteersOf(answered),
    }
  }

  async #ask(peer: PeerId): Promise<{ peer: PeerId; status: PeerStatus | undefined }> {
    try {
      const answer = await this.#needs.calls.call(peer, new Uint8Array(), { deadlineMs: answerMs })
      return { peer, status: readStatus(peer, answer) }
    } catch (error) {
      if (!(error instanceof PolyhistorError || error instanceof SyntaxError)) throw error
      return { peer, status: undefined }
    }
  }
}

/** Other peers may be of another version, or mean harm: what is not a number counts as none. */
function readStatus(peer: PeerId, bytes: Uint8Array): PeerStatus {
  const fields = objectOf(JSON.parse(Buffer.from(bytes).toString('utf8')))
  const [copies, sites, links, share, soundness, removals] = [
    fields.copies,
    fields.sites,
    fields.links,
    fields.share,
    fields.soundness,
    fields.removals,
  ].map(objectOf)
  const histogram = Array.isArray(copies!.histogram) ? copies!.histogram.slice(0, 64).map(numberOf) : []
  const state = share!.state
  return {
    peer,
    captures: numberOf(fields.captures),
    bytesOnDisk: numberOf(fields.bytesOnDisk),
    copies: {
      wanted: numberOf(copies!.wanted),
      histogram,
      queue: numberOf(copies!.queue),
      bytesPerSecond: numberOf(copies!.bytesPerSecond),
      bytesIn: numberOf(copies!.bytesIn),
      bytesOut: numberOf(copies!.bytesOut),
    },
    sites: {
      crawled: numberOf(sites!.crawled),
      kept: numberOf(sites!.kept),
      toCopy: numberOf(sites!.toCopy),
    },
    links: {
      sent: numberOf(links!.sent),
      received: numberOf(links!.received),
      waiting: numberOf(links!.waiting),
      oldestMs: numberOf(links!.oldestMs),
      bytesSent: numberOf(links!.bytesSent),
    },
    share: {
      shareBytes: numberOf(share!.shareBytes),
      usedBytes: numberOf(share!.usedBytes),
      state: state === 'full' || state === 'filling' ? state : 'room',
    },
    soundness: {
      passedAtMs: numberOf(soundness!.passedAtMs) || null,
      found: numberOf(soundness!.found),
      mended: numberOf(soundness!.mended),
      damaged: numberOf(soundness!.damaged),
    },
    removals: {
      hidden: numberOf(removals!.hidden),
      droppedForOthers: numberOf(removals!.droppedForOthers),
      destroyed: numberOf(removals!.destroyed),
      missing: numberOf(removals!.missing),
      quarantinedTakedowns: numberOf(removals!.quarantinedTakedowns),
      mass: Array.isArray(removals!.mass) ? removals!.mass.slice(0, massesMax).map(massOf) : [],
    },
    browser: fields.browser === 'ready' || fields.browser === 'missing' ? fields.browser : undefined,
    volunteers: Array.isArray(fields.volunteers)
      ? fields.volunteers.slice(0, volunteersToldMax).map(volunteerOf)
      : undefined,
    machine: machineOf(fields.machine),
  }
}

function volunteerOf(value: unknown): VolunteerStatus {
  const fields = objectOf(value)
  return {
    id: textOf(fields.id).slice(0, 128),
    fetched: numberOf(fields.fetched),
    bytes: numberOf(fields.bytes),
    score: Math.min(1, numberOf(fields.score)),
    state: fields.state === 'proven' || fields.state === 'barred' ? fields.state : 'new',
    open: numberOf(fields.open),
    presentMs: numberOf(fields.presentMs),
  }
}

function machineOf(value: unknown): MachineStatus | undefined {
  if (value === undefined) return undefined
  const fields = objectOf(value)
  return {
    version: textOf(fields.version),
    load: numberOf(fields.load),
    cores: numberOf(fields.cores),
    memoryBytes: numberOf(fields.memoryBytes),
    freeMemoryBytes: numberOf(fields.freeMemoryBytes),
    upMs: numberOf(fields.upMs),
    positions: numberOf(fields.positions),
    ...(fields.share !== undefined && { share: numberOf(fields.share) }),
    ...(fields.placesMoved !== undefined && { placesMoved: numberOf(fields.placesMoved) }),
  }
}

function massOf(value: unknown): MassRemoval {
  const fields = objectOf(value)
  return {
    by: textOf(fields.by),
    what: textOf(fields.what),
    atMs: timeOf(fields.atMs),
    untilMs: timeOf(fields.untilMs),
    takedowns: numberOf(fields.takedowns),
    captures: numberOf(fields.captures),
    ofCaptures: numberOf(fields.ofCaptures),
  }
}

/** Printable, since it is shown to people. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, textCharsMax).replace(/[^\x20-\x7e]/g, '?') : ''
}

function timeOf(value: unknown): number {
  return Math.min(numberOf(value), 8.64e15)
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

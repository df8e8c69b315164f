// Replication acknowledgements: up to which log position the members of our sites have acknowledged, and who waits for that.
//
// A change is safe when a majority of the members and all that answer have it on disk. Our own disk counts as one of them, and is
// flushed only where the others are no majority.

import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { LeasedSite } from './leased-site.ts'
import type { LeasedSites } from './leased-sites.ts'
import type { LogPosition } from './log-position.ts'
import type { ReplicationStreams } from './replication-streams.ts'
import { SiteError } from './site-error.ts'
import type { SiteChanges, SiteFrontier, SiteId } from './site-frontier.ts'
import type { SiteTerms } from './site-terms.ts'

interface Needs {
  readonly clock: Clock
  readonly self: PeerId
  readonly frontier: SiteFrontier
  readonly streams: ReplicationStreams
  readonly leased: LeasedSites
  /** Resolves when all changes of the frontier so far are on disk. */
  flush(): Promise<void>
}

interface Waited {
  readonly leased: LeasedSite
  readonly position: LogPosition
}

/** Members usually acknowledge within this; after it our own disk is flushed. */
const othersMs = 250

export class ReplicationAcks {
  readonly #needs: Needs
  readonly #terms: Pick<SiteTerms, 'patienceMs' | 'hurriedMs'>
  /** Sites with changes that are not safe yet, up to here. */
  readonly #unsafe = new Map<LeasedSite, LogPosition>()

  constructor(needs: Needs, terms: Pick<SiteTerms, 'patienceMs' | 'hurriedMs'>) {
    this.#needs = needs
    this.#terms = terms
  }

  noteChanges({ site, position }: SiteChanges): void {
    const leased = this.#needs.leased.get(site)
    if (leased !== undefined) this.#unsafe.set(leased, position)
  }

  noteAck(site: SiteId, peer: PeerId, position: LogPosition): LeasedSite | undefined {
    const leased = this.#needs.leased.get(site)
    if (leased === undefined) return undefined
    leased.noteAck(peer, position)
    this.check(leased)
    return leased
  }

  /** A member does not answer, and is not waited for any more. */
  checkAll(): void {
    for (const leased of this.#unsafe.keys()) this.check(leased)
  }

  /** Something has changed that decides whether its changes are safe. */
  check(leased: LeasedSite): void {
    const { streams, self } = this.#needs
    // During a take-over a majority is enough: the others may need full copies.
    const isWaitedFor = (peer: PeerId) => leased.phase !== 'taking' && streams.isInSync(peer, leased.site)
    const isSafe = (position: LogPosition) => leased.isSafe(position, self, isWaitedFor)
    leased.resolveSafe(isSafe)
    const last = this.#unsafe.get(leased)
    if (last !== undefined && isSafe(last)) this.#unsafe.delete(leased)
  }

  /** It is not ours any more. */
  forget(leased: LeasedSite): void {
    if (this.#unsafe.delete(leased)) leased.isLost = true
  }

  /** Resolves when all changes of these sites so far are safe. */
  async waitUntilSafe(sites: readonly LeasedSite[]): Promise<void> {
    const { frontier, streams } = this.#needs
    await frontier.committed()
    const waited = sites.flatMap((leased) => {
      // A site that was given up and came back meanwhile is another object, without the changes from before.
      if (leased.isLost) throw new SiteError('site-not-safe', `${leased.site} went to another peer`)
      const position = this.#unsafe.get(leased)
      return position === undefined ? [] : [{ leased, position }]
    })
    if (waited.length === 0) return
    streams.flushSoon(waited.map(({ leased }) => leased.site))
    const stop = this.#flushIfNeeded(waited)
    try {
      await Promise.all(waited.map((one) => this.#untilSafe(one)))
    } finally {
      stop()
    }
  }

  /** Resolves when our own disk has it. */
  async waitUntilKept(waited: readonly Waited[]): Promise<void> {
    await this.#needs.flush()
    for (const { leased, position } of waited) {
      leased.noteKept(position)
      this.check(leased)
    }
  }

  #flushIfNeeded(waited: readonly Waited[]): () => void {
    const { clock, self, streams } = this.#needs
    const canOthers = waited.every(({ leased: { members, site } }) => {
      const others = members.filter((peer) => peer !== self && streams.isInSync(peer, site))
      return 2 * others.length > members.length
    })
    let isOver = false
    const flush = (): void => {
      // The frontier reports failures of our own disk to its users.
      if (!isOver) this.waitUntilKept(waited).catch(() => {})
    }
    const timer = clock.after(canOthers ? this.#terms.hurriedMs + othersMs : 0, flush)
    return () => {
      isOver = true
      timer.cancel()
    }
  }

  async #untilSafe({ leased, position }: Waited): Promise<void> {
    const wait = leased.waitUntilSafe(position)
    this.check(leased)
    await within(this.#needs.clock, this.#terms.patienceMs, wait, () => {
      return new SiteError('site-not-safe', `${leased.site} takes too long to be replicated to its members`)
    })
  }
}

/** The promise's result, or the error when it takes longer. */
export async function within(
  clock: Clock,
  limitMs: number,
  wait: Promise<void>,
  late: () => Error,
): Promise<void> {
  let timer: Timer | undefined
  const over = new Promise<never>((_, reject) => {
    timer = clock.after(limitMs, () => reject(late()))
  })
  wait.catch(() => {})
  try {
    await Promise.race([wait, over])
  } finally {
    timer?.cancel()
  }
}

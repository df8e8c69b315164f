// Safety: which changes of our sites are with their members, and who waits for that.
//
// Safe is what most members have on disk, and all that answer. Our own disk counts as one, and is flushed for that where it is
// needed: where the others are a majority already, it is not.

import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Outlets } from './outlets.ts'
import { SiteError } from './site-error.ts'
import type { SiteChanges, SiteFrontier, SiteId } from './site-frontier.ts'
import type { SiteTerms } from './site-terms.ts'
import type { Stage } from './stage.ts'
import type { TendedSite } from './tended-site.ts'
import type { TendedSites } from './tended-sites.ts'

interface Needs {
  readonly clock: Clock
  readonly self: PeerId
  readonly frontier: SiteFrontier
  readonly outlets: Outlets
  readonly tended: TendedSites
  /** Everything that was told to the frontier so far is on disk when it resolves. */
  flush(): Promise<void>
}

interface Waited {
  readonly tended: TendedSite
  readonly stage: Stage
}

/** Members that are told answer within this, as a rule; then our own disk is made to count. */
const othersMs = 250

export class Safety {
  readonly #needs: Needs
  readonly #terms: Pick<SiteTerms, 'patienceMs' | 'hurriedMs'>
  /** Sites with changes that are not safe yet, up to here. */
  readonly #unsafe = new Map<TendedSite, Stage>()

  constructor(needs: Needs, terms: Pick<SiteTerms, 'patienceMs' | 'hurriedMs'>) {
    this.#needs = needs
    this.#terms = terms
  }

  changed({ site, stage }: SiteChanges): void {
    const tended = this.#needs.tended.get(site)
    if (tended !== undefined) this.#unsafe.set(tended, stage)
  }

  acked(site: SiteId, peer: PeerId, stage: Stage): TendedSite | undefined {
    const tended = this.#needs.tended.get(site)
    if (tended === undefined) return undefined
    tended.acked(peer, stage)
    this.look(tended)
    return tended
  }

  /** Somebody does not answer, and is not waited for. */
  lookAtAll(): void {
    for (const tended of this.#unsafe.keys()) this.look(tended)
  }

  /** Something has changed that its safety depends on. */
  look(tended: TendedSite): void {
    const { outlets, self } = this.#needs
    // While it is taken over, most members are enough: the others may need copies.
    const isWaitedFor = (peer: PeerId) => tended.phase !== 'taking' && outlets.isInStep(peer, tended.site)
    const isSafe = (stage: Stage) => tended.isSafe(stage, self, isWaitedFor)
    tended.look(isSafe)
    const last = this.#unsafe.get(tended)
    if (last !== undefined && isSafe(last)) this.#unsafe.delete(tended)
  }

  /** It is not ours any more. */
  forget(tended: TendedSite): void {
    if (this.#unsafe.delete(tended)) tended.isLost = true
  }

  /** Resolves when all that was told of these sites so far is safe. */
  async until(sites: readonly TendedSite[]): Promise<void> {
    const { frontier, outlets } = this.#needs
    await frontier.committed()
    const waited = sites.flatMap((tended) => {
      // One that goes and comes back meanwhile is another, which was not told of what was added before.
      if (tended.isLost) throw new SiteError('site-not-safe', `${tended.site} went to another peer`)
      const stage = this.#unsafe.get(tended)
      return stage === undefined ? [] : [{ tended, stage }]
    })
    if (waited.length === 0) return
    outlets.hurry(waited.map(({ tended }) => tended.site))
    const stop = this.#flushIfNeeded(waited)
    try {
      await Promise.all(waited.map((one) => this.#untilSafe(one)))
    } finally {
      stop()
    }
  }

  /** Resolves when our own disk has it. */
  async keep(waited: readonly Waited[]): Promise<void> {
    await this.#needs.flush()
    for (const { tended, stage } of waited) {
      tended.kept(stage)
      this.look(tended)
    }
  }

  #flushIfNeeded(waited: readonly Waited[]): () => void {
    const { clock, self, outlets } = this.#needs
    const canOthers = waited.every(({ tended: { members, site } }) => {
      const others = members.filter((peer) => peer !== self && outlets.isInStep(peer, site))
      return 2 * others.length > members.length
    })
    let isOver = false
    const flush = (): void => {
      // Our own disk's failure is told by the frontier to whoever uses it.
      if (!isOver) this.keep(waited).catch(() => {})
    }
    const timer = clock.after(canOthers ? this.#terms.hurriedMs + othersMs : 0, flush)
    return () => {
      isOver = true
      timer.cancel()
    }
  }

  async #untilSafe({ tended, stage }: Waited): Promise<void> {
    const wait = tended.untilSafe(stage)
    this.look(tended)
    await within(this.#needs.clock, this.#terms.patienceMs, wait, () => {
      return new SiteError('site-not-safe', `${tended.site} takes too long to be told to its members`)
    })
  }
}

/** What it gives, or the error when that takes longer. */
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

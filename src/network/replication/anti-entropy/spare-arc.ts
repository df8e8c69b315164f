// Spare arc: a peer that has no place on the ring yet fetches what lies where its first place would be, and goes on fetching what is new.
// So there is one more copy of it, which nobody counts on, and the peer can show that it keeps what it is given.
//
// Fetched from the arc's owner, by comparison; the owner need not know of it. What is held so is not dropped for being surplus
// (hand-over.ts) while there is room.

import { PolyhistorError } from '../../../errors.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { PeriodicTask } from '../../../platform/periodic-task.ts'
import { type CopyPlaces, type OwnArc, rangesOn } from '../captures/places.ts'
import type { Reconciler } from './reconciler.ts'

interface Needs {
  readonly places: Pick<CopyPlaces, 'lookup' | 'splits'>
  readonly reconciler: Pick<Reconciler, 'compare'>
  readonly clock: Clock
  readonly log: Log
  pace(bytes: number): Promise<void>
  /** undefined for a peer that has places of its own, or knows nobody yet. */
  arc(): Pick<OwnArc, 'after' | 'upTo'> | undefined
}

/** Soon after a start, and while nothing could be fetched. */
const soonMs = 10_000

export class SpareArc {
  readonly #needs: Needs
  readonly #stop = new AbortController()
  readonly #task: PeriodicTask
  readonly #everyMs: number

  constructor(needs: Needs, everyMs: number) {
    this.#needs = needs
    this.#everyMs = everyMs
    this.#task = new PeriodicTask(needs, soonMs, () => this.#fetch(), { firstMs: soonMs })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#task.close()
  }

  async #fetch(): Promise<void> {
    const { places, reconciler, log, pace } = this.#needs
    const arc = this.#needs.arc()
    if (arc === undefined) return
    const { signal } = this.#stop
    try {
      const { owner } = await places.lookup(arc.upTo)
      const options = { direction: 'fetch', signal, pace } as const
      const { fetched, failed } = await reconciler.compare(owner.peer, rangesOn(places, arc), options)
      if (fetched > 0) log.info({ captures: fetched, owner: owner.peer }, 'Spare copies were fetched')
      if (failed === 0) this.#task.runIn(this.#everyMs)
    } catch (error) {
      // Without room, or with an owner that is away: there will be another time.
      if (!(error instanceof PolyhistorError) && !signal.aborted) throw error
    }
  }
}

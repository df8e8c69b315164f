// Periodic upkeep of the directory, a little at a time:
//
// - sites' needs are sent again, in case a directory lost them; needs that ended are sent soon;
// - contents that are needed are held again by those who keep them now, for these change;
// - contents that nobody has needed for a while are released: not at once, because a renewed need may have been lost;
// - what is held here although other peers keep its captures by now is released when they hold it.

import { unlessFails } from '../../errors.ts'
import type { Digest } from '../../model/digest.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Reference } from '../../store/elsewhere/elsewhere.ts'
import { placeOfDigest } from './content-row.ts'
import type { Directory } from './directory.ts'
import type { Keepers } from './keepers.ts'
import type { ContentPlaces, OwnContents, OwnNeeds } from './needs.ts'
import type { DigestOwners } from './owners.ts'
import { type HeldAt, itemsMax } from './questions.ts'

export interface UpkeepOptions {
  /** How soon others hear that a content is needed no more. */
  readonly endingMs: number
  /** How often needs and holds are told again. */
  readonly renewMs: number
  /** How long a content is kept that nobody seems to need. Longer than `renewMs`, or what is needed may go. */
  readonly graceMs: number
}

interface Needs {
  readonly clock: Clock
  readonly places: ContentPlaces
  readonly directory: Directory
  readonly keepers: Keepers
  readonly own: OwnContents
  readonly needs: OwnNeeds
  readonly owners: DigestOwners<Reference & { isNeeded: boolean }>
}

/** Between messages: upkeep is not to be felt. */
const pauseMs = 50

export class ContentUpkeep {
  readonly #needs: Needs
  readonly #options: UpkeepOptions
  readonly #ending = new AbortController()
  readonly #tasks: PeriodicTask[]
  #running: Promise<void> = Promise.resolve()

  constructor(needs: Needs, options: UpkeepOptions) {
    this.#needs = needs
    this.#options = options
    this.#tasks = [
      this.#every(options.endingMs, async () => {
        await this.#tellEnded()
        await this.#letGoUnneeded()
      }),
      this.#every(options.renewMs, async () => {
        await this.#tellNeeds()
        await this.#holdNeeded()
        await this.#letGoForeign()
      }),
    ]
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#tasks.map((task) => task.close()))
  }

  /** One after the other, whatever is due. */
  #every(periodMs: number, work: () => Promise<void>): PeriodicTask {
    return new PeriodicTask(this.#needs, periodMs, () => {
      const run = async (): Promise<void> => {
        if (!this.#ending.signal.aborted) await work()
      }
      this.#running = this.#running.then(run, run)
      return this.#running
    })
  }

  async #tellEnded(): Promise<void> {
    const { needs } = this.#needs
    for (;;) {
      const told = await this.#tell(needs.ended(itemsMax), false)
      if (told.length === 0) return
      await needs.forgetEnded(told)
      await this.#pause()
    }
  }

  /** Those of our own sites: others tell theirs. */
  async #tellNeeds(): Promise<void> {
    const { needs, places } = this.#needs
    for await (const some of this.#batches((after?: Reference) => needs.all(after)))
      await this.#tell(
        some.filter(({ site }) => places.isOwner(site)),
        true,
      )
  }

  /** Gives those that were told. */
  async #tell(contents: readonly Reference[], isNeeded: boolean): Promise<Reference[]> {
    const { owners } = this.#needs
    const answers = contents.map((content) => unlessFails(owners.ask({ ...content, isNeeded })))
    const isTold = await Promise.all(answers)
    return contents.filter((_, index) => isTold[index] !== undefined)
  }

  async #holdNeeded(): Promise<void> {
    const { directory, keepers } = this.#needs
    for await (const some of this.#batches((after?: Digest) => this.#ownDigests(after))) {
      const needed = some.filter((digest) => directory.isNeeded(digest))
      await keepers.hold(needed.flatMap((digest) => this.#heldAt(digest)))
    }
  }

  *#ownDigests(after?: Digest): Generator<Digest> {
    const { directory, places } = this.#needs
    for (let from = after && behind(after); ; ) {
      const digest = directory.first(from ?? Buffer.from([0]))
      if (digest === undefined) return
      if (places.isOwner(placeOfDigest(digest))) yield digest
      from = behind(digest)
    }
  }

  async #letGoUnneeded(): Promise<void> {
    const { directory, keepers, clock, places } = this.#needs
    const sinceMs = clock.nowMs() - this.#options.graceMs
    const due = directory.unneededSince(sinceMs, itemsMax)
    const digests = due.filter((digest) => places.isOwner(placeOfDigest(digest)))
    const contents = digests.flatMap((digest) => this.#heldAt(digest))
    await keepers.letGo(contents)
    await directory.forgetUnneeded(due)
    // Whoever asked meanwhile was told that they are held.
    await keepers.hold(contents.filter(({ digest }) => directory.isNeeded(digest)))
  }

  /** Other peers keep the captures that it came with by now. */
  async #letGoForeign(): Promise<void> {
    const { own, places, keepers } = this.#needs
    const isForeign = (place: RingKey): boolean => !places.isOwner(place) && !places.isKeeper(place)
    for await (const some of this.#batches((after?: HeldAt) => own.heldAlone(after?.digest))) {
      const foreign = some.filter(({ place }) => isForeign(place))
      const safeties = await keepers.hold(foreign)
      await own.letGo(foreign.filter((_, index) => safeties[index] === 'safe').map(({ digest }) => digest))
    }
  }

  #heldAt(digest: Digest): HeldAt[] {
    const { directory, keepers } = this.#needs
    const place = directory.place(digest)
    return place === undefined ? [] : [keepers.heldAt(place)]
  }

  /** Of a list that may change meanwhile. */
  async *#batches<T>(list: (after?: T) => Iterable<T>): AsyncGenerator<T[]> {
    for (let after: T | undefined; ; ) {
      const batch: T[] = []
      for (const item of list(after)) {
        batch.push(item)
        if (batch.length === itemsMax) break
      }
      if (batch.length > 0) yield batch
      if (batch.length < itemsMax) return
      after = batch.at(-1)
      await this.#pause()
    }
  }

  #pause(): Promise<void> {
    return this.#needs.clock.sleep(pauseMs, this.#ending.signal)
  }
}

function behind({ bytes }: Digest): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(21, 0xff)])
}

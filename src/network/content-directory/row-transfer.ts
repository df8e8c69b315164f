// Row transfer: directory rows follow the ring: they are sent to new replicas of a stretch and to its new owner.
//
// A stretch is the keys of one position. Each is given to a peer once, as long as the ring round it does not change; rows that we are
// not to keep go when their owner has them.

import { type RingKey, ringKeyToBytes } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { placeAfter } from '../ring/protocol/place.ts'
import { placeOfDigest } from './content-row.ts'
import type { Directory } from './directory.ts'
import type { ContentPlaces } from './needs.ts'
import { itemsMax } from './questions.ts'
import type { RowCopies } from './row-copies.ts'

interface Needs {
  readonly clock: Clock
  readonly places: ContentPlaces
  readonly directory: Directory
  readonly copies: RowCopies
}

/** A ring that changes does so several times: it is waited until it is quiet. */
const quietMs = 2_000
const againMs = 60_000

export class RowTransfer {
  readonly #needs: Needs
  /** Stretches that a peer was given, by peer and the stretch's ends. */
  readonly #given = new Set<string>()
  readonly #stop: () => void
  readonly #task: PeriodicTask
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#task = new PeriodicTask(needs, againMs, () => this.#run(), { firstMs: quietMs })
    this.#stop = needs.places.onChange(() => this.#task.runIn(quietMs))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stop()
    await this.#task.close()
  }

  /** Round the ring, a stretch at a time. Who could not be given his is tried again with the next run. */
  async #run(): Promise<void> {
    const { directory, places } = this.#needs
    const stretches = new Set<string>()
    for (let from: Uint8Array = Buffer.from([0]); !this.#isClosed; ) {
      const first = directory.first(from)
      if (first === undefined) break
      const key = placeOfDigest(first)
      const owner = places.likelyOwnerOf(key)
      if (owner === undefined) return
      // The last stretch goes over the end of the ring.
      const upTo = owner.upTo < key ? lastKey : owner.upTo
      const peers = owner.peer === places.self ? places.partnersOf(key) : [owner.peer]
      for (const peer of peers) {
        const name = `${peer} ${upTo}`
        stretches.add(name)
        if (!this.#given.has(name) && (await this.#give(peer, key, upTo))) this.#given.add(name)
      }
      if (upTo === lastKey) break
      from = ringKeyToBytes(placeAfter(upTo, 0))
    }
    for (const name of this.#given) if (!stretches.has(name)) this.#given.delete(name)
  }

  async #give(peer: PeerId, key: RingKey, upTo: RingKey): Promise<boolean> {
    const { directory, copies, places } = this.#needs
    for (let from: Uint8Array | undefined = ringKeyToBytes(key); from !== undefined; ) {
      const { rows, next } = directory.page(from, upTo, itemsMax)
      if (rows.length > 0 && !(await copies.give(peer, rows))) return false
      if (!places.isOwner(key) && !places.isKeeper(key)) await directory.remove(rows)
      from = next
      if (this.#isClosed) return false
    }
    return true
  }
}

const lastKey = 'f'.repeat(40) as RingKey

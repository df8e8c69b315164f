// Rows of the directory follow the ring: who has come to keep a stretch with us is given it, and so is its new owner.
//
// A stretch is the keys of one position. Each is given to a peer once, as long as the ring round it does not change; rows that we are
// not to keep go when their owner has them.

import { PolyhistorError } from '../../errors.ts'
import { type RingKey, ringKeyToBytes } from '../../model/ring-key.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
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
  #timer: Timer | undefined
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#stop = needs.places.onChange(() => this.#runIn(quietMs))
    this.#runIn(quietMs)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#stop()
    this.#timer?.cancel()
    await this.#running
  }

  #runIn(delayMs: number): void {
    this.#timer?.cancel()
    if (this.#isClosed) return
    this.#timer = this.#needs.clock.after(delayMs, () => {
      if (this.#running !== undefined) return this.#runIn(delayMs)
      this.#running = this.#tried().then((isDone) => {
        this.#running = undefined
        if (!isDone) this.#runIn(againMs)
      })
    })
  }

  async #tried(): Promise<boolean> {
    try {
      return await this.#run()
    } catch (error) {
      // A disk or a ring in trouble: later, then.
      if (error instanceof PolyhistorError) return false
      throw error
    }
  }

  /** Round the ring, a stretch at a time. False when somebody could not be given his. */
  async #run(): Promise<boolean> {
    const { directory, places } = this.#needs
    const stretches = new Set<string>()
    let isDone = true
    for (let from: Uint8Array = Buffer.from([0]); !this.#isClosed; ) {
      const first = directory.first(from)
      if (first === undefined) break
      const key = placeOfDigest(first)
      const owner = places.likelyOwnerOf(key)
      if (owner === undefined) return false
      // The last stretch goes over the end of the ring.
      const upTo = owner.upTo < key ? lastKey : owner.upTo
      const peers = owner.peer === places.self ? places.partnersOf(key) : [owner.peer]
      for (const peer of peers) {
        const name = `${peer} ${upTo}`
        stretches.add(name)
        if (this.#given.has(name)) continue
        if (await this.#give(peer, key, upTo)) this.#given.add(name)
        else isDone = false
      }
      const next = keyAfter(upTo)
      if (next === undefined) break
      from = next
    }
    for (const name of this.#given) if (!stretches.has(name)) this.#given.delete(name)
    return isDone
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

function keyAfter(key: RingKey): Uint8Array | undefined {
  if (key === lastKey) return undefined
  return Buffer.from((BigInt(`0x${key}`) + 1n).toString(16).padStart(key.length, '0'), 'hex')
}

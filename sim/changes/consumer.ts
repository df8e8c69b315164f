// Consumers of the stream: one asks again and again, each time another peer, from its cursor on; one stays as long as its peer does.
//
// Both may lose what they noted last, as a consumer that crashes does: then they go on from an older cursor.

import type { ChangeEvent } from '../../src/changes/change-event.ts'
import { PolyhistorError } from '../../src/errors.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { WholeNetwork } from '../peer/whole-network.ts'
import { EventLedger } from './event-ledger.ts'

type Line = ChangeEvent & { readonly cursor: string; readonly gap?: object }

export class Consumer {
  readonly ledger: EventLedger
  readonly #network: WholeNetwork
  readonly #random: SimulatedRandom
  readonly #check: (event: ChangeEvent) => void
  readonly #isFollowing: boolean
  #cursor = ''
  #before = ''
  /** At which peer it is. */
  #at = ''
  #reading = 0
  #trouble: unknown
  moves = 0

  constructor(
    needs: { network: WholeNetwork; random: SimulatedRandom; check: (event: ChangeEvent) => void },
    name: string,
    isFollowing: boolean,
  ) {
    this.#network = needs.network
    this.#random = needs.random
    this.#check = needs.check
    this.#isFollowing = isFollowing
    this.ledger = new EventLedger(name)
  }

  get cursor(): string {
    return this.#cursor
  }

  /** Goes on: at another peer, when it is time to. Throws what was wrong with what came since. */
  step(): void {
    if (this.#trouble !== undefined) throw this.#trouble
    const names = this.#network.peers.map(({ name }) => name)
    const isThere = this.#reading > 0 && names.includes(this.#at)
    if (names.length === 0 || (isThere && this.#random.below(this.#isFollowing ? 60 : 20) > 0)) return
    this.#at = names[this.#random.below(names.length)]!
    this.moves++
    if (this.#random.below(4) === 0) this.#cursor = this.#before
    this.#before = this.#cursor
    const reading = ++this.#number
    this.#reading = reading
    void this.#read(reading).catch((error: unknown) => {
      // Its peer is gone, or going.
      if (!(error instanceof PolyhistorError)) this.#trouble ??= error
    })
  }
  #number = 0

  async #read(reading: number): Promise<void> {
    const since = this.#cursor === '' ? '' : `&since=${this.#cursor}`
    const target = `/api/v1/changes?follow=${this.#isFollowing}&cursors=true${since}`
    const body = await this.#network.follow(this.#at, target)
    if (body === undefined) return this.#end(reading)
    for await (const part of body) {
      if (this.#reading !== reading) return
      for (const line of Buffer.from(part).toString().split('\n'))
        if (line !== '') this.#got(JSON.parse(line) as Line)
    }
    this.#end(reading)
  }

  #end(reading: number): void {
    if (this.#reading === reading) this.#reading = 0
  }

  #got({ cursor, ...event }: Line): void {
    if (event.gap !== undefined) throw new Error(`a gap: ${JSON.stringify(event)}`)
    if (event.id !== undefined) {
      this.ledger.got(event)
      this.#check(event)
    }
    this.#cursor = cursor
  }
}

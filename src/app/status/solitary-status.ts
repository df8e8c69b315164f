// The status of a peer that is alone: everything has one copy, and that is all there can be.

import {
  type BrowserStatus,
  browserLacks,
  type MachineStatus,
  type NetworkStatus,
  type PeerStatus,
  sumsOf,
  warningsOf,
} from '../../model/peer-status.ts'
import type { Store } from '../../store/store.ts'
import { removalsOf } from './removals.ts'
import { bucketLacks, soundnessOf } from './soundness.ts'

export class SolitaryStatus {
  readonly #store: Store
  readonly #browser: () => BrowserStatus | undefined
  readonly #machine: () => MachineStatus | undefined

  constructor(needs: {
    store: Store
    browser?: () => BrowserStatus | undefined
    machine?: () => MachineStatus | undefined
  }) {
    this.#store = needs.store
    this.#browser = needs.browser ?? (() => undefined)
    this.#machine = needs.machine ?? (() => undefined)
  }

  async own(): Promise<PeerStatus> {
    const stat = await this.#store.stat()
    const { captures, bytes } = stat
    return {
      peer: '',
      captures,
      bytesOnDisk: bytes.onDisk,
      copies: { wanted: 1, histogram: [0, captures], queue: 0, bytesPerSecond: 0, bytesIn: 0, bytesOut: 0 },
      sites: { crawled: 0, kept: 0, toCopy: 0 },
      links: { sent: 0, received: 0, waiting: 0, oldestMs: 0, bytesSent: 0 },
      share: { shareBytes: 0, usedBytes: bytes.onDisk, state: 'room' },
      soundness: soundnessOf(this.#store),
      removals: removalsOf(this.#store, stat),
      browser: this.#browser(),
      machine: this.#machine(),
    }
  }

  async status(): Promise<NetworkStatus> {
    const own = await this.own()
    const network = { id: '', name: '', kind: 'alone' }
    const peers = [{ peer: '', status: own }]
    return {
      network,
      copiesWanted: 1,
      peers,
      away: [],
      sums: sumsOf([own]),
      lacks: [...browserLacks([own]), ...bucketLacks(this.#store)],
      warnings: warningsOf([own], true),
      volunteers: [],
    }
  }
}

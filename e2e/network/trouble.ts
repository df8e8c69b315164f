// What is done to a network of peers, at random: kill -9 and begun again, paused, wiped, removed, added.
//
// Invariant: fewer peers than there are copies are in trouble at any moment, and one is in trouble until the network has got
// over it: until then it may be that only others have what it had.

import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { ArchivePeer } from './archive-peer.ts'
import { healed } from './health.ts'
import type { NetworkOfPeers } from './network-of-peers.ts'

export interface TroubleLimits {
  /** Peers in trouble at once. */
  readonly atOnce: number
  /** Disks may be lost. */
  readonly losesDisks: boolean
  /** So many at most; what was on each is copied anew. */
  readonly disksLostMax?: number
  /** Made the network: it keeps its disk, and tells the others not to wait for those that are lost. Without one they are given up by
   * `ring.patience`. */
  readonly administrator?: ArchivePeer
  /** Only after a disk was lost it is waited for all copies: who was killed or paused has its own. */
  readonly waitsForLossesOnly?: boolean
  readonly peersMin: number
  readonly peersMax: number
  /** Within which the network must get over one. */
  readonly healMsMax: number
}

interface Needs {
  readonly network: NetworkOfPeers
  readonly random: SimulatedRandom
  readonly tell: (sentence: string) => void
}

const pauseMsMin = 5_000
const pauseMsMax = 30_000
const downMsMax = 20_000
const restMsMax = 5_000

type Chaos = (peer: ArchivePeer) => Promise<void>

export class Trouble {
  readonly #needs: Needs
  readonly #limits: TroubleLimits
  readonly #troubled = new Set<ArchivePeer>()
  readonly counts: Record<string, number> = {}

  constructor(needs: Needs, limits: TroubleLimits) {
    this.#needs = needs
    this.#limits = limits
  }

  /** Makes trouble until then, or until it is enough, and resolves when the last of it is over. */
  async run(untilMs: number, enough?: AbortSignal): Promise<void> {
    const { atOnce } = this.#limits
    await Promise.all(Array.from({ length: atOnce }, (_, hand) => this.#hand(hand, untilMs, enough)))
  }

  async #hand(hand: number, untilMs: number, enough?: AbortSignal): Promise<void> {
    const random = this.#needs.random.fork(`hand ${hand}`)
    while (performance.now() < untilMs && !enough?.aborted) {
      await sleep(random.below(restMsMax))
      const victim = this.#choose(random)
      const [name, chaos] = this.#chaos(random, victim)
      this.counts[name] = (this.counts[name] ?? 0) + 1
      this.#needs.tell(`${name}: ${name === 'add' ? 'one more' : victim.name}`)
      this.#troubled.add(victim)
      const isLoss = name === 'wipe' || name === 'remove'
      if (isLoss && this.#limits.waitsForLossesOnly) await this.#healed()
      await chaos(victim)
      if (isLoss || !this.#limits.waitsForLossesOnly) await this.#healed()
      this.#needs.tell(`${name}: over`)
      this.#troubled.delete(victim)
    }
  }

  #healed(): Promise<void> {
    return healed(this.#needs.network, this.#limits.healMsMax, this.#needs.tell)
  }

  /** Its disk is gone. */
  async #lose(peer: ArchivePeer): Promise<void> {
    const { administrator } = this.#limits
    const { peer: id } = await peer.view()
    await this.#needs.network.remove(peer)
    await administrator?.forget(id, this.#limits.healMsMax)
  }

  #choose(random: SimulatedRandom): ArchivePeer {
    // One that is only being added is in trouble already.
    const untroubled = this.#needs.network.peers.filter((peer) => peer.isUp && !this.#troubled.has(peer))
    return untroubled[random.below(untroubled.length)]!
  }

  #chaos(random: SimulatedRandom, victim: ArchivePeer): [string, Chaos] {
    const { network } = this.#needs
    const { peersMin, peersMax, disksLostMax = Number.POSITIVE_INFINITY } = this.#limits
    const { wipe = 0, remove = 0 } = this.counts
    const mayLose = this.#limits.losesDisks && victim !== this.#limits.administrator
    const losesDisks = mayLose && wipe + remove < disksLostMax
    const possible: Record<string, Chaos> = {
      kill: async (peer) => {
        await peer.kill()
        await sleep(random.below(downMsMax))
        await peer.start()
      },
      pause: async (peer) => {
        peer.pause()
        await sleep(random.between(pauseMsMin, pauseMsMax))
        peer.resume()
      },
    }
    if (losesDisks)
      possible.wipe = async (peer) => {
        await this.#lose(peer)
        await network.add()
      }
    // Two hands may remove, or add, at the same time.
    if (losesDisks && network.peers.length > peersMin + 1) possible.remove = (peer) => this.#lose(peer)
    if (network.peers.length < peersMax - 1) possible.add = async () => void (await network.add())
    const names = Object.keys(possible)
    const name = names[random.below(names.length)]!
    return [name, possible[name]!]
  }
}

function sleep(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}

// Present peers: whom a stream asks, and whether these are all who may crawl a site.
//
// A peer that vanishes is missed by some sooner than by others. Until all have noticed, its sites may be nobody's without anybody
// saying so. So what a stream was told counts when all who answer see the same peers as we do, and have done so for some seconds; or,
// where the ring is so large that not everybody knows everybody, when we see the same ones for a minute. And where as many are away as keep copies of a
// site, all members of a site may be among them, on the other side of a partition: then nobody here could tell.

import { hash } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'

interface Needs {
  readonly clock: Clock
  readonly self: string
  /** The others that are on the ring now. */
  peers(): readonly string[]
  /** With those that are missed and not gone for good. */
  members(): readonly string[]
}

/** After a change of who is there, also after our start, until all can be taken to have noticed it. */
const settlingMs = 60_000
/** Until we have done ourselves what follows from it: sites that may be nobody's are counted as such. */
const ownSettlingMs = 10_000
const viewBytes = 5

export class PresentPeers {
  readonly #needs: Needs
  readonly #copies: number
  #known = ''
  #view = 0
  #changedAtMs: number

  constructor(needs: Needs, copies: number) {
    this.#needs = needs
    this.#copies = copies
    this.#changedAtMs = needs.clock.monotonicMs()
  }

  present(): readonly string[] {
    return [this.#needs.self, ...this.#needs.peers()]
  }

  /** So few are away that each site has a member among those who are there. */
  isEnough(): boolean {
    const { peers, members } = this.#needs
    return members().length - peers().length < this.#copies
  }

  /** They are the same for so long that all have noticed. */
  isStable(): boolean {
    return this.#stableMs() >= settlingMs
  }

  /** Whom we see, present and away, as a number: who gives the same one sees the same peers. 0 while that has just changed. */
  view(): number {
    return this.#stableMs() < ownSettlingMs ? 0 : this.#view
  }

  #stableMs(): number {
    const { clock, self, peers, members } = this.#needs
    const known = [
      [self, ...peers()],
      [self, ...members()],
    ]
      .map((names) => names.toSorted().join(' '))
      .join('\n')
    if (known !== this.#known) {
      this.#known = known
      this.#view = 1 + hash('sha256', known, 'buffer').readUIntBE(0, viewBytes)
      this.#changedAtMs = clock.monotonicMs()
    }
    return clock.monotonicMs() - this.#changedAtMs
  }

  isAlone(): boolean {
    return this.#needs.members().length === 0
  }
}

// Given sites: sites that the ring gives to us, and that another of their members is to crawl. We ask it again and again; while it
// says that it does, or soon will, we do not.
//
// Invariant: whoever is silent, unwilling or too slow loses the site to us, and is not asked again at once: a site does not go back
// and forth.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { BackOffs } from '../link-delivery/back-offs.ts'
import type { PlacementTerms } from './placement-terms.ts'
import {
  type Entrusted,
  type LeadAnswer,
  type LoadReport,
  leadQuestion,
  leadReplies,
  sitesMax,
  type ToldTime,
} from './wire/questions.ts'

/** Who is to crawl which sites. */
export interface LeaderChoice {
  /** The sites that the owner itself need not be the one to crawl. */
  sites(): Iterable<RingKey>
  /** One of the members, of which the owner is the first; undefined: the owner. */
  leaderOf(site: RingKey, members: readonly PeerId[]): PeerId | undefined
  onChange(listener: () => void): () => void
}

export interface LoadListener {
  /** Peers that are to be asked for it, though nothing is theirs to crawl. */
  unheard(): Iterable<PeerId>
  heard(peer: PeerId, sites: readonly RingKey[], report: LoadReport, times: readonly ToldTime[]): void
}

interface Needs {
  readonly self: PeerId
  readonly clock: Clock
  readonly random: Random
  readonly choice: Pick<LeaderChoice, 'sites' | 'leaderOf'>
  /** Who keeps the site's copies by the ring, ourselves first; undefined when it is not ours. */
  replicaSet(site: RingKey): readonly PeerId[] | undefined
  /** What others have to do, told with their answers. */
  readonly load?: LoadListener | undefined
  /** Rejects with a PolyhistorError when the peer does not answer. */
  ask(peer: PeerId, question: Uint8Array): Promise<Uint8Array>
  /** Whether we are to crawl it may have changed. */
  onChange(): void
}

interface Given {
  readonly peer: PeerId
  /** Since when it says that it will crawl the site soon; undefined while it does. */
  comingSinceMs: number | undefined
  answeredMs: number
}

export class GivenSites {
  readonly #needs: Needs
  readonly #terms: PlacementTerms
  readonly #given = new Map<RingKey, Given>()
  readonly #backOffs: BackOffs<RingKey>

  constructor(needs: Needs, terms: PlacementTerms) {
    this.#needs = needs
    this.#terms = terms
    this.#backOffs = new BackOffs(needs, { firstMs: terms.againMs, longestMs: terms.againMsMax })
  }

  /** Who crawls it for us, or is about to. */
  peerOf(site: RingKey): PeerId | undefined {
    return this.#given.get(site)?.peer
  }

  get size(): number {
    return this.#given.size
  }

  /** Asks all who are to crawl sites of ours; takes back what they are not to crawl any more. */
  async settle(): Promise<void> {
    const wanted = this.#wanted()
    const back: [PeerId, RingKey][] = []
    for (const [site, { peer }] of this.#given) {
      if (wanted.get(site)?.peer === peer) continue
      this.#given.delete(site)
      // The next owner is not to find it taken from whom it has just asked to go on.
      if (this.#needs.replicaSet(site) !== undefined) back.push([peer, site])
    }
    if (back.length > 0) this.#needs.onChange()
    const byPeer = Map.groupBy(wanted.values(), ({ peer }) => peer)
    const unheard = [...(this.#needs.load?.unheard() ?? [])].filter((peer) => !byPeer.has(peer))
    await Promise.all([
      ...unheard.map((peer) => this.#askSome(peer, [])),
      ...[...Map.groupBy(back, ([peer]) => peer)].map(([peer, sites]) =>
        this.#takeBack(
          peer,
          sites.map(([, site]) => site),
        ),
      ),
      ...[...byPeer].map(([peer, sites]) => this.#askAll(peer, sites)),
    ])
  }

  #wanted(): Map<RingKey, Entrusted & { readonly peer: PeerId }> {
    const { choice, replicaSet, self } = this.#needs
    const wanted = new Map<RingKey, Entrusted & { readonly peer: PeerId }>()
    for (const site of choice.sites()) {
      const members = replicaSet(site)
      if (members === undefined || this.#backOffs.untilMs(site) !== undefined) continue
      const peer = choice.leaderOf(site, members)
      if (peer === undefined || peer === self || !members.includes(peer)) continue
      wanted.set(site, { site, peer, members })
    }
    return wanted
  }

  async #askAll(peer: PeerId, sites: readonly Entrusted[]): Promise<void> {
    for (let start = 0; start < sites.length; start += sitesMax)
      await this.#askSome(peer, sites.slice(start, start + sitesMax))
  }

  async #askSome(peer: PeerId, sites: readonly Entrusted[]): Promise<void> {
    const asked = sites.map(({ site, members }) => ({ site, members }))
    let answers: readonly LeadAnswer[] | undefined
    try {
      const question = leadQuestion.encode({ kind: 'lead', sites: asked })
      const reply = leadReplies.decode(await this.#needs.ask(peer, question), asked.length)
      answers = reply.answers
      const { report, times } = reply
      if (report !== undefined)
        this.#needs.load?.heard(
          peer,
          asked.map(({ site }) => site),
          report,
          times,
        )
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
    let isChanged = false
    for (const [index, { site }] of asked.entries())
      if (this.#note(site, peer, answers?.[index])) isChanged = true
    if (isChanged) this.#needs.onChange()
  }

  /** True when whether we are to crawl it has changed. `answer` is undefined when the peer was silent. */
  #note(site: RingKey, peer: PeerId, answer: LeadAnswer | undefined): boolean {
    const nowMs = this.#needs.clock.monotonicMs()
    const known = this.#given.get(site)
    if (answer === undefined) {
      if (known !== undefined && nowMs - known.answeredMs <= this.#terms.silentMsMax) return false
      return this.#giveUp(site)
    }
    if (answer === 'no') return this.#giveUp(site)
    const comingSinceMs = answer === 'leading' ? undefined : (known?.comingSinceMs ?? nowMs)
    if (comingSinceMs !== undefined && nowMs - comingSinceMs > this.#terms.comingMsMax) {
      void this.#takeBack(peer, [site])
      return this.#giveUp(site)
    }
    if (answer === 'leading') this.#backOffs.noteSuccess(site)
    this.#given.set(site, { peer, comingSinceMs, answeredMs: nowMs })
    return known === undefined
  }

  #giveUp(site: RingKey): boolean {
    this.#backOffs.noteFailure(site)
    return this.#given.delete(site)
  }

  async #takeBack(peer: PeerId, sites: readonly RingKey[]): Promise<void> {
    try {
      for (let start = 0; start < sites.length; start += sitesMax)
        await this.#needs.ask(
          peer,
          leadQuestion.encode({ kind: 'back', sites: sites.slice(start, start + sitesMax) }),
        )
    } catch (error) {
      // It stops by itself when it is not asked any more.
      if (!(error instanceof PolyhistorError)) throw error
    }
  }
}

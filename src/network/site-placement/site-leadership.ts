// Site leadership: which sites this peer is to crawl. By default those that the ring gives to it; but the owner of a site may have
// another of the site's members crawl it (LeaderChoice says whom), and asks it to.
//
// Only the owner decides, and only by asking: nobody else need know of it, and nothing has to be agreed on. What keeps two peers from
// crawling a site is its lease, as ever (leases.ts); captures and replicas stay where they are. Whatever comes to the owner for the
// site (links, errands, reports of replicas) it passes on.
// Checked by sim/sites.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Random } from '../../platform/random.ts'
import { GivenSites, type LeaderChoice, type LoadListener } from './given-sites.ts'
import { type PlacementTerms, placementTermsDefault } from './placement-terms.ts'
import { ReceivedSites, type ReceivedSitesNeeds } from './received-sites.ts'
import { type LoadReport, leadQuestion, leadReplies, type ToldTime } from './wire/questions.ts'

export interface LoadTeller {
  report(sites: readonly RingKey[]): LoadReport
  /** How far we are from servers, when this peer has not been told for a while. */
  timesFor(peer: PeerId): readonly ToldTime[]
}

interface Needs extends Omit<ReceivedSitesNeeds, 'onChange'> {
  readonly random: Random
  readonly choice: LeaderChoice
  /** What we have to do, told with our answers, and what others say of themselves. */
  readonly load?: (LoadListener & LoadTeller) | undefined
  /** Who keeps the site's copies by the ring, ourselves first; undefined when it is not ours. */
  replicaSet(site: RingKey): readonly PeerId[] | undefined
  ask(peer: PeerId, question: Uint8Array, options: { deadlineMs: number }): Promise<Uint8Array>
}

const nothing = new Uint8Array()

export class SiteLeadership {
  readonly #needs: Needs
  readonly #terms: PlacementTerms
  readonly #given: GivenSites
  readonly #received: ReceivedSites
  readonly #listeners = new Set<() => void>()
  #task: PeriodicTask | undefined
  #stop: (() => void) | undefined

  constructor(needs: Needs, terms: Partial<PlacementTerms> = {}) {
    this.#needs = needs
    this.#terms = { ...placementTermsDefault, ...terms }
    const onChange = (): void => {
      for (const listener of [...this.#listeners]) listener()
    }
    const ask = (peer: PeerId, question: Uint8Array) =>
      needs.ask(peer, question, { deadlineMs: this.#terms.answerMs })
    this.#given = new GivenSites({ ...needs, ask, onChange }, this.#terms)
    this.#received = new ReceivedSites({ ...needs, onChange }, this.#terms)
  }

  start(): void {
    const { random, choice } = this.#needs
    this.#task = new PeriodicTask(this.#needs, this.#terms.askMs, () => this.#settle(), {
      firstMs: 0,
      jitter: { share: 0.2, random },
    })
    this.#stop = choice.onChange(() => this.#task?.runWithin(0))
  }

  close(): void {
    this.#stop?.()
    void this.#task?.close()
    this.#received.close()
  }

  /** We are the one to crawl it. */
  leads(site: RingKey): boolean {
    if (this.#needs.isOwner(site)) return this.#given.peerOf(site) === undefined
    return this.#received.has(site)
  }

  /** The members that its lease is to have, ourselves first; undefined when it is not ours to crawl. */
  membersOf(site: RingKey): readonly PeerId[] | undefined {
    if (!this.leads(site)) return undefined
    return this.#needs.replicaSet(site) ?? this.#received.membersOf(site)
  }

  /** Of a site that the ring gives to us: who crawls it instead. */
  placedAt(site: RingKey): PeerId | undefined {
    return this.#needs.isOwner(site) ? this.#given.peerOf(site) : undefined
  }

  counts(): { readonly given: number; readonly received: number } {
    return { given: this.#given.size, received: this.#received.size }
  }

  /** What `leads` says of some site may have changed. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async answer(from: PeerId, bytes: Uint8Array): Promise<Uint8Array> {
    const question = leadQuestion.decode(bytes)
    if (question.kind === 'back') {
      this.#received.back(from, question.sites)
      return nothing
    }
    const answers = await this.#received.lead(from, question.sites)
    const report = this.#needs.load?.report(question.sites.map(({ site }) => site))
    return leadReplies.encode(answers, report, this.#needs.load?.timesFor(from))
  }

  async #settle(): Promise<void> {
    this.#received.expire()
    await this.#given.settle()
  }
}

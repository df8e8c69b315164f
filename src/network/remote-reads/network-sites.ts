// The names of the sites that the peers of a network keep: this peer's own, and those that the others tell of.
//
// All others are asked at once and waited for up to a deadline; how many answered is told with the list. What they said is used for a
// while, the longer the more they sent, so that lists cost little however often they are looked at. A list that is not very old
// is given at once while the others are asked anew.
// Invariants: `namesMax` names at most. What others say is a claim: whoever names what is no site counts as silent, and where
// there are too many names each peer has its share, so that none crowds out the others'.

import { unlessFails } from '../../errors.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type SiteNameList, siteNames, siteNamesMax } from './wire/site-names.ts'

interface NetworkSiteList extends SiteNameList {
  readonly peers: PeersAsked
}

/** Of the others. */
interface PeersAsked {
  readonly asked: number
  readonly answered: number
}

interface Needs {
  readonly clock: Clock
  readonly calls: Pick<CallService, 'call' | 'answer'>
  /** Of this peer, sorted. */
  readonly own: { all(): Promise<SiteNameList> }
  /** Everybody known to be on the ring now, without ourselves. */
  peers(): readonly PeerId[]
  /** It was taken down: others may not have heard of that yet. */
  isHidden?(site: string): boolean
}

export interface NetworkSitesOptions {
  readonly namesMax: number
  readonly peersMax: number
  readonly answerMs: number
  /** What others said is as good as new for so long, and longer for each name that they sent. */
  readonly ageMs: number
  readonly ageMsPerName: number
  /** Older lists are not given while others are asked. */
  readonly staleMsMax: number
}

const optionsDefault: NetworkSitesOptions = {
  namesMax: siteNamesMax,
  peersMax: 200,
  answerMs: 2_000,
  ageMs: 30_000,
  ageMsPerName: 1,
  staleMsMax: 600_000,
}

interface Reports {
  /** Of each that answered. */
  readonly lists: readonly SiteNameList[]
  readonly asked: number
  readonly atMs: number
}

/** Others have their turn after so many names. */
const namesPerPause = 500

export class NetworkSites {
  readonly #needs: Needs
  readonly #options: NetworkSitesOptions
  #reports: Reports | undefined
  #asking: Promise<Reports> | undefined
  #merged: { own: SiteNameList; reports: Reports; list: NetworkSiteList } | undefined
  #answer: { own: SiteNameList; bytes: Uint8Array } | undefined

  constructor(needs: Needs, options: Partial<NetworkSitesOptions> = {}) {
    this.#needs = needs
    this.#options = { ...optionsDefault, ...options }
    needs.calls.answer(() => this.#ownBytes())
  }

  async all(): Promise<NetworkSiteList> {
    const [own, reports] = await Promise.all([this.#needs.own.all(), this.#others()])
    if (this.#merged?.own === own && this.#merged.reports === reports) return this.#merged.list
    const list = await this.#merge(own, reports)
    this.#merged = { own, reports, list }
    return list
  }

  async #ownBytes(): Promise<Uint8Array> {
    const own = await this.#needs.own.all()
    if (this.#answer?.own !== own) this.#answer = { own, bytes: siteNames.encode(own) }
    return this.#answer.bytes
  }

  async #others(): Promise<Reports> {
    const reports = this.#reports
    const ageMs = reports === undefined ? 0 : this.#needs.clock.monotonicMs() - reports.atMs
    if (reports !== undefined && ageMs < this.#youngMs(reports)) return reports
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return reports !== undefined && ageMs < this.#youngMs(reports) + this.#options.staleMsMax
      ? reports
      : this.#asking
  }

  #youngMs({ lists }: Reports): number {
    const { ageMs, ageMsPerName } = this.#options
    return ageMs + ageMsPerName * lists.reduce((sum, { names }) => sum + names.length, 0)
  }

  async #ask(): Promise<Reports> {
    const { clock, peers } = this.#needs
    const asked = peers().slice(0, this.#options.peersMax)
    const answers = await Promise.all(asked.map((peer) => this.#listOf(peer)))
    const lists = answers.filter((list) => list !== undefined)
    this.#reports = { lists, asked: asked.length, atMs: clock.monotonicMs() }
    return this.#reports
  }

  async #listOf(peer: PeerId): Promise<SiteNameList | undefined> {
    const options = { deadlineMs: this.#options.answerMs, channel: 'bulk' } as const
    const answer = this.#needs.calls.call(peer, new Uint8Array(), options)
    // undefined: silent, of an older version, or not to be understood.
    return unlessFails(answer.then((bytes) => siteNames.decode(bytes)))
  }

  async #merge(own: SiteNameList, { lists, asked }: Reports): Promise<NetworkSiteList> {
    const { namesMax } = this.#options
    const names = new Set(own.names.slice(0, namesMax))
    const sound = new Set(lists)
    let [isFull, taken] = [false, 0]
    for (let at = 0; !isFull && [...sound].some((list) => at < list.names.length); at++) {
      for (const list of sound) {
        const name = list.names[at]
        if (name === undefined || names.has(name)) continue
        if (names.size === namesMax) isFull = true
        else if (tryParseUrl(`http://${name}/`)?.site !== name) sound.delete(list)
        else if (!this.#needs.isHidden?.(name)) names.add(name)
        if (++taken % namesPerPause === 0) await this.#needs.clock.sleep(0)
      }
    }
    return {
      names: [...names].sort(),
      isMore: isFull || own.isMore || [...sound].some(({ isMore }) => isMore),
      peers: { asked, answered: sound.size },
    }
  }
}

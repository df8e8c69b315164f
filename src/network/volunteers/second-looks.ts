// Second looks: some of what a volunteer brought, or all of it, is fetched by another volunteer in another network, or by this peer, before
// it is kept; and pages that this peer knows are put among the others.
//
// Nobody is believed in what this peer could see otherwise: a page that two saw differently is fetched by this peer, twice if need be.
// Whoever is then found wrong loses what it brought. Two newcomers prove each other only after this peer has seen for itself what each of
// them brings. What passes unseen is noted as brought by one alone: spot-checks.ts has the rest.

import type { Fetched } from '../../crawl/fetch/outcome.ts'
import type { Url } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type Random, shuffled } from '../../platform/random.ts'
import type { BundleAsking } from './bundle-asking.ts'
import type { LentHostPace } from './lent-host-pace.ts'
import { forCheck, type LentPage, type PageOutcomes, type Said } from './lent-pages.ts'
import type { AskedPlace, WaitingVolunteer } from './waiting-asks.ts'

export interface LookNeeds {
  readonly random: Random
  /** A volunteer that waits now or soon. */
  next(isFit: (volunteer: WaitingVolunteer) => boolean, waitMs: number): Promise<AskedPlace | undefined>
  isSame(one: Fetched, other: Fetched): Promise<boolean>
  /** How likely a page of this one is looked at again. */
  checkChanceOf(peer: PeerId): number
  /** Its word is enough for another's; the words of two that were tried are enough for each other's. */
  isProven(peer: PeerId): boolean
  isTried(peer: PeerId): boolean
  /** Pages of this host that this peer knows the answer to, at most so many. */
  canariesOf(url: Url, count: number): readonly Fetched[]
  /** What came of it, for its record. */
  note(peer: PeerId, counts: Readonly<Record<string, number>>): void
  /** Found wrong; resolves with whether it is shut out. */
  wrong(peer: PeerId, url: Url): Promise<boolean>
  isBarred(peer: PeerId): boolean
  /** Whether hardly anybody is nearer to this host. */
  isNear(volunteer: WaitingVolunteer): boolean
  /** Pages that only this one has seen, or nobody but this other one. */
  brought(peer: PeerId, urls: readonly Url[], other?: PeerId): Promise<void>
}

/** Two that say the same of a page. */
interface Agreement {
  readonly one: Said
  readonly same: Said
}

/** On what one volunteer said of a page. */
type Verdict = 'right' | 'wrong' | 'unknown'

/** How long a volunteer is waited for to look at what another brought. */
const checkWaitMs = 2_000
/** So often this peer looks itself, though there is a volunteer that could. */
const ownCheckShare = 0.25
/** For its record: this peer itself, or one that is proven, saw the same. */
const assured = { agreed: 1, assured: 1 }
/** So many bundles have a page in them that this peer knows. */
const canaryShare = 0.05

interface Parts {
  readonly pace: LentHostPace
  readonly outcomes: PageOutcomes
  readonly asking: BundleAsking
}

export class SecondLooks {
  readonly #needs: LookNeeds
  readonly #pace: LentHostPace
  readonly #outcomes: PageOutcomes
  readonly #asking: BundleAsking

  constructor(needs: LookNeeds, { pace, outcomes, asking }: Parts) {
    this.#needs = needs
    this.#pace = pace
    this.#outcomes = outcomes
    this.#asking = asking
  }

  /** Pages that this peer knows, now and then, to be asked for among the others. */
  canaries(pages: readonly LentPage[]): LentPage[] {
    const { random } = this.#needs
    if (pages.length === 0 || random.below(1_000) >= canaryShare * 1_000) return []
    const own = new Set(pages.map(({ url }) => url.href))
    const known = this.#needs.canariesOf(pages[0]!.url, 1).filter(({ capture }) => !own.has(capture.url.href))
    return known.map((fetched) => ({
      url: fetched.capture.url,
      options: { allow: pages[0]!.options.allow },
      known: fetched,
      resolve: () => {},
    }))
  }

  /** Looks at some of what a volunteer brought, or at all of it, and lets the rest pass. False: it was caught, and what is not done
   * with has to come from another. */
  async settle(by: WaitingVolunteer, said: readonly Said[]): Promise<boolean> {
    const { random } = this.#needs
    const chance = this.#needs.checkChanceOf(by.peer) * 1_000_000
    const canaries = said.filter(({ page }) => page.known !== undefined)
    const asked = said.filter(({ page }) => page.known === undefined)
    const checked = asked.filter(() => random.below(1_000_000) < chance)
    let isHonest = !this.#needs.isBarred(by.peer)
    for (const one of canaries) if (isHonest) isHonest = await this.#checkCanary(one)
    if (isHonest && checked.length > 0) isHonest = await this.#check(by, checked)
    const rest = asked.filter(({ page }) => !this.#outcomes.isDone(page))
    // Caught meanwhile, in another of its bundles: what is noted as brought from now on nobody would doubt.
    if (!isHonest || this.#needs.isBarred(by.peer)) return false
    await this.#needs.brought(
      by.peer,
      rest.map(({ page }) => page.url),
    )
    for (const { page, fetched } of rest) this.#outcomes.finish(page, fetched)
    return true
  }

  async #checkCanary({ page, by, fetched }: Said): Promise<boolean> {
    const known = page.known!
    if (await this.#needs.isSame(known, fetched)) {
      this.#needs.note(by.peer, assured)
      return true
    }
    // It may have changed since.
    const now = await this.#pace.fetchHere(page)
    if (now === undefined || now.kind === 'failed') return true
    try {
      if (await this.#needs.isSame(now, fetched)) this.#needs.note(by.peer, assured)
      else if (await this.#needs.isSame(now, known)) {
        await this.#needs.wrong(by.peer, page.url)
        return false
      } else this.#needs.note(by.peer, { undecided: 1 })
    } finally {
      await now.discard()
    }
    return true
  }

  /** Has each page looked at again: by this peer itself until the volunteer is tried, by another volunteer after that. */
  async #check(by: WaitingVolunteer, checked: readonly Said[]): Promise<boolean> {
    const { isSame, isBarred, isProven, isTried } = this.#needs
    const waiting = shuffled(checked, this.#needs.random)
    let isHonest = true
    // What else it brought comes from others: to look at it again would only be asked for in vain.
    const isCaught = () => !isHonest && isBarred(by.peer)
    const look = async (one: Said, other?: Said) => {
      if ((await this.#judge(one, other)) === 'wrong') isHonest = false
    }
    const isUntried = () => !isProven(by.peer) && !isTried(by.peer)
    while (waiting.length > 0 && isUntried() && !isCaught()) await look(waiting.pop()!)
    if (isCaught() || waiting.length === 0) return isHonest
    const second = await this.#second(by)
    const other =
      second &&
      (await this.#asking.ask(
        second,
        waiting.map(({ page }) => forCheck(page)),
        'normal',
      ))
    const seen = new Map(other?.said.map((one) => [one.page.url.href, one]))
    const agreed: Agreement[] = []
    for (const one of waiting) {
      if (isCaught()) return false
      const same = seen.get(one.page.url.href)
      if (same !== undefined && (await isSame(one.fetched, same.fetched))) agreed.push({ one, same })
      else await look(one, same)
    }
    // Only now: who was wrong where they differ is not believed where they agree.
    const believed: Agreement[] = []
    for (const both of agreed) {
      if (isCaught()) return false
      if (this.#isEnough(both)) believed.push(both)
      else await look(both.one, both.same)
    }
    await this.#agree(believed)
    return isHonest
  }

  /** Whether it is believed what both say. Two newcomers may belong together, whatever networks they come from: their word counts once
   * each of them has been tried. */
  #isEnough({ one, same }: Agreement): boolean {
    const { isProven, isTried } = this.#needs
    const peers = [one.by.peer, same.by.peer]
    return peers.some((peer) => isProven(peer)) || peers.every((peer) => isTried(peer))
  }

  /** Somebody in another network, a newcomer if one waits that is near: then one look tells of both. What one that is
   * proven brought this peer looks at itself now and then; of newcomers it has seen some already. */
  async #second(by: WaitingVolunteer): Promise<AskedPlace | undefined> {
    const { random, next, isProven, isTried, isNear } = this.#needs
    const isOurs = isProven(by.peer) && random.below(1_000) < ownCheckShare * 1_000
    if (by.prefix === '' || isOurs) return undefined
    const isOfUse = (peer: PeerId) =>
      isProven(by.peer) || isProven(peer) || (isTried(by.peer) && isTried(peer))
    const isFit = ({ peer, prefix }: WaitingVolunteer) =>
      peer !== by.peer && prefix !== '' && prefix !== by.prefix && isOfUse(peer)
    const newcomer = await next((one) => isFit(one) && !isProven(one.peer) && isNear(one), 0)
    return newcomer ?? next(isFit, checkWaitMs)
  }

  /** They are kept, and noted for both: if both are caught, nobody has seen them. */
  async #agree(agreements: readonly Agreement[]): Promise<void> {
    const { note, isProven, brought } = this.#needs
    const [first] = agreements
    if (first === undefined) return
    const [peer, other] = [first.one.by.peer, first.same.by.peer]
    const urls = agreements.map(({ one }) => one.page.url)
    await brought(peer, urls, other)
    await brought(other, urls, peer)
    const [isPeerProven, isOtherProven] = [isProven(peer), isProven(other)]
    for (const { one } of agreements) {
      note(peer, isOtherProven ? assured : { agreed: 1 })
      note(other, isPeerProven ? assured : { agreed: 1 })
      this.#outcomes.finish(one.page, one.fetched)
    }
  }

  /** This peer looks itself, and says of the first one whether it was right. */
  async #judge(one: Said, other: Said | undefined): Promise<Verdict> {
    const own = await this.#pace.fetchHere(one.page)
    // This peer cannot tell: then nobody is believed, and it comes again.
    if (own === undefined || own.kind === 'failed') {
      this.#outcomes.giveBack(one.page)
      return 'unknown'
    }
    const accused: Said[] = []
    for (const said of other === undefined ? [one] : [one, other]) {
      if (await this.#needs.isSame(own, said.fetched)) this.#needs.note(said.by.peer, assured)
      else accused.push(said)
    }
    const wrong = await this.#blame(accused, own)
    if (accused.includes(one)) {
      this.#outcomes.finish(one.page, own)
      return wrong.includes(one) ? 'wrong' : 'unknown'
    }
    this.#outcomes.finish(one.page, one.fetched)
    await own.discard()
    return 'right'
  }

  /** Who of them is wrong for certain: this peer saw something else, twice the same. A third volunteer's word counts for them where this
   * peer sees each time something else. */
  async #blame(accused: readonly Said[], own: Fetched): Promise<Said[]> {
    const { note, isSame, wrong } = this.#needs
    const again = accused.length === 0 ? undefined : await this.#pace.fetchHere(accused[0]!.page)
    if (again === undefined || again.kind === 'failed') return []
    const found: Said[] = []
    try {
      for (const said of accused) {
        if (await isSame(again, said.fetched)) note(said.by.peer, assured)
        else if (await isSame(again, own)) {
          await wrong(said.by.peer, said.page.url)
          found.push(said)
        } else await this.#askThird(said)
      }
    } finally {
      await again.discard()
    }
    return found
  }

  async #askThird(said: Said): Promise<void> {
    const place = await this.#second(said.by)
    const third = place && (await this.#asking.ask(place, [forCheck(said.page)], 'normal'))
    const seen = third?.said[0]
    const isConfirmed = seen !== undefined && (await this.#needs.isSame(seen.fetched, said.fetched))
    this.#needs.note(said.by.peer, isConfirmed ? { agreed: 1 } : { undecided: 1 })
  }
}

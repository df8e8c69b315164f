// Which disks hold which entry, as the simulation knows it for sure, and what was promised of each: the archive's checker.
//
// An entry that was acknowledged survives the death of all but one of the disks that the acknowledgement spoke of; one that has
// had all its copies since the last death survives the death of all but one of those. Whoever drops an entry leaves all its
// copies with others, and so does whoever leaves for good. What lacks copies has them again within the repair time. What was
// taken down does not come back where it was, and a takedown survives the death of all but one of the disks that it was said to be
// on.

import type { PeerId } from '../../src/platform/network/network.ts'
import { type ArchiveRule, ArchiveViolation } from './archive-violation.ts'
import { nameOf, type SimulatedEntry } from './simulated-entry.ts'

export interface BookOptions {
  /** How many copies there are to be: r. */
  readonly copies: number
  /** Within which what lacks copies has them again, as long as no further disk dies that held it. */
  readonly repairMsMax: number
  nowMs(): number
}

interface Page {
  readonly key: string
  readonly entry: SimulatedEntry
  readonly holders: Set<PeerId>
  isAcknowledged: boolean
  /** So many disks that hold it may die now, and it must survive that. */
  mayLose: number
  /** Of holders, before it was acknowledged. */
  deaths: number
  /** When a disk died that held it. */
  lastDeathMs: number
  /** Since when it has fewer copies than there are to be. */
  lackingSinceMs: number
}

/** A takedown. */
interface Word {
  /** So many disks that it is on may die now, and it must survive that. Undefined until it was said to be done. */
  mayLose: number | undefined
  /** Of disks that it was on, before that. */
  deaths: number
}

/** A question and its answer may be under way when a disk dies. */
const underWayMs = 60_000

export class CopiesLedger {
  readonly #options: BookOptions
  /** By the keys of rosters. */
  readonly #pages = new Map<string, Page>()
  readonly #byPeer = new Map<PeerId, Set<Page>>()
  /** Who has handed over, and is about to leave: nobody is to count on them. */
  readonly #leaving = new Set<PeerId>()
  readonly #lacking = new Set<Page>()
  /** Taken down, or about to be: nothing is promised of them any more. */
  readonly #hidden = new Set<string>()
  readonly #hiddenAt = new Map<PeerId, Set<string>>()
  /** By URL. */
  readonly #words = new Map<string, Word>()
  /** Lost since more disks died than was promised. */
  lostBeyondPromise = 0
  /** The first. It comes to light in the middle of what a peer does, who is not to catch it. */
  violation: ArchiveViolation | undefined

  constructor(options: BookOptions) {
    this.#options = options
  }

  get acknowledged(): number {
    let count = 0
    for (const { isAcknowledged } of this.#pages.values()) if (isAcknowledged) count++
    return count
  }

  /** Of which all copies are to be there. */
  *due(): Iterable<{ key: Uint8Array; entry: SimulatedEntry; holders: ReadonlySet<PeerId> }> {
    for (const page of this.#pages.values())
      if (this.#isDue(page))
        yield { key: Buffer.from(page.key, 'latin1'), entry: page.entry, holders: page.holders }
  }

  get lacking(): number {
    return this.#lacking.size
  }

  isHidden(url: string): boolean {
    return this.#hidden.has(url)
  }

  /** What disks still hold of it. */
  heldOf(url: string): PeerId[] {
    return [...this.#pages.values()]
      .filter(({ entry }) => entry.url === url)
      .flatMap(({ holders }) => [...holders])
  }

  begun(key: Uint8Array, entry: SimulatedEntry): void {
    if (this.#pages.has(nameOf(key))) return
    this.#pages.set(nameOf(key), {
      key: nameOf(key),
      entry,
      holders: new Set(),
      isAcknowledged: false,
      mayLose: 0,
      deaths: 0,
      lastDeathMs: Number.NEGATIVE_INFINITY,
      lackingSinceMs: 0,
    })
  }

  /** It was said to be kept by at least so many. */
  keptBy(key: Uint8Array, copies: number): void {
    const page = this.#pages.get(nameOf(key))!
    if (this.#hidden.has(page.entry.url)) return
    const staying = [...page.holders].filter((peer) => !this.#leaving.has(peer)).length
    if (staying + page.deaths < copies)
      this.#fail('acknowledged too early', `${staying} of ${copies} have entry ${page.entry.number}`)
    page.isAcknowledged = true
    page.mayLose = Math.max(page.mayLose, copies - 1 - page.deaths)
    page.lackingSinceMs = this.#options.nowMs()
    this.#count(page)
    this.#checkThere(page)
  }

  came(peer: PeerId, key: Uint8Array): void {
    const page = this.#pages.get(nameOf(key))
    if (page === undefined) return
    if (this.#hiddenAt.get(peer)?.has(page.entry.url))
      this.#fail('came back', `entry ${page.entry.number} at ${peer}, where it was taken down`)
    if (page.holders.has(peer)) return
    page.holders.add(peer)
    this.#of(peer).add(page)
    if (page.holders.size >= this.#options.copies) page.mayLose = this.#options.copies - 1
    this.#count(page)
  }

  dropped(peer: PeerId, key: Uint8Array): void {
    const page = this.#pages.get(nameOf(key))
    if (page === undefined) return
    this.#take(peer, page)
    if (!this.#isDue(page)) return
    const { entry, holders } = page
    if (holders.size < this.#options.copies && this.#options.nowMs() - page.lastDeathMs > underWayMs)
      this.#fail('dropped too early', `entry ${entry.number} at ${peer}, and ${holders.size} others have it`)
    this.#checkThere(page)
  }

  /** From now on it may be anywhere or nowhere. */
  hide(url: string): void {
    this.#hidden.add(url)
    for (const page of [...this.#lacking]) this.#count(page)
  }

  /** The peer has carried it out. */
  hiddenAt(peer: PeerId, url: string): void {
    this.hide(url)
    const urls = this.#hiddenAt.get(peer) ?? new Set()
    this.#hiddenAt.set(peer, urls.add(url))
    this.#spread(url, this.#word(url))
    for (const page of [...this.#of(peer)]) if (page.entry.url === url) this.#take(peer, page)
  }

  /** The takedown was said to be done, and on so many disks. */
  saidBy(url: string, disks: number): void {
    const word = this.#word(url)
    word.mayLose = Math.max(word.mayLose ?? 0, disks - 1 - word.deaths)
    this.#spread(url, word)
  }

  /** What a new process finds on the disk. */
  found(peer: PeerId, keys: Iterable<Uint8Array>): void {
    this.#leaving.delete(peer)
    const found = new Set<Page>()
    for (const key of keys) {
      const page = this.#pages.get(nameOf(key))
      if (page === undefined) continue
      found.add(page)
      this.came(peer, key)
    }
    for (const page of [...this.#of(peer)]) {
      if (found.has(page)) continue
      if (this.#isDue(page)) this.#fail('not durable', `entry ${page.entry.number} at ${peer}`)
      this.#take(peer, page)
    }
  }

  /** Whether everything that was promised survives the death of its disk. */
  mayDie(peer: PeerId): boolean {
    const urls = [...(this.#hiddenAt.get(peer) ?? [])]
    return (
      [...this.#of(peer)].every((page) => !this.#isDue(page) || page.mayLose > 0) &&
      urls.every((url) => this.#word(url).mayLose !== 0)
    )
  }

  died(peer: PeerId): void {
    for (const page of [...this.#of(peer)]) {
      this.#take(peer, page)
      page.mayLose--
      page.lastDeathMs = this.#options.nowMs()
      page.lackingSinceMs = page.lastDeathMs
      if (!page.isAcknowledged) page.deaths++
      this.#checkThere(page)
    }
    const urls = this.#hiddenAt.get(peer) ?? []
    this.#forget(peer)
    for (const url of urls) {
      const word = this.#word(url)
      if (word.mayLose === undefined) word.deaths++
      else word.mayLose = Math.max(0, word.mayLose - 1)
      this.#spread(url, word)
    }
  }

  /** It has handed over what it holds, and goes. */
  leaving(peer: PeerId): void {
    this.#leaving.add(peer)
  }

  /** It handed over what it held then, to at least so many, and is gone now. Others who leave at the same time are no excuse. */
  left(peer: PeerId, handedOver: ReadonlySet<string>, copies: number): void {
    for (const page of [...this.#of(peer)]) {
      this.#take(peer, page)
      const wasDisturbed = this.#options.nowMs() - page.lastDeathMs <= underWayMs
      if (!this.#isDue(page) || page.holders.size >= this.#options.copies) continue
      if (handedOver.has(page.key) && page.holders.size < copies && !wasDisturbed)
        this.#fail('left too early', `${page.holders.size} others have entry ${page.entry.number} of ${peer}`)
      // What it fetched after that is one copy that fails.
      page.mayLose = Math.min(page.mayLose - 1, copies - 1)
      this.#checkThere(page)
    }
    const urls = this.#hiddenAt.get(peer) ?? []
    this.#forget(peer)
    for (const url of urls) {
      const word = this.#word(url)
      if (word.mayLose !== undefined)
        word.mayLose = Math.min(word.mayLose, Math.max(0, this.#disksWith(url) - 1))
    }
  }

  namesOf(peer: PeerId): Set<string> {
    return new Set([...this.#of(peer)].map(({ key }) => key))
  }

  checkRepair(): void {
    const { nowMs, repairMsMax } = this.#options
    for (const { entry, holders, lackingSinceMs } of this.#lacking)
      if (nowMs() - lackingSinceMs > repairMsMax)
        this.#fail('not repaired', `entry ${entry.number} has ${holders.size} copies`)
  }

  #isDue({ isAcknowledged, entry }: Page): boolean {
    return isAcknowledged && !this.#hidden.has(entry.url)
  }

  #word(url: string): Word {
    let word = this.#words.get(url)
    if (word === undefined) this.#words.set(url, (word = { mayLose: undefined, deaths: 0 }))
    return word
  }

  /** Where it is on as many disks as captures are, all but one of them may die, whatever was said. */
  #spread(url: string, word: Word): void {
    if (word.mayLose !== undefined && this.#disksWith(url) >= this.#options.copies)
      word.mayLose = this.#options.copies - 1
  }

  #disksWith(url: string): number {
    let count = 0
    for (const urls of this.#hiddenAt.values()) if (urls.has(url)) count++
    return count
  }

  #forget(peer: PeerId): void {
    this.#byPeer.delete(peer)
    this.#hiddenAt.delete(peer)
    this.#leaving.delete(peer)
  }

  #of(peer: PeerId): Set<Page> {
    let pages = this.#byPeer.get(peer)
    if (pages === undefined) this.#byPeer.set(peer, (pages = new Set()))
    return pages
  }

  #take(peer: PeerId, page: Page): void {
    page.holders.delete(peer)
    this.#of(peer).delete(page)
    this.#count(page)
  }

  #count(page: Page): void {
    const isLacking = this.#isDue(page) && page.holders.size < this.#options.copies
    if (!isLacking) this.#lacking.delete(page)
    else if (!this.#lacking.has(page)) {
      page.lackingSinceMs = this.#options.nowMs()
      this.#lacking.add(page)
    }
  }

  #checkThere(page: Page): void {
    if (!this.#isDue(page) || page.holders.size > 0) return
    if (page.mayLose >= 0) this.#fail('lost', `entry ${page.entry.number}`)
    else this.lostBeyondPromise++
    page.isAcknowledged = false
    this.#count(page)
  }

  #fail(rule: ArchiveRule, detail: string): void {
    this.violation ??= new ArchiveViolation(rule, detail, this.#options.nowMs())
  }
}

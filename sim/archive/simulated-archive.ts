// A simulated archive: its peers, what they are asked to keep and to take down, and what becomes of them. Campaigns decide what
// happens when; the book (copies-ledger.ts) tells whether the promises are kept.

import { PolyhistorError } from '../../src/errors.ts'
import { takedownSpread } from '../../src/network/takedowns/network-takedowns.ts'
import { calm } from '../../src/platform/simulated/network.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { ArchiveViolation } from './archive-violation.ts'
import { ArchivingPeer, type PeerSettings } from './archiving-peer.ts'
import { CopiesLedger } from './copies-ledger.ts'
import type { Mutation } from './mutation.ts'
import { nameOf, type SimulatedEntry, simulatedEntry } from './simulated-entry.ts'
import type { KeysOfRecords } from './stored-entries.ts'

export interface ArchiveOptions {
  readonly seed: string
  readonly settings: PeerSettings
  readonly sites: number
  readonly repairMsMax: number
  readonly mutation?: Mutation | undefined
}

const urlsPerSite = 6
const payloadBytesMax = 200
const deltaShare = 0.3

export class SimulatedArchive {
  readonly world: SimulatedWorld
  readonly random: SimulatedRandom
  readonly book: CopiesLedger
  readonly peers: ArchivingPeer[] = []
  readonly figures = { acknowledged: 0, refused: 0, takedowns: 0, deaths: 0, leaves: 0, stays: 0 }
  /** How many copies an acknowledgement by this peer speaks of. */
  promisedBy: (owner: ArchivingPeer) => number
  readonly #options: ArchiveOptions
  readonly #mutation: Mutation
  readonly #entries = new Map<string, SimulatedEntry>()
  readonly #keysOfRecords: KeysOfRecords = new Map()
  readonly #lastOfUrl = new Map<string, SimulatedEntry>()
  /** Which somebody was told to be taken down. */
  readonly #takenDown: string[] = []
  #failure: { error: unknown } | undefined
  #begun = 0
  /** Which are about to leave for good. */
  readonly #leaving = new Set<ArchivingPeer>()

  constructor(options: ArchiveOptions) {
    const { seed, settings, repairMsMax, mutation = {} } = options
    this.#options = options
    this.#mutation = mutation
    this.world = simulatedWorld({ seed, link: calm })
    this.random = this.world.random
    this.book = new CopiesLedger({
      copies: settings.copies.copies,
      repairMsMax,
      nowMs: () => this.world.simulation.nowMs,
    })
    this.promisedBy = () => settings.copies.copiesMin ?? 1
  }

  get up(): ArchivingPeer[] {
    return this.peers.filter(({ parts }) => parts !== undefined)
  }

  /** Those that run and have not been told to leave. */
  get staying(): ArchivingPeer[] {
    return this.up.filter((peer) => !this.#leaving.has(peer))
  }

  /** Throws when a promise is broken. */
  async advance(durationMs: number): Promise<void> {
    await this.world.advance(durationMs)
    if (this.#failure !== undefined) throw this.#failure.error
    this.book.checkRepair()
    if (this.book.violation !== undefined) throw this.book.violation
  }

  /** A peer that was not there before. */
  async begin(): Promise<ArchivingPeer> {
    const machine = this.world.machine(`12D3KooW-simulated-${this.#begun++}`)
    const { book } = this
    const keysOfRecords = this.#keysOfRecords
    const surroundings = { entries: this.#entries, book, keysOfRecords, mutation: this.#mutation }
    const peer = new ArchivingPeer(machine, this.#options.settings, surroundings)
    const others = this.up.map(({ name }) => name)
    this.peers.push(peer)
    await peer.start(() => this.#someThere(others, peer))
    return peer
  }

  /** Whom a newcomer asks: those whose addresses it was told, and others once none of them runs any more. */
  #someThere(told: readonly string[], asking: ArchivingPeer): string[] {
    if (this.up.length <= 1) return []
    const running = this.up.map(({ name }) => name)
    return this.#some(told.some((name) => running.includes(name)) ? told : running, asking)
  }

  /** Whoever owns a site keeps something of it, and has it copied. */
  keep(): void {
    const { random } = this
    const url = `http://site-${random.below(this.#options.sites)}.test/${random.below(urlsPerSite)}`
    const base = random.chance(deltaShare) ? this.#lastOfUrl.get(url) : undefined
    const payloadBytes = random.below(payloadBytesMax)
    const entry = simulatedEntry({ number: this.#entries.size, url, payloadBytes, base })
    // Cut off from each other, several may think so.
    const owners = this.up.filter(({ parts }) => parts!.places.isOwner(entry.place))
    if (owners.length === 0 || this.book.isHidden(url)) return
    this.#entries.set(nameOf(entry.key), entry)
    this.book.begun(entry.key, entry)
    this.unattended(() => this.#keepAt(this.one(owners), entry))
  }

  /** A URL of which something is kept. The peer that was asked may be made to suffer as soon as it is done. */
  takedown(whenDone: (peer: ArchivingPeer) => void = () => {}): void {
    const urls = [...new Set(Array.from(this.book.due(), ({ entry }) => entry.url))]
    if (urls.length === 0 || this.up.length === 0) return
    const url = this.one(urls)
    const peer = this.one(this.up)
    this.book.hide(url)
    this.unattended(async () => {
      await peer.parts!.takedowns.takedown({ kind: 'url', url }, 'simulated')
      // Who sees no other has it on its own disk only, which may die.
      const seen = peer.parts!.places.peers().length
      if (seen > 0) {
        this.#takenDown.push(url)
        this.book.saidBy(url, 1 + Math.min(seen, takedownSpread.heardMin))
      }
      this.figures.takedowns++
      whenDone(peer)
    })
  }

  /** Its process ends; its disk stays. */
  stop(peer: ArchivingPeer): void {
    if (this.random.chance(0.5)) peer.crash()
    else peer.kill()
  }

  comeBack(peer: ArchivingPeer): void {
    // Its disk may have died meanwhile.
    if (!this.peers.includes(peer) || peer.machine.isUp) return
    this.unattended(() => peer.start(() => this.#somePresent(peer)))
  }

  /** A disk, and all that is on it. */
  die(peer: ArchivingPeer): void {
    this.figures.deaths++
    if (peer.machine.isUp) peer.crash()
    this.peers.splice(this.peers.indexOf(peer), 1)
    this.world.simulation.note(peer.name, 'disk died', '')
    this.book.died(peer.name)
  }

  /** For good, once others have what it holds. */
  leave(peer: ArchivingPeer): void {
    this.#leaving.add(peer)
    this.unattended(async () => {
      let handedOver: ReadonlySet<string> = new Set()
      let promised = 0
      try {
        await peer.leave(() => {
          this.book.leaving(peer.name)
          handedOver = this.book.namesOf(peer.name)
          promised = this.promisedBy(peer)
        })
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        this.figures.stays++
        this.#leaving.delete(peer)
        return
      }
      this.figures.leaves++
      this.peers.splice(this.peers.indexOf(peer), 1)
      this.book.left(peer.name, handedOver, promised)
    })
  }

  /** Nothing goes wrong any more: within this time all is where it belongs, and what was taken down is gone. */
  async settle(withinMs: number, stepMs: number): Promise<void> {
    for (const peer of this.peers) this.comeBack(peer)
    const untilMs = this.world.simulation.nowMs + withinMs
    for (;;) {
      await this.advance(stepMs)
      const undone = this.#takenDown.flatMap((url) =>
        this.book.heldOf(url).map((peer) => `${url} at ${peer}`),
      )
      const misplaced = this.#misplaced()
      if (misplaced.length + undone.length === 0) return this.#checkSound()
      if (this.world.simulation.nowMs <= untilMs) continue
      const [rule, which] =
        undone.length > 0 ? (['not taken down', undone] as const) : (['not settled', misplaced] as const)
      throw new ArchiveViolation(rule, `${which.length}, such as ${which.slice(0, 3).join('; ')}`, untilMs)
    }
  }

  one<T>(from: readonly T[]): T {
    return from[this.random.below(from.length)]!
  }

  /** What a process does is over with it; any other failure is the campaign's. */
  unattended(work: () => Promise<unknown>): void {
    work().catch((error: unknown) => {
      this.#failure ??= { error }
    })
  }

  async #keepAt(owner: ArchivingPeer, entry: SimulatedEntry): Promise<void> {
    const { copies } = owner.parts!
    let key: Uint8Array | undefined
    try {
      key = await owner.disk!.keep(entry)
      if (key === undefined) return
      this.book.begun(key, entry)
      this.book.came(owner.name, key)
      await copies.spread(key)
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      this.figures.refused++
      return
    }
    this.figures.acknowledged++
    this.book.keptBy(key, this.promisedBy(owner))
    this.#lastOfUrl.set(entry.url, entry)
  }

  /** Every copy can be read. */
  async #checkSound(): Promise<void> {
    for (const { key, entry, holders } of this.book.due()) {
      for (const { name, disk } of this.peers) {
        if (!holders.has(name)) continue
        const isSound = await this.world.complete(disk!.isSound(key, entry))
        if (!isSound)
          throw new ArchiveViolation(
            'not readable',
            `entry ${entry.number} at ${name}`,
            this.world.simulation.nowMs,
          )
      }
    }
  }

  /** Copies that peers lack which are to have them by the word of the owner, who alone knows for sure. */
  #misplaced(): string[] {
    if (this.up.length < this.peers.length) return ['not all are up']
    const byName = new Map(this.peers.map((peer) => [peer.name, peer]))
    return [...this.book.due()].flatMap(({ entry, holders }) => {
      const owner = this.peers.find(({ parts }) => parts!.places.isOwner(entry.place))
      if (owner === undefined) return [`nobody owns entry ${entry.number}`]
      return owner
        .parts!.places.fullSet(entry.place)
        .filter((name) => !byName.has(name) || !holders.has(name))
        .map((name) => `entry ${entry.number} at ${name}`)
    })
  }

  /** Whom a peer asks that was away: nobody, when nobody has a ring to join. Real ones that find no ring make one after a while
   * (ring-joining.ts); if all waited for each other none of them would ever be there again. */
  #somePresent(asking: ArchivingPeer): string[] {
    const names = this.up.map(({ name }) => name)
    return this.up.some((peer) => peer.isOnRing) ? this.#some(names, asking) : []
  }

  /** At least one of them is another: who asks nobody but itself makes a ring of its own, which real peers do not. They remember. */
  #some(names: readonly string[], asking: ArchivingPeer): string[] {
    if (names.length === 0) return []
    const some = [this.one(names), this.one(names), this.one(names)]
    const others = names.filter((name) => name !== asking.name)
    return some.every((name) => name === asking.name) && others.length > 0 ? [this.one(others)] : some
  }
}

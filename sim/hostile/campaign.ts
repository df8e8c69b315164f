// Honest peers and one that means harm, on simulated machines: it spoils its answers and sends spoilt questions to every service
// while the others work; then maps on their disks are damaged and they start again.
//
// Promises: no process ends; no question makes a handler fail in a way that nobody foresaw (a contained fault counts as broken
// here); every peer starts again; afterwards what was kept before can be read everywhere, and new captures are kept and read.

import assert from 'node:assert/strict'
import { readNewest, visit } from '../../src/app/fixtures/archiving-peer.ts'
import { parseUrl } from '../../src/model/url.ts'
import { simulatedSigner } from '../../src/network/replication/fixtures/announcing-peers.ts'
import { CallFaults } from '../../src/platform/calls/call-faults.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { PeerId } from '../../src/platform/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { HostileNetwork } from './hostile-network.ts'
import { mutated } from './mutation.ts'
import { openWholePeer, strangersMaps, type WholePeer } from './whole-peer.ts'

export interface HostileOptions {
  /** Spoilt questions in all. */
  readonly messages: number
}

export interface HostileFigures extends Record<string, number> {
  messages: number
  deaths: number
  failed: number
  unread: number
}

const honest = ['a', 'b', 'c']
const hostile = 'm'
const restMs = 40_000
/** Spoilt questions between two pieces of honest work. */
const roundMessages = 1_000

export class HostileCampaign {
  readonly #world: SimulatedWorld
  readonly #peers = new Map<PeerId, WholePeer>()
  readonly #kept = new Map<string, string>()
  /** What went wrong, by where. */
  readonly faults = new Map<string, number>()
  #deaths = 0
  #failed = 0
  #attacker: HostileNetwork | undefined
  #pages = 0

  constructor(seed: string | number) {
    this.#world = simulatedWorld({ seed })
  }

  async run({ messages }: HostileOptions): Promise<HostileFigures> {
    const died = (error: unknown): void => {
      this.#deaths++
      this.#note('died', error)
    }
    process.on('unhandledRejection', died)
    process.on('uncaughtException', died)
    try {
      for (const name of [...honest, hostile]) await this.#start(name)
      await this.#advance(restMs)
      for (let sent = 0; sent < messages; sent += roundMessages) await this.#round()
      await this.#endHostile()
      const unread = await this.#check()
      return { messages, deaths: this.#deaths, failed: this.#failed, unread }
    } finally {
      // What was thrown last is told in the next turn.
      await new Promise((resolve) => setImmediate(resolve))
      process.off('unhandledRejection', died)
      process.off('uncaughtException', died)
    }
  }

  async #round(): Promise<void> {
    await this.#work()
    const attacker = this.#attacker!
    attacker.spoiltAnswers = 30
    for (let count = 0; count < roundMessages; count++) {
      void attacker.attack(honest[this.#world.random.below(honest.length)]!)
      if (count % 50 === 49) await this.#advance(20)
    }
    await this.#advance(2_000)
    if (this.#world.random.below(5) > 0) return
    const name = honest[this.#world.random.below(honest.length)]!
    await this.#restart(name)
  }

  /** Whatever an honest peer does for its owner and its readers, the hostile one among them. */
  async #work(): Promise<void> {
    const { random } = this.#world
    this.#attacker!.spoiltAnswers = 0
    const page = ++this.#pages
    const url = `http://site${page % 7}.test/${page}`
    const body = `page ${page} ${'text '.repeat(random.below(3) * 2_000)}`
    const keeper = this.#ownerOf(url)
    await this.#attempt(async () => {
      await visit(keeper, url, 1_700_000_000_000 + page * 1_000, body)
      if (keeper.name !== hostile) this.#kept.set(url, body)
    })
    const all = [...this.#peers.values()]
    const some = all[random.below(all.length)]!
    await this.#attempt(() => readNewest(some, url))
    await this.#attempt(async () => {
      await some.shared.jobs.start({ seeds: [url], scope: 'host', budgets: {} } as never)
    })
    await this.#attempt(async () => {
      const jobs = await some.shared.jobs.list()
      if (jobs.length > 4) await some.shared.jobs.cancel(jobs[0]!.id)
    })
    if (page % 10 === 0)
      await this.#attempt(() => some.shared.announcements.put('split', 'nonsense', Buffer.from('here')))
    await this.#advance(500)
  }

  async #check(): Promise<number> {
    for (const name of honest) await this.#restart(name)
    await this.#advance(2 * restMs)
    const late = 'http://late.test/'
    await this.#world.complete(visit(this.#ownerOf(late), late, 1_800_000_000_000, 'late'))
    this.#kept.set(late, 'late')
    await this.#advance(restMs)
    let unread = 0
    for (const [url, body] of this.#kept) {
      for (const peer of this.#peers.values()) {
        const read = await this.#world.complete(readNewest(peer, url)).catch((error) => String(error))
        if (read !== body) unread++
        if (read !== body) this.#note(`unread ${peer.name} ${url}`, new Error(String(read).slice(0, 200)))
      }
    }
    return unread
  }

  async #start(name: PeerId): Promise<void> {
    const { network, clock, random, disk, keyValues, compressor } = this.#world.machine(name)
    const others = [...this.#peers.values()].map((peer) => ({ peer: peer.name, addresses: peer.addresses }))
    for (const { peer, addresses } of others) {
      network.learn(peer, addresses)
      this.#world.machine(peer).network.learn(name, network.addresses())
    }
    const faults = new CallFaults({ clock, log: silentLog })
    const note = faults.note.bind(faults)
    faults.note = (kind, service, peer, error) => {
      note(kind, service, peer, error)
      if (kind !== 'failed') return
      this.#failed++
      this.#note(`failed ${service}`, error)
    }
    const isHostile = name === hostile
    const wire = isHostile ? new HostileNetwork(network, this.#world.random.fork('hostile')) : network
    if (wire instanceof HostileNetwork) {
      wire.signer = simulatedSigner(name)
      this.#attacker = wire
    }
    const world = { clock, random, disk, keyValues, compressor, network: wire }
    this.#peers.set(name, await this.#world.complete(openWholePeer(world, others, faults)))
  }

  /** Its power is cut, something on its disk is damaged, and it must start again. */
  async #restart(name: PeerId): Promise<void> {
    const machine = this.#world.machine(name)
    this.#peers.delete(name)
    machine.crash()
    machine.restart()
    await this.#damage(name)
    try {
      await this.#start(name)
    } catch (error) {
      this.#deaths++
      this.#note('did not start', error)
      throw error
    }
    await this.#advance(10_000)
  }

  /** Values that came from others, some changed. */
  async #damage(name: PeerId): Promise<void> {
    const { keyValues } = this.#world.machine(name)
    const { random } = this.#world
    for (const [folder, names] of Object.entries(strangersMaps)) {
      const map = await this.#world.complete(keyValues.open(folder, { hasJournal: true }))
      for (const table of names.map((each) => map.table(each))) {
        const damaged = [...table.range()].filter(() => random.below(20) === 0)
        await this.#world.complete(
          map.transaction(() => {
            for (const [key, value] of damaged) table.put(key, mutated(random, value, key))
          }),
        )
      }
      await this.#world.complete(map.close())
    }
  }

  async #endHostile(): Promise<void> {
    this.#peers.delete(hostile)
    this.#world.machine(hostile).crash()
    await this.#advance(restMs)
  }

  #ownerOf(url: string): WholePeer {
    const { ringKey } = parseUrl(url)
    const owner = [...this.#peers.values()].find(({ places }) => places.isOwner(ringKey))
    return owner ?? [...this.#peers.values()][0]!
  }

  /** What the hostile one may keep from being done. */
  async #attempt(work: () => Promise<unknown>): Promise<void> {
    const wait = this.#world.machine('a').clock.sleep(5_000)
    await this.#world.complete(Promise.race([work().catch((error) => this.#refused(error)), wait]))
  }

  #refused(error: unknown): void {
    if (!(error instanceof Error) || !('code' in error)) this.#note('refused', error)
  }

  #advance(ms: number): Promise<void> {
    return this.#world.advance(ms).catch((error: unknown) => {
      this.#deaths++
      this.#note('died', error)
    })
  }

  #note(what: string, error: unknown): void {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const name = `${what}: ${stack.split('\n').slice(0, 9).join('\n')}`
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1)
  }

  assertHeld({ deaths, failed, unread }: HostileFigures): void {
    const told = [...this.faults].map(([fault, count]) => `${count} × ${fault}`).join('\n\n')
    assert(deaths + failed + unread === 0, told)
  }
}

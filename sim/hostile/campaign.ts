// Whole peers on simulated machines, and one of them means harm: it spoils its answers and sends spoilt questions to every service
// while the others crawl and read; then maps on their disks are damaged and they start again.
//
// Promises: no process ends; no question makes a handler fail in a way that nobody foresaw (a contained fault counts as broken
// here); every peer starts again; afterwards what was kept before can be read everywhere, new pages are crawled and read, and jobs end.

import assert from 'node:assert/strict'
import { homeSeed } from '../../src/app/ring/home-identity.ts'
import { graphTables } from '../../src/graph/link-graph.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { SigningKey } from '../../src/proof/ed25519.ts'
import { rankTables } from '../../src/rank/rank-book.ts'
import { crawledNetwork } from '../peer/crawled-network.ts'
import type { LinkedSites } from '../peer/linked-sites.ts'
import type { WholeNetwork } from '../peer/whole-network.ts'
import { HostileNetwork } from './hostile-network.ts'
import { mutated } from './mutation.ts'
import { sampleQuestions } from './sample-questions.ts'

export interface HostileOptions {
  /** Spoilt questions in all. */
  readonly messages: number
}

export interface HostileFigures extends Record<string, number> {
  messages: number
  deaths: number
  failed: number
  unread: number
  /** 1 when the last job had not ended 40 s after its page was fetched: some site is crawled by nobody. */
  unended: number
}

const honest = ['peer-0', 'peer-1', 'peer-2']
const hostile = 'peer-3'
const restMs = 40_000
/** Spoilt questions between two pieces of honest work. */
const roundMessages = 1_000
const ranksMs = 600_000
/** Maps whose values come from others, and their tables. */
const strangersMaps = {
  '/home/network/notices': ['notices'],
  '/home/network/outbox': ['outbox', 'taken', 'waiting', 'sent', 'jobs'],
  '/home/network/stewards': ['stewardships'],
  '/home/network/shadows': ['heads', 'entries', 'jobs'],
  '/home/network/contents': ['rows', 'unneeded'],
  '/home/network/heads': ['heads', 'evidence'],
  '/home/crawl/graph': graphTables,
  '/home/crawl/rank': rankTables,
} as const

export class HostileCampaign {
  readonly #seed: string | number
  readonly #random: SimulatedRandom
  /** What went wrong, by where. */
  readonly faults = new Map<string, number>()
  /** Spoilt questions, by service. */
  sent: Readonly<Record<string, number>> = {}
  #deaths = 0
  #failed = 0
  #unended = 0
  #attacker: HostileNetwork | undefined
  #network!: WholeNetwork
  #sites!: LinkedSites
  #pages = 0

  constructor(seed: string | number) {
    this.#seed = seed
    this.#random = new SimulatedRandom(`hostile ${seed}`)
  }

  async run({ messages }: HostileOptions): Promise<HostileFigures> {
    const died = (error: unknown): void => {
      this.#deaths++
      this.#note('died', error)
    }
    process.on('unhandledRejection', died)
    process.on('uncaughtException', died)
    try {
      await this.#begin()
      const before = await this.#shown('peer-0')
      for (let sent = 0; sent < messages; sent += roundMessages) await this.#round()
      this.sent = this.#attacker!.sent
      await this.#endHostile()
      const unread = await this.#check(before)
      this.#takeFaults()
      return { messages, deaths: this.#deaths, failed: this.#failed, unread, unended: this.#unended }
    } finally {
      // What was thrown last is told in the next turn.
      await new Promise((resolve) => setImmediate(resolve))
      process.off('unhandledRejection', died)
      process.off('uncaughtException', died)
    }
  }

  async #begin(): Promise<void> {
    const { network, sites } = await crawledNetwork({
      ...{ seed: this.#seed, peers: honest.length + 1, copies: 3, sites: 5, pages: 3, delayMs: 0 },
      rank: { maxAgeMs: ranksMs },
      hasSearch: true,
      between: (name, wire) => {
        if (name !== hostile) return wire
        return (this.#attacker = new HostileNetwork(wire, this.#random.fork('hostile')))
      },
    })
    this.#network = network
    this.#sites = sites
    network.web.serve('late.example', (path) => ({ body: `late ${path}` }))
    await this.#advance(restMs)
    await this.#teach()
  }

  /** The hostile one knows its own key and ticket, and a question of every kind. */
  async #teach(): Promise<void> {
    const { platform, home } = this.#network.peer(hostile)
    const { peer: self, signer, members } = home.ring!
    const key = new SigningKey(await this.#network.complete(homeSeed('/home', platform)))
    const announcer = { self, sign: signer.sign.bind(signer), key, ticket: members.proofOf(self) }
    const attacker = this.#attacker!
    attacker.signer = signer
    attacker.know(
      await sampleQuestions({
        ...{ announcer, signer, nowMs: platform.clock.nowMs(), url: this.#sites.start },
        other: this.#network.peer('peer-0').home.ring!.peer,
        aside: 'http://nowhere.example/',
      }),
    )
  }

  async #round(): Promise<void> {
    await this.#work()
    const attacker = this.#attacker!
    attacker.spoiltAnswers = 30
    const targets = honest.map((name) => this.#network.peer(name).home.ring!.peer)
    for (let count = 0; count < roundMessages; count++) {
      void attacker.attack(targets[this.#random.below(targets.length)]!)
      if (count % 50 === 49) await this.#advance(20)
    }
    await this.#advance(2_000)
    attacker.spoiltAnswers = 0
    this.#takeFaults()
    if (this.#random.below(5) === 0) await this.#restart(honest[this.#random.below(honest.length)]!)
  }

  /** Whatever an honest peer does for its owner and its readers, the hostile one among those that it asks. */
  async #work(): Promise<void> {
    const name = honest[this.#random.below(honest.length)]!
    const page = ++this.#pages
    const url = `http://late.example/${page}`
    await this.#attempt(() => this.#network.startJob(name, [url], 'page'))
    const { urls } = this.#sites
    const some = urls[this.#random.below(urls.length)]!
    await this.#attempt(() => this.#network.read(name, `/web/2030id_/${some}`))
    const asked = ['status', 'jobs', 'sites', `search?q=${page}`, 'rank?limit=3', `links?url=${some}`]
    await this.#attempt(() => this.#network.read(name, `/api/v1/${asked[page % asked.length]}`))
    await this.#advance(500)
  }

  async #check(before: ReadonlyMap<string, string>): Promise<number> {
    for (const name of honest) await this.#restart(name)
    await this.#advance(2 * restMs)
    const url = 'http://late.example/last'
    const { id } = await this.#network.startJob('peer-0', [url], 'page')
    await this.#network.until('the last page', async () => {
      const job = await this.#network.job('peer-0', id)
      return (job.counters.fetched ?? 0) > 0 || job.state === 'done' || job
    })
    await this.#advance(restMs)
    const last = await this.#network.job('peer-0', id)
    if (last.state !== 'done') {
      this.#unended = 1
      this.#note('the last job has not ended', JSON.stringify(last))
    }
    let unread = 0
    for (const name of honest) {
      const shown = await this.#shown(name)
      shown.set(url, await this.#read(name, url))
      for (const [page, body] of [...before, [url, 'late /last'] as const]) {
        if (shown.get(page) === body) continue
        unread++
        this.#note(`unread ${name} ${page}`, new Error(shown.get(page)?.slice(0, 200)))
      }
    }
    return unread
  }

  async #shown(name: string): Promise<Map<string, string>> {
    const shown = new Map<string, string>()
    for (const url of this.#sites.urls) shown.set(url, await this.#read(name, url))
    return shown
  }

  async #read(name: string, url: string): Promise<string> {
    return String(await this.#network.read(name, `/web/2030id_/${url}`).catch((error) => error))
  }

  /** Its power is cut, something on its disk is damaged, and it must start again. */
  async #restart(name: string): Promise<void> {
    this.#takeFaults()
    const machine = this.#network.world.machine(name)
    this.#network.crash(name)
    machine.restart()
    await this.#damage(name)
    try {
      await this.#network.start(name)
    } catch (error) {
      this.#deaths++
      this.#note('did not start', error)
      throw error
    }
    await this.#advance(10_000)
  }

  /** Values that came from others, some changed. */
  async #damage(name: string): Promise<void> {
    const { world } = this.#network
    const { keyValues } = world.machine(name)
    for (const [folder, names] of Object.entries(strangersMaps)) {
      const map = await world.complete(keyValues.open(folder, { hasJournal: true }))
      for (const table of names.map((each) => map.table(each))) {
        const damaged = [...table.range()].filter(() => this.#random.below(20) === 0)
        await world.complete(
          map.transaction(() => {
            for (const [key, value] of damaged) table.put(key, mutated(this.#random, value, key))
          }),
        )
      }
      await world.complete(map.close())
    }
  }

  async #endHostile(): Promise<void> {
    this.#network.remove(hostile)
    await this.#advance(restMs)
  }

  /** What the hostile one may keep from being done. */
  async #attempt(work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => {
      const isAnswered = error instanceof Error && /answers|not done after/.test(error.message)
      if (!isAnswered) this.#note('refused', error)
    })
  }

  #advance(ms: number): Promise<void> {
    return this.#network.advance(ms).catch((error: unknown) => {
      this.#deaths++
      this.#note('died', error)
    })
  }

  /** What the peers told of since the last time. */
  #takeFaults(): void {
    for (const fault of this.#network.faults.splice(0)) {
      if (/^peer-\d ended/.test(fault)) this.#deaths++
      else this.#failed++
      this.#note(fault, '')
    }
  }

  #note(what: string, error: unknown): void {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const name = `${what}: ${stack.split('\n').slice(0, 9).join('\n')}`
    this.faults.set(name, (this.faults.get(name) ?? 0) + 1)
  }

  assertHeld({ deaths, failed, unread, unended }: HostileFigures): void {
    const told = [...this.faults].map(([fault, count]) => `${count} × ${fault}`).join('\n\n')
    assert(deaths + failed + unread + unended === 0, told)
  }
}

// Peers that lend hosts to volunteers, and nothing else of a peer: the desk, its volunteers and the messages between them are the real
// ones, the crawl is a queue for each host. So worlds with many volunteers are small enough to be simulated often.
//
// Leaves out: the ring, leases that end, stores, robots.txt that forbid. `sim/peer/volunteer-campaign.ts` has whole peers.

import { AddressGuard } from '../../src/crawl/address/address-guard.ts'
import { Fetcher } from '../../src/crawl/fetch/fetcher.ts'
import type { Fetched, FetchOutcome } from '../../src/crawl/fetch/outcome.ts'
import { notAsked } from '../../src/crawl/lent-fetching.ts'
import { politenessDefault } from '../../src/crawl/politeness/politeness-rules.ts'
import { parseUrl, type Url } from '../../src/model/url/url.ts'
import { peerOfPublicKey } from '../../src/network/membership/peer-key.ts'
import { VolunteerBook, volunteerTables } from '../../src/network/volunteers/volunteer-book.ts'
import { VolunteerDesk } from '../../src/network/volunteers/volunteer-desk.ts'
import { type TrustTerms, trustTermsDefault } from '../../src/network/volunteers/volunteer-record.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import type { Web } from '../../src/platform/network/web.ts'
import { SimulatedClock } from '../../src/platform/simulated/clock.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { SigningKey } from '../../src/proof/ed25519.ts'
import { Volunteer } from '../../src/volunteer/volunteer.ts'
import { type OriginOptions, OriginWeb } from '../peer/origin-web.ts'

export interface LendingOptions {
  readonly seed: string
  readonly delayMs: number
  readonly origins?: Partial<OriginOptions>
  readonly trust?: Partial<TrustTerms>
  /** Told what the desks say in detail. */
  readonly overhear?: (facts: object, sentence: string) => void
  /** Whether other hosts are being asked at the address of this one, so that the peer cannot look itself. */
  readonly isBusy?: (host: string) => boolean
}

export interface LendingLeader {
  readonly name: PeerId
  readonly desk: VolunteerDesk
  /** What is kept of each page, and by whom it was brought; the last counts. */
  readonly kept: Map<string, { readonly body: string; readonly by: string }>
}

interface Leader extends LendingLeader {
  readonly fetcher: Fetcher
  readonly hosts: Map<string, HostQueue>
}

interface HostQueue {
  readonly waiting: Url[]
  readonly doubted: Url[]
  nextAtMs: number
  isWalking: boolean
}

/** Of a host that nobody has asked yet, one page is known; each that was fetched links to so many more. */
const linksOfPage = 3
const lookMs = 200

export class LendingWorld {
  readonly world: SimulatedWorld
  readonly web: OriginWeb
  readonly #options: LendingOptions
  readonly #prefixes = new Map<PeerId, string>()
  readonly #leaders: Leader[] = []
  #pagesLeft = 0

  constructor(options: LendingOptions) {
    this.#options = options
    this.world = simulatedWorld({ seed: options.seed })
    const { simulation } = this.world
    const clock = new SimulatedClock({ simulation })
    this.web = new OriginWeb({ clock, random: simulation.random.fork('web') }, options.origins)
  }

  get leaders(): readonly LendingLeader[] {
    return this.#leaders
  }

  /** Pages that are not kept yet. */
  get pagesLeft(): number {
    return this.#pagesLeft
  }

  async addLeader(name: PeerId): Promise<LendingLeader> {
    const { clock, random, network, keyValues } = this.world.machine(name)
    const keyValue = await this.world.complete(keyValues.open('/volunteers', { tables: volunteerTables }))
    const terms = { ...trustTermsDefault, ...this.#options.trust }
    const book = new VolunteerBook({ keyValue, clock }, terms)
    const guard = new AddressGuard([])
    const fetcher = new Fetcher(
      { web: this.web.seenBy(name, clock), clock },
      { userAgent: 'simulated', allow: guard },
    )
    const hosts = new Map<string, HostQueue>()
    const log = {
      ...silentLog,
      debug: (facts: object, sentence: string) => this.#options.overhear?.(facts, sentence),
    }
    const rules = { ...politenessDefault, delayMs: this.#options.delayMs }
    const desk: VolunteerDesk = new VolunteerDesk(
      {
        ...{ clock, random, book, log, userAgent: 'simulated' },
        calls: new CallServices(new Calls({ network, clock, random })).service('volunteers'),
        addressOf: (peer) => this.#prefixes.get(peer),
        leaders: () => this.#leaders.map((one) => ({ peer: one.name, addresses: [] })),
        canCrawl: () => true,
        termsOf: () => ({ pace: unasked, rules }),
        rest: (url) => {
          hosts.get(url.host)!.nextAtMs = clock.monotonicMs() + this.#options.delayMs
        },
        robotsOf: () => undefined,
        fetchHere: async (url, options) =>
          this.#options.isBusy?.(url.host) ? busyAddress : fetcher.fetch(url, options),
        isSame: async (one, other) => Buffer.compare(bodyOf(one), bodyOf(other)) === 0,
        fetchAgain: (hrefs) => {
          for (const href of hrefs) this.#again(leader, parseUrl(href))
        },
        wake: () => {},
      },
      terms,
    )
    fetcher.watchConnects(({ authority }, address, connectMs) =>
      desk.noteConnect(authority, address, connectMs),
    )
    const leader: Leader = { name, desk, fetcher, hosts, kept: new Map() }
    this.#leaders.push(leader)
    return leader
  }

  /** In a network of its own unless told; `seen`: what it makes of the web. */
  addVolunteer(number: number, options: { seen?: (web: Web) => Web; beside?: number } = {}): PeerId {
    const seed = Buffer.alloc(32)
    seed.write(`${this.#options.seed} ${number}`)
    const key = new SigningKey(seed as never)
    const name = peerOfPublicKey(key.publicKey)!
    return this.#start(name, key, options.beside ?? number, options.seen)
  }

  kill(name: PeerId): void {
    this.web.hangUp(name)
    this.world.machine(name).kill()
  }

  /** All of these pages are to be fetched by this peer. */
  crawl(name: PeerId, hrefs: readonly string[]): void {
    const leader = this.#leaders.find((one) => one.name === name)!
    for (const href of hrefs) {
      const url = parseUrl(href)
      const host = leader.hosts.get(url.host) ?? { waiting: [], doubted: [], nextAtMs: 0, isWalking: false }
      host.waiting.push(url)
      leader.hosts.set(url.host, host)
      this.#pagesLeft++
    }
    for (const host of leader.hosts.values()) this.#walk(leader, host)
  }

  #start(name: PeerId, key: SigningKey, network: number, seen: (web: Web) => Web = (web) => web): PeerId {
    const { clock, random, network: wire } = this.world.machine(name)
    this.#prefixes.set(name, `/ip4/${1 + (network >> 8)}.${network & 255}.0.1/tcp/1`)
    const volunteer = new Volunteer(
      {
        ...{ clock, random, key, guard: new AddressGuard([]), program: 'simulated' },
        web: seen(this.web.seenBy(name, clock)),
        calls: new CallServices(new Calls({ network: wire, clock, random })).service('volunteers'),
        ...{ learn: () => {}, ready: async () => {}, sending: async () => {} },
        ...{ pauseReason: () => undefined, partBytes: () => Number.POSITIVE_INFINITY, tell: () => {} },
      },
      { bundlesMax: 4 },
    )
    for (const leader of this.#leaders) {
      wire.learn(leader.name, this.world.machine(leader.name).network.addresses())
      volunteer.meet(leader.name)
    }
    return name
  }

  #again(leader: Leader, url: Url): void {
    const host = leader.hosts.get(url.host)!
    host.doubted.push(url)
    this.#pagesLeft++
    this.#walk(leader, host)
  }

  #walk(leader: Leader, host: HostQueue): void {
    if (host.isWalking) return
    host.isWalking = true
    void this.#ask(leader, host).finally(() => {
      host.isWalking = false
      if (host.waiting.length + host.doubted.length > 0) this.#walk(leader, host)
    })
  }

  /** One host, from its robots.txt to its last page. */
  async #ask(leader: Leader, host: HostQueue): Promise<void> {
    const { clock } = this.world.machine(leader.name)
    const { delayMs } = this.#options
    const first = host.waiting[0] ?? host.doubted[0]
    if (first === undefined) return
    if (host.nextAtMs === 0) {
      await leader.fetcher.fetch(parseUrl(`${first.origin}/robots.txt`))
      host.nextAtMs = clock.monotonicMs() + delayMs
    }
    let known = 1
    while (host.waiting.length + host.doubted.length > 0) {
      const waitMs = host.nextAtMs - clock.monotonicMs()
      if (waitMs > 0) await clock.sleep(Math.min(waitMs, lookMs))
      if (waitMs > 0) continue
      const url = host.doubted.shift() ?? host.waiting.shift()!
      const lent = leader.desk.isDoubted(url) ? undefined : leader.desk.begin(url)
      if (lent === undefined) {
        const outcome = await leader.fetcher.fetch(url)
        host.nextAtMs = clock.monotonicMs() + delayMs
        if (outcome.kind !== 'failed') leader.desk.noteOwn(outcome)
        const before = leader.kept.get(url.href)?.body
        const isSame = outcome.kind !== 'failed' && before === Buffer.from(bodyOf(outcome)).toString()
        await leader.desk.clear(url, isSame)
        this.#end(leader, host, url, outcome)
      } else {
        const more = host.waiting.splice(0, Math.min(lent.room, known))
        lent.expect(more.length)
        const outcomes = await Promise.all([url, ...more].map((one) => lent.fetch(one, {})))
        for (const [index, outcome] of outcomes.entries())
          this.#end(leader, host, [url, ...more][index]!, outcome)
      }
      known += linksOfPage
    }
  }

  #end(leader: Leader, host: HostQueue, url: Url, outcome: FetchOutcome): void {
    if (outcome === notAsked || outcome.kind === 'failed') {
      host.waiting.push(url)
      return
    }
    const by = outcome.capture.metadata.find(([name]) => name === 'fetchedBy')?.[1] ?? leader.name
    leader.kept.set(url.href, { body: Buffer.from(bodyOf(outcome)).toString(), by })
    this.#pagesLeft--
  }
}

const unasked = {
  ...{ nextAtMs: 0, responseMs: undefined, crawlDelayMs: 0, failuresInRow: 0, refusalsInRow: 0 },
  askedUntilMs: 0,
}

const busyAddress: FetchOutcome = { ...notAsked, code: 'address-forbidden', reason: 'its address is busy' }

function bodyOf(fetched: Fetched): Uint8Array {
  return fetched.body() as Uint8Array
}

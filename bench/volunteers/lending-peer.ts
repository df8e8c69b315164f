// A peer that lends hosts, over real sockets: the desk, its calls and its fetcher are the real ones; the crawl is a queue for each host, and
// what comes is not kept. Volunteers are proven already, so that what is measured is every day, not their trial.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AddressGuard } from '../../src/crawl/address/address-guard.ts'
import { parseAddressRange } from '../../src/crawl/address/address-range.ts'
import { Fetcher } from '../../src/crawl/fetch/fetcher.ts'
import type { Fetched } from '../../src/crawl/fetch/outcome.ts'
import { politenessDefault } from '../../src/crawl/politeness/politeness-rules.ts'
import { parseUrl, type Url } from '../../src/model/url/url.ts'
import { VolunteerBook, volunteerTables } from '../../src/network/volunteers/volunteer-book.ts'
import { VolunteerDesk } from '../../src/network/volunteers/volunteer-desk.ts'
import { trustTermsDefault } from '../../src/network/volunteers/volunteer-record.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { silentLog } from '../../src/platform/log.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { RealDisk } from '../../src/platform/real/disk/disk.ts'
import { RealKeyValues } from '../../src/platform/real/key-value/key-value.ts'
import { startNetwork } from '../../src/platform/real/network/network.ts'
import { RealRandom } from '../../src/platform/real/random.ts'
import { startWeb } from '../../src/platform/real/web/web.ts'

export interface Turn {
  readonly pagesPerSecond: number
  readonly cpuMsPerPage: number
  /** Volunteers that had something to do. */
  readonly busy: number
}

/** What there is to crawl, and how politely. */
export interface Crawled {
  readonly hosts: number
  readonly pagesOfHost: number
  readonly delayMs: number
}

const addressesOfRange = 250
const waitMs = 5
const unasked = {
  ...{ nextAtMs: 0, responseMs: undefined, crawlDelayMs: 0, failuresInRow: 0, refusalsInRow: 0 },
  askedUntilMs: 0,
}

export class LendingPeer {
  readonly #desk: VolunteerDesk
  readonly #fetcher: Fetcher
  readonly #port: number
  readonly #crawled: Crawled
  readonly #lines: (count: number) => Promise<void>
  readonly close: () => Promise<void>

  static async start(crawled: Crawled): Promise<LendingPeer> {
    const folder = await mkdtemp(join(tmpdir(), 'polyhistor-bench-'))
    const [clock, random, disk] = [new RealClock(), new RealRandom(), new RealDisk()]
    const origin = fork(join(import.meta.dirname, 'origin.ts'))
    const [port] = (await once(origin, 'message')) as [number]
    const network = await startNetwork({ listen: ['/ip4/127.0.0.1/tcp/0'] })
    const lines = fork(join(import.meta.dirname, 'volunteer-lines.ts'), [
      JSON.stringify({ peer: network.self, addresses: network.addresses() }),
    ])
    const keyValue = await new RealKeyValues({ disk }).open(join(folder, 'volunteers'), {
      tables: volunteerTables,
    })
    const terms = trustTermsDefault
    const book = new VolunteerBook({ keyValue, clock }, terms)
    const guard = new AddressGuard([parseAddressRange('127.0.0.0/8')!])
    const web = await startWeb({ clock, random, disk }, { spoolFolder: join(folder, 'spool') })
    const fetcher = new Fetcher({ web, clock }, { userAgent: 'bench', allow: guard })
    const rules = { ...politenessDefault, delayMs: crawled.delayMs }
    const numbers = new Map<string, number>()
    const desk = new VolunteerDesk(
      {
        ...{ clock, random, book, log: silentLog, userAgent: 'bench' },
        calls: new CallServices(new Calls({ network, clock, random })).service('volunteers'),
        // Each in a network of its own.
        addressOf: (peer) => {
          if (!numbers.has(peer)) {
            numbers.set(peer, numbers.size)
            book.add(peer, { agreed: terms.newcomerPages, assured: terms.newcomerPages })
          }
          return `/ip4/${10 + (numbers.get(peer)! >> 8)}.${numbers.get(peer)! & 255}.0.1/tcp/1`
        },
        ...{ leaders: () => [], canCrawl: () => true, termsOf: () => ({ pace: unasked, rules }) },
        ...{ rest: () => {}, robotsOf: () => undefined, fetchAgain: () => {}, wake: () => {} },
        fetchHere: (url, options) => fetcher.fetch(url, options),
        isSame: async (one, other) => Buffer.compare(bodyOf(one), bodyOf(other)) === 0,
      },
      terms,
    )
    const setLines = async (count: number): Promise<void> => {
      lines.send(count)
      await once(lines, 'message')
    }
    return new LendingPeer(desk, fetcher, { port, crawled, lines: setLines }, async () => {
      lines.disconnect()
      origin.disconnect()
      await desk.close()
      await network.close()
      await web.close()
      await book.close()
      await rm(folder, { recursive: true })
    })
  }

  private constructor(
    desk: VolunteerDesk,
    fetcher: Fetcher,
    { port, crawled, lines }: { port: number; crawled: Crawled; lines: (count: number) => Promise<void> },
    close: () => Promise<void>,
  ) {
    this.#desk = desk
    this.#fetcher = fetcher
    this.#port = port
    this.#crawled = crawled
    this.#lines = lines
    this.close = close
  }

  /** All pages, by so many volunteers; 0: by this peer itself. */
  async crawl(volunteers: number): Promise<Turn> {
    await this.#lines(volunteers)
    while (this.#desk.waiting < volunteers) await sleep(waitMs)
    const { hosts, pagesOfHost } = this.#crawled
    const fetchedBefore = new Map(this.#desk.views().map(({ id, fetched }) => [id, fetched]))
    const [startMs, before] = [performance.now(), process.cpuUsage()]
    await Promise.all(
      Array.from({ length: hosts }, (_, host) =>
        volunteers === 0 ? this.#fetchHost(host) : this.#lendHost(host),
      ),
    )
    const { user, system } = process.cpuUsage(before)
    const pages = hosts * pagesOfHost
    return {
      pagesPerSecond: (1_000 * pages) / (performance.now() - startMs),
      cpuMsPerPage: (user + system) / 1_000 / pages,
      busy: this.#desk.views().filter(({ id, fetched }) => fetched > (fetchedBefore.get(id) ?? 0)).length,
    }
  }

  async #fetchHost(host: number): Promise<void> {
    for (const url of this.#urls(host)) {
      const outcome = await this.#fetcher.fetch(url)
      if (outcome.kind === 'failed') throw new Error(outcome.reason)
    }
  }

  async #lendHost(host: number): Promise<void> {
    const waiting = this.#urls(host)
    while (waiting.length > 0) {
      const lent = this.#desk.begin(waiting[0]!)
      if (lent === undefined) {
        await sleep(waitMs)
        continue
      }
      const urls = waiting.splice(0, 1 + lent.room)
      lent.expect(urls.length - 1)
      const outcomes = await Promise.all(urls.map((url) => lent.fetch(url, {})))
      for (const [at, outcome] of outcomes.entries()) if (outcome.kind === 'failed') waiting.push(urls[at]!)
    }
  }

  #urls(host: number): Url[] {
    const address = `127.0.${1 + Math.floor(host / addressesOfRange)}.${(host % addressesOfRange) + 1}`
    return Array.from({ length: this.#crawled.pagesOfHost }, (_, page) =>
      parseUrl(`http://${address}:${this.#port}/${page}`),
    )
  }
}

function bodyOf(fetched: Fetched): Uint8Array {
  return fetched.body() as Uint8Array
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

// The stage of the attacks: honest peers that crawl a generated web, and one hostile member among them.
//
// What no attack may do, whatever it is: end or freeze an honest peer, hide or lose a capture that was acknowledged, change
// what its owner gave it to use. `harm` looks for all of that.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Identity } from '../../src/network/announcements/announcement-kind.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { ArchivePeer, Listed } from '../network/archive-peer.ts'
import { NetworkOfPeers } from '../network/network-of-peers.ts'
import { SitesProcess } from '../network/sites-process.ts'
import { countsOf, differences, listedBy, misreadings, missing } from '../network/verdict.ts'
import { runWords } from '../ring/peer-process.ts'
import type { Size } from './attack.ts'
import { identityIn } from './hostile-identity.ts'
import { HostileProcess } from './hostile-process.ts'

export interface StagePlan {
  readonly size: Size
  readonly seed: string
  readonly tell: (sentence: string) => void
}

const honestCount = 4
const sites = 4
/** What each home may take. */
export const shareBytes = 35_000_000
/** A peer that does not answer for so long is frozen. */
const answerMsMax = 60_000
/** A busy machine takes many times as long as a quiet one: only what never heals is harm. */
export const recoverMsMax = 180_000
const pollMs = 250
const pages = { short: 24, full: 80 }
const delayMs = { short: 700, full: 2_000 }

type StageParts = Pick<
  Stage,
  | 'size'
  | 'network'
  | 'origin'
  | 'hostile'
  | 'hostileId'
  | 'identity'
  | 'invitation'
  | 'ids'
  | 'jobId'
  | 'tell'
>

export class Stage {
  readonly size: Size
  readonly network: NetworkOfPeers
  readonly origin: SitesProcess
  readonly hostile: HostileProcess
  /** Ids of the honest peers, in the order of `honest`. */
  readonly ids: readonly string[]
  readonly hostileId: string
  readonly identity: Identity
  /** The one that it joined with. */
  readonly invitation: string
  readonly jobId: string
  readonly tell: (sentence: string) => void

  private constructor(parts: StageParts) {
    this.size = parts.size
    this.network = parts.network
    this.origin = parts.origin
    this.hostile = parts.hostile
    this.ids = parts.ids
    this.hostileId = parts.hostileId
    this.identity = parts.identity
    this.invitation = parts.invitation
    this.jobId = parts.jobId
    this.tell = parts.tell
  }

  /** Resolves when all have joined, the crawl goes on, and captures of every site are kept. */
  static async start({ size, seed, tell }: StagePlan): Promise<Stage> {
    const origin = await SitesProcess.start({ sites, pages: pages[size], images: 2, seed, latencyMs: 0 })
    let network: NetworkOfPeers | undefined
    try {
      const words = wordsFor(size)
      network = await NetworkOfPeers.start({ peers: honestCount, words }, new SimulatedRandom(seed))
      const [first] = network.peers
      const [port] = network.ports
      const invitation = await newInvitation(first!)
      const hostile = await HostileProcess.start({
        home: join(network.folder, 'hostile'),
        words: [
          ...words,
          // One place: so there are sites that all others come before it to keep.
          ...['--set', 'ring.positions=1', '--listen', '127.0.0.1:0'],
          ...['--join', `127.0.0.1:${port}`, '--invite', invitation],
        ],
      })
      const ids = await hostile.meet(network.ports.map((at) => `/ip4/127.0.0.1/tcp/${at}`))
      const identity = await identityIn(hostile.home)
      const hostileId = identity.self
      const { id: jobId } = await first!.startJob(origin.web.firstPages)
      const stage = new Stage({
        size,
        network,
        origin,
        hostile,
        hostileId,
        identity,
        invitation,
        ids,
        jobId,
        tell,
      })
      await within(
        recoverMsMax,
        'captures of every site',
        async () => (await stage.#listed(first!)).length >= sites,
      )
      return stage
    } catch (error) {
      await network?.removeFolder()
      await origin.stop()
      throw error
    }
  }

  get honest(): readonly ArchivePeer[] {
    return this.network.peers
  }

  /** Where the honest peers listen to each other. */
  get addresses(): readonly string[] {
    return this.network.ports.map((port) => `/ip4/127.0.0.1/tcp/${port}`)
  }

  newInvitation(): Promise<string> {
    return newInvitation(this.honest[0]!)
  }

  /** Some that were acknowledged and that everybody lists. */
  async someListed(): Promise<Listed[]> {
    return this.#listed(this.honest[0]!)
  }

  /** What is wrong now that must never be, after a bounded wait for what heals by itself. `before`: what was acknowledged. */
  async harm(before: ReadonlyMap<string, number>): Promise<string[]> {
    const endMs = performance.now() + recoverMsMax
    for (;;) {
      const ended = this.honest.filter(({ isRunning }) => !isRunning).map(({ ending }) => ending)
      if (ended.length > 0) return ended
      const found = (await Promise.all(this.honest.map((peer) => this.#harmTo(peer, before)))).flat()
      if (found.length === 0 || performance.now() > endMs) return found
      await sleep(pollMs)
    }
  }

  /** Of each URL of the crawled web, how many captures were acknowledged until now. */
  async acknowledged(): Promise<Map<string, number>> {
    await this.network.writeLogs()
    const ours = new Set(this.origin.web.addresses)
    const kept = (await this.network.kept()).filter(({ url }) => ours.has(new URL(url).hostname))
    return countsOf(kept.map(({ url }) => url))
  }

  /** Runs this and meanwhile asks everybody again and again. Gives who was frozen. */
  async watching(run: () => Promise<readonly string[]>): Promise<string[]> {
    const stop = new AbortController()
    const frozen = new Map<string, string>()
    const watchers = this.honest.map(async (peer) => {
      while (!stop.signal.aborted) {
        const startMs = performance.now()
        await answers(peer, '/api/v1/ring').catch(() => {})
        const tookMs = performance.now() - startMs
        if (tookMs >= answerMsMax && peer.isRunning)
          frozen.set(peer.name, `${peer.name} did not answer for ${Math.round(tookMs)} ms`)
        await sleep(pollMs, stop.signal)
      }
    })
    try {
      const harm = await run()
      return [...harm, ...frozen.values()]
    } finally {
      stop.abort()
      await Promise.all(watchers)
    }
  }

  async restart(peer: ArchivePeer): Promise<string[]> {
    try {
      await peer.stop()
      await peer.start()
      return []
    } catch (error) {
      return [`${peer.name} does not start again: ${(error as Error).message.slice(-500)}`]
    }
  }

  /** The crawl has ended, everything that can be reached is there, and every peer reads back what was served. */
  async shortcomings(before: ReadonlyMap<string, number>): Promise<string[]> {
    const found: string[] = []
    for (const peer of this.honest) {
      const listed = await listedBy(peer, this.origin)
      found.push(...differences(peer, this.origin.web.urls, listed), ...missing(peer, before, listed))
      found.push(...(await misreadings(peer, this.origin, listed)))
    }
    return found
  }

  async crawlDone(msMax: number): Promise<string[]> {
    const isDone = async (): Promise<boolean> => (await this.honest[0]!.job(this.jobId)).state === 'done'
    try {
      await within(msMax, 'the crawl to end', isDone)
      return []
    } catch (error) {
      return [(error as Error).message]
    }
  }

  async end(): Promise<void> {
    await this.hostile.end()
    await this.network.removeFolder()
    await this.origin.stop()
  }

  async #harmTo(peer: ArchivePeer, before: ReadonlyMap<string, number>): Promise<string[]> {
    try {
      await Promise.all(['/api/v1/ring', '/api/v1/jobs', '/api/v1/stats'].map((path) => answers(peer, path)))
      const listed = await this.#listed(peer)
      const unread = await this.#unreadOf(peer, listed)
      return [...missing(peer, before, listed), ...unread, ...(await overShare(peer))]
    } catch (error) {
      return [`${peer.name}: ${(error as Error).message}`]
    }
  }

  /** One of each site, read. */
  async #unreadOf(peer: ArchivePeer, listed: readonly Listed[]): Promise<string[]> {
    const oneEach = [...new Map(listed.map((one) => [new URL(one.url).hostname, one])).values()]
    return misreadings(peer, this.origin, oneEach)
  }

  /** Whole or not: whoever looks for something looks again. */
  #listed(peer: ArchivePeer): Promise<Listed[]> {
    return listedBy(peer, this.origin, true)
  }
}

/** As the founder makes it, with the program's own numbers: for one member. */
async function newInvitation(founder: ArchivePeer): Promise<string> {
  const printed = await runWords(['network', 'invite', '--json', '--home', founder.home])
  return (JSON.parse(printed) as { invitation: string }).invitation
}

/** How every peer is started. */
export function wordsFor(size: Size): string[] {
  return [
    ...['--allow-address', '127.0.0.0/8', '--delay', String(delayMs[size])],
    ...['--set', `ring.share=${shareBytes}B`, '--set', 'store.reserve=0B', '--set', 'ring.patience=2s'],
    // Two copies of everything, so that whoever steals one steals half; with three, every one of five peers may bring captures
    // of every site.
    ...['--set', 'ring.replicas=2', '--set', 'ring.copiesMin=2', '--set', 'ring.positions=2'],
  ]
}

/** Throws when a peer does not answer this in time, or not with 200. */
async function answers(peer: ArchivePeer, path: string): Promise<void> {
  const response = await fetch(peer.url + path, { signal: AbortSignal.timeout(answerMsMax) })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}`)
}

async function overShare({ name, home }: ArchivePeer): Promise<string[]> {
  const names = await readdir(home, { recursive: true })
  const infos = await Promise.all(names.map((file) => stat(join(home, file)).catch(() => undefined)))
  const bytes = infos.reduce((sum, info) => sum + 512 * (info?.blocks ?? 0), 0)
  return bytes > shareBytes ? [`${name} takes ${bytes} bytes of ${shareBytes}`] : []
}

/** Waits until it is so, and says what it waited for when it never is. */
export async function within(msMax: number, what: string, is: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + msMax
  while (!(await is())) {
    if (performance.now() > endMs) throw new Error(`waited ${msMax} ms for ${what}`)
    await sleep(pollMs)
  }
}

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

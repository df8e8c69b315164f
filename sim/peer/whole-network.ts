// Whole peers on simulated machines, with a web to crawl: each is what `polyhistor peer` runs, asked through its HTTP interface.
//
// Faults: a process killed, a machine without power, a process paused; the network's are set at `world.network`, by the names of
// machines. What a peer logs as an error, and a process that ends by itself, is kept in `faults`.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { HomePeer, type HomePeerOptions } from '../../src/app/home-peer.ts'
import type { Platform, ProgramFiles } from '../../src/app/platform.ts'
import { type RankOptions, rankOptionsDefault } from '../../src/app/rank/peer-rank.ts'
import { createHomeNetwork, inviteToHomeNetwork } from '../../src/app/ring/home-network.ts'
import { DiskShare } from '../../src/app/share/disk-share.ts'
import { storeOptionsDefault } from '../../src/app/store/store-library.ts'
import { type OpenVolunteer, openVolunteer } from '../../src/app/volunteer/open-volunteer.ts'
import { politenessDefault } from '../../src/crawl/politeness/politeness-rules.ts'
import type { PlaceTerms } from '../../src/network/even-places/place-terms.ts'
import type { TrustTerms } from '../../src/network/volunteers/volunteer-record.ts'
import type { Log } from '../../src/platform/log.ts'
import type { PeerNetwork } from '../../src/platform/network/peer-network.ts'
import type { Web } from '../../src/platform/network/web.ts'
import { SimulatedClock } from '../../src/platform/simulated/clock.ts'
import {
  type SimulatedWorld,
  type SimulatedWorldOptions,
  simulatedWorld,
} from '../../src/platform/simulated/world.ts'
import type { Disk } from '../../src/platform/storage/disk.ts'
import { Store } from '../../src/store/store.ts'
import { Pause } from '../sites/pause.ts'
import { type Asked, HttpDoors } from './http-doors.ts'
import { type OriginOptions, OriginWeb } from './origin-web.ts'
import { Addresses } from './simulated-peer-network.ts'
import { loadProgramFiles, simulatedPlatform } from './simulated-platform.ts'

export interface WholeNetworkOptions extends SimulatedWorldOptions {
  readonly peers: number
  /** Of every peer; what a `polyhistor peer` without settings has, unless told. */
  readonly delayMs?: number
  /** How often pages are visited again; as the program does unless told. */
  readonly freshness?: { readonly minMs: number; readonly maxMs: number }
  readonly copies?: number
  readonly positions?: number
  readonly patienceMs?: number
  /** Places are taken and given up when this says; not unless told. */
  readonly evenPlaces?: Partial<PlaceTerms>
  readonly repairRate?: number
  readonly siteCaptures?: number
  readonly shareBytes?: number
  readonly scrubEveryMs?: number
  /** Ranks are computed; they are not unless told. */
  readonly rank?: Partial<RankOptions>
  /** The words of pages are indexed; they are not unless told. */
  readonly hasSearch?: boolean
  readonly volumeBytesMax?: number
  /** Versions as what differs from the last one; so unless told. */
  readonly hasDeltas?: boolean
  /** Of pages that others are asked to fetch again; none unless told. */
  readonly corroborationShare?: number
  readonly audits?: { readonly bytesPerSecond: number; readonly roundMs: number }
  /** How fast servers are, and where. */
  readonly origins?: Partial<OriginOptions>
  /** How far volunteers are trusted. */
  readonly trust?: Partial<TrustTerms>
  /** What each peer is told of browsers, and whether its machine has one; `never` unless told. */
  readonly browser?: (name: string) => {
    readonly mode: 'auto' | 'always' | 'never'
    readonly isThere: boolean
  }
  /** What stands between a peer and its network; nothing unless told. */
  readonly between?: (name: string, network: PeerNetwork) => PeerNetwork
  /** Told what peers and volunteers say in detail. */
  readonly overhear?: (facts: object, sentence: string) => void
}

/** Places are taken and given up within minutes, and for little: so it happens among everything else that goes wrong. */
export const hastyPlaces: Partial<PlaceTerms> = {
  ...{ lookMs: 8_000, calmMs: 5_000, stepEveryMs: 5_000, restMs: 30_000 },
  ...{ bytesMin: 1_000, stepsPerDayMax: 1_000 },
}

export interface SimulatedPeer {
  readonly name: string
  readonly platform: Platform
  readonly pause: Pause
  readonly home: HomePeer
  readonly store: Store
  /** Its process has been asked to stop. */
  readonly stop: AbortController
  /** Resolves when it has. */
  readonly ended: Promise<void>
}

export interface SimulatedVolunteer extends OpenVolunteer {
  readonly name: string
}

interface JobState {
  readonly id: string
  readonly state: string
  readonly ending?: string
  readonly counters: Readonly<Record<string, number>>
}

const home = '/home'
const askMsMax = 120_000
const lookMs = 500
const gigabyte = 1_000_000_000

let loading: Promise<ProgramFiles> | undefined

export class WholeNetwork {
  readonly world: SimulatedWorld
  readonly web: OriginWeb
  /** What went wrong at which peer. */
  readonly faults: string[] = []
  /** Pages that browsers began to show. */
  readonly shown: { readonly peer: string; readonly href: string }[] = []
  readonly #options: WholeNetworkOptions
  readonly #programFiles: ProgramFiles
  readonly #doors = new HttpDoors()
  readonly #addresses = new Addresses()
  readonly #clock: SimulatedClock
  readonly #peers = new Map<string, SimulatedPeer>()
  readonly #members: string[] = []
  readonly #gone = new Set<string>()
  #invitation = ''
  /** Of those who came with one of their own. */
  readonly #invitations = new Map<string, string>()

  static async start(options: WholeNetworkOptions): Promise<WholeNetwork> {
    loading ??= loadProgramFiles()
    const network = new WholeNetwork(options, await loading)
    for (let count = 0; count < options.peers; count++) await network.add()
    return network
  }

  private constructor(options: WholeNetworkOptions, programFiles: ProgramFiles) {
    this.#options = options
    this.#programFiles = programFiles
    this.world = simulatedWorld(options)
    const { simulation } = this.world
    this.#clock = new SimulatedClock({ simulation })
    this.web = new OriginWeb({ clock: this.#clock, random: simulation.random.fork('web') }, options.origins)
  }

  /** Those that run. */
  get peers(): SimulatedPeer[] {
    return [...this.#peers.values()]
  }

  /** Of all that ever joined, in this order. */
  get names(): readonly string[] {
    return this.#members
  }

  peer(name: string): SimulatedPeer {
    const peer = this.#peers.get(name)
    assert(peer !== undefined, `${name} does not run`)
    return peer
  }

  /** A machine of its own for a new peer, which joins the others. */
  async add(invitation?: string): Promise<SimulatedPeer> {
    const name = `peer-${this.#members.length}`
    if (invitation !== undefined) this.#invitations.set(name, invitation)
    const peer = await this.start(name)
    this.#members.push(name)
    return peer
  }

  /** A new process on the machine of this name. */
  async start(name: string): Promise<SimulatedPeer> {
    const machine = this.world.machine(name)
    if (!machine.isUp) machine.restart()
    return this.complete(this.#begin(name))
  }

  /** A peer that wants to begin anew is opened again in its process, as `polyhistor peer` does it. */
  async #begin(name: string): Promise<SimulatedPeer> {
    const machine = this.world.machine(name)
    const pause = new Pause()
    const parts = {
      web: this.web,
      doors: this.#doors,
      addresses: this.#addresses,
      programFiles: this.#programFiles,
      whenShown: this.#options.browser?.(name).isThere
        ? (href: string) => void this.shown.push({ peer: name, href })
        : undefined,
      between: (network: PeerNetwork) => this.#options.between?.(name, network) ?? network,
    }
    const platform = simulatedPlatform(machine, parts, pause)
    const opened = await this.#open(name, platform)
    const stop = new AbortController()
    const ended = this.#run(name, opened, stop.signal)
    const peer = { name, platform, pause, stop, ended, ...opened }
    this.#peers.set(name, peer)
    return peer
  }

  /** An invitation for volunteers. */
  async inviteVolunteers(uses: number): Promise<string> {
    const { platform } = this.peer('peer-0')
    const wanted = { addresses: [], uses, role: 'volunteer' } as const
    const { invitation } = await this.complete(inviteToHomeNetwork(home, wanted, platform))
    return invitation
  }

  /** An invitation for members that have to prove themselves first. */
  async inviteNewcomers(uses: number, probationMs: number): Promise<string> {
    const { platform } = this.peer('peer-0')
    const wanted = { addresses: [], uses, probationMs }
    const { invitation } = await this.complete(inviteToHomeNetwork(home, wanted, platform))
    return invitation
  }

  /** A machine of its own for a volunteer; `beside`: in the network of that machine. */
  async addVolunteer(
    name: string,
    options: { invitation: string; beside?: string; seen?: (web: Web) => Web; bundlesMax?: number },
  ): Promise<SimulatedVolunteer> {
    if (options.beside !== undefined) this.#addresses.place(name, options.beside)
    const machine = this.world.machine(name)
    if (!machine.isUp) machine.restart()
    const parts = {
      web: this.web,
      doors: this.#doors,
      addresses: this.#addresses,
      programFiles: this.#programFiles,
    }
    const platform = simulatedPlatform(machine, parts, new Pause())
    const web = this.web.seenBy(name, platform.clock)
    const join = this.peers.slice(0, 2).map((peer) => this.#addresses.of(peer.name))
    const opened = await this.complete(
      openVolunteer(
        {
          ...{ platform, web: options.seen?.(web) ?? web, log: this.#logOf(name) },
          ...{ ready: async () => {}, sending: async () => {}, pauseReason: () => undefined, tell: () => {} },
          partBytes: () => Number.POSITIVE_INFINITY,
        },
        {
          ...{ home, join, invitation: options.invitation, allowed: [], insecure: false },
          bundlesMax: options.bundlesMax ?? 4,
        },
      ),
    )
    return { name, ...opened }
  }

  killVolunteer(name: string): void {
    this.web.hangUp(name)
    this.world.machine(name).kill()
  }

  /** As SIGKILL does: what was written stays written. */
  kill(name: string): void {
    this.#end(name)
    this.world.machine(name).kill()
  }

  /** Its machine loses power: what was not synced may be lost. */
  crash(name: string): void {
    this.#end(name)
    this.world.machine(name).crash()
  }

  /** Gone for good, disk and all. */
  remove(name: string): void {
    this.crash(name)
    this.#gone.add(name)
  }

  /** As its owner stops it. */
  async stop(name: string): Promise<void> {
    const { stop, ended } = this.peer(name)
    stop.abort()
    await this.complete(ended)
    this.world.machine(name).kill()
  }

  advance(ms: number): Promise<void> {
    return this.world.advance(ms)
  }

  /** Runs until it is settled, or longer than anything may take. */
  async complete<T>(work: Promise<T>, msMax = 10 * askMsMax): Promise<T> {
    const late = this.#clock.sleep(msMax).then(() => {
      throw new Error(`not done after ${msMax} ms of virtual time (seed ${this.#options.seed})`)
    })
    late.catch(() => {})
    return this.world.complete(Promise.race([work, late]))
  }

  /** Runs until it is so; fails after `msMax`, telling what was waited for and what was seen last. */
  async until(what: string, isSo: () => Promise<unknown>, msMax = 600_000): Promise<void> {
    const endMs = this.world.simulation.nowMs + msMax
    for (;;) {
      const seen = await isSo()
      if (seen === true) return
      const told = `${what} was waited for in vain (seed ${this.#options.seed}): ${JSON.stringify(seen)}`
      assert(this.world.simulation.nowMs < endMs, told)
      await this.advance(lookMs)
    }
  }

  /** What a peer answers to its owner, as it comes; undefined when it does not run. */
  async follow(name: string, target: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.#doors.follow(name, target)
  }

  /** What a peer answers to its owner. */
  async ask<T>(name: string, target: string, asked: Asked = {}): Promise<T> {
    const bytes = await this.read(name, target, asked)
    return JSON.parse(bytes.toString()) as T
  }

  async read(name: string, target: string, asked: Asked = {}): Promise<Buffer> {
    const { status, headers, bytes } = await this.complete(this.#doors.ask(name, target, asked), askMsMax)
    const location = headers.find(([field]) => field.toLowerCase() === 'location')?.[1]
    if (status >= 300 && status < 400 && location !== undefined)
      return this.read(name, location.replace(/^https?:\/\/[^/]+(?=\/)/, ''), asked)
    assert(status < 400, `${name} answers ${target} with ${status}: ${bytes.toString().slice(0, 300)}`)
    return bytes
  }

  async post<T>(name: string, target: string, body: unknown, method = 'POST'): Promise<T> {
    const token = await this.complete(this.peer(name).platform.files.read(join(home, 'token')))
    const headers = {
      authorization: `Bearer ${Buffer.from(token!).toString().trim()}`,
      'content-type': 'application/json',
    }
    return this.ask<T>(name, target, { method, headers, body: JSON.stringify(body ?? {}) })
  }

  startJob(name: string, seeds: readonly string[], scope = 'any'): Promise<JobState> {
    return this.post(name, '/api/v1/jobs', { seeds, scope })
  }

  job(name: string, id: string): Promise<JobState> {
    return this.ask(name, `/api/v1/jobs/${id}`)
  }

  /** All know all. */
  async settled(): Promise<void> {
    await this.until('all to know all', async () => {
      const views = this.peers.map(({ home: { ring } }) => ring!.view())
      const known = views.map((view) => new Set(view.known.map(({ contact }) => contact.peer)).size)
      return known.every((count) => count === views.length) || known
    })
  }

  /** Stops all, in order. */
  async end(): Promise<void> {
    for (const { name } of this.peers) await this.stop(name)
  }

  #end(name: string): void {
    this.#peers.delete(name)
    this.#doors.shut(name)
    this.web.hangUp(name)
  }

  async #run(
    name: string,
    { home: opened, store }: Pick<SimulatedPeer, 'home' | 'store'>,
    stop: AbortSignal,
  ) {
    try {
      await opened.run(stop)
      await opened.close()
      await store.close()
    } catch (error) {
      this.faults.push(`${name} ended: ${(error as Error).stack}`)
    }
    this.#peers.delete(name)
    this.#doors.shut(name)
    if (!opened.isRestartAsked || stop.aborted) return
    try {
      await this.#begin(name)
    } catch (error) {
      this.faults.push(`${name} could not begin anew: ${(error as Error).stack}`)
    }
  }

  async #open(name: string, platform: Platform): Promise<Pick<SimulatedPeer, 'home' | 'store'>> {
    const isFirst = this.#members.length === 0
    if (isFirst && this.#invitation === '') {
      await createHomeNetwork(home, 'simulated', 'invited', platform)
      // Rules and takedowns are said on any of them.
      const wanted = { addresses: [], uses: 64, role: 'curator' } as const
      const { invitation } = await inviteToHomeNetwork(home, wanted, platform)
      this.#invitation = invitation
    }
    const { clock, disk } = platform
    const options = this.#options
    const share = new DiskShare(
      [home],
      options.shareBytes ?? 100 * gigabyte,
      () => clock.monotonicMs(),
      options.volumeBytesMax,
      (folder) => disk.freeBytes(folder),
      (folder) => bytesIn(disk, folder),
    )
    const log = this.#logOf(name)
    const store = await Store.open({ ...platform, log }, join(home, 'store'), {
      ...storeOptionsDefault,
      host: name,
      reserveBytes: 0,
      ...(options.hasDeltas === false && { deltaChainMax: 0 }),
      volumeBytesMax: Math.min(share.volumeBytesMax, storeOptionsDefault.volumeBytesMax),
      share,
    })
    const opened = await HomePeer.open({ platform, store, log }, this.#peerOptions(name, share, isFirst))
    return { home: opened, store }
  }

  #peerOptions(name: string, share: DiskShare, isFirst: boolean): HomePeerOptions {
    const { copies = 3, delayMs, scrubEveryMs, patienceMs = 12 * 3_600_000 } = this.#options
    const others = this.#members
      .filter((other) => other !== name && !this.#gone.has(other))
      .map((other) => this.#addresses.of(other))
    return {
      canRestart: true,
      server: { home, host: 'localhost', port: 7070, isReadableByAll: true },
      crawler: {
        browser: this.#browserUse(name),
        concurrency: 64,
        obeysRobots: true,
        obeysDirectives: true,
        flushMs: 1_000,
        userAgent: name,
        allowed: [],
        insecure: false,
        politeness: { ...politenessDefault, delayMs },
        threads: 1,
        freshness: this.#options.freshness && new Map([['', this.#options.freshness]]),
      },
      hasSearch: this.#options.hasSearch,
      rank: this.#options.rank && { ...rankOptionsDefault, ...this.#options.rank },
      scrub: scrubEveryMs === undefined ? undefined : { everyMs: scrubEveryMs, bytesPerSecondMax: gigabyte },
      network: {
        share,
        ring: {
          home,
          listen: { host: '10.0.0.1', port: 7071 },
          isPortFlexible: false,
          isOnLocalNetwork: false,
          join: others.slice(0, 3),
          ...(!isFirst && { invitation: this.#invitations.get(name) ?? this.#invitation }),
          keepsPlaces: this.#options.evenPlaces !== undefined,
          ring: { positions: this.#options.positions ?? 1, replicas: copies },
        },
        archive: {
          home,
          copies,
          copiesMin: Math.min(copies, 2),
          knownContent: true,
          deadShare: 0.3,
          patienceMs,
          evenPlaces: this.#options.evenPlaces,
          repairRate: this.#options.repairRate ?? 10_000_000,
          siteCaptures: this.#options.siteCaptures ?? 1_000_000,
          corroboration: { share: this.#options.corroborationShare ?? 0, sameNetwork: true },
          audits: this.#options.audits,
          volunteers: this.#options.trust,
        },
      },
    }
  }

  #browserUse(name: string): HomePeerOptions['crawler']['browser'] {
    const { mode = 'never' } = this.#options.browser?.(name) ?? {}
    return mode === 'never' ? undefined : { mode, path: '', behaves: false, isRequired: false }
  }

  #logOf(name: string): Log {
    const log: Log = {
      debug: (facts, sentence) => this.#options.overhear?.(facts, sentence),
      info: () => {},
      warn: () => {},
      error: (facts, sentence) => {
        const { err, ...rest } = facts as { err?: Error }
        this.faults.push(`${name}: ${sentence} ${err?.stack ?? ''} ${JSON.stringify(rest)}`)
      },
      child: () => log,
    }
    return log
  }
}

async function bytesIn(disk: Disk, folder: string): Promise<number> {
  let bytes = 0
  const names = await disk.list(folder).catch(() => [])
  for (const name of names) {
    const path = join(folder, name)
    const info = await disk.stat(path)
    if (info === undefined) continue
    bytes += info.kind === 'folder' ? await bytesIn(disk, path) : info.sizeBytes
  }
  return bytes
}

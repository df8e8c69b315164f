// A network of real peers on this machine: begun together, joined, left and healed.

import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeFolder } from '../../src/platform/fixtures/child-processes.ts'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { runWords } from '../ring/peer-process.ts'
import { ArchivePeer, type Kept } from './archive-peer.ts'

export interface NetworkPlan {
  readonly peers: number
  /** How every peer is started. */
  readonly words: string[]
  /** And each of them, by its number. */
  readonly wordsOf?: (number: number) => readonly string[]
}

/** Peers whose addresses a newcomer is told. */
const knownMax = 3

export class NetworkOfPeers {
  /** Everything is below it: homes and logs. */
  readonly folder: string
  readonly #plan: NetworkPlan
  readonly #random: SimulatedRandom
  readonly #peers: ArchivePeer[] = []
  readonly #gone: ArchivePeer[] = []
  readonly #kept: Kept[] = []
  readonly #ports = new Map<ArchivePeer, number>()
  #invitation = ''
  #count = 0

  private constructor(folder: string, plan: NetworkPlan, random: SimulatedRandom) {
    this.folder = folder
    this.#plan = plan
    this.#random = random
  }

  static async start(plan: NetworkPlan, random: SimulatedRandom): Promise<NetworkOfPeers> {
    const folder = await mkdtemp(join(tmpdir(), 'polyhistor-network-'))
    await mkdir(join(folder, 'logs'))
    const network = new NetworkOfPeers(folder, plan, random)
    try {
      const home = join(folder, 'peer-0')
      const created = await runWords(['network', 'create', 'test', '--json', '--home', home])
      network.#invitation = (JSON.parse(created) as { invitation: string }).invitation
      while (network.peers.length < plan.peers) await network.add()
      return network
    } catch (error) {
      await network.end()
      throw error
    }
  }

  /** Those that belong to it now, running or not. */
  get peers(): readonly ArchivePeer[] {
    return this.#peers
  }

  /** Those that can be asked. */
  get answering(): ArchivePeer[] {
    return this.#peers.filter(({ isRunning, isPaused }) => isRunning && !isPaused)
  }

  /** Where they listen to each other. */
  get ports(): number[] {
    return this.#peers.map((peer) => this.#ports.get(peer)!)
  }

  /** Whoever has it may join. */
  get invitation(): string {
    return this.#invitation
  }

  get faults(): string[] {
    return [...this.#gone, ...this.#peers].flatMap(({ faults }) => faults)
  }

  /** A new peer with an identity of its own, that runs and has joined. */
  async add(): Promise<ArchivePeer> {
    const number = this.#count++
    const name = `peer-${number}`
    const port = await freePort()
    const words = [
      ...this.#plan.words,
      ...(this.#plan.wordsOf?.(number) ?? []),
      '--listen',
      `127.0.0.1:${port}`,
    ]
    const others = this.answering
    // Several: any of them may be killed before it has answered.
    const first = this.#random.below(Math.max(1, others.length))
    const known = [...others.slice(first), ...others.slice(0, first)].slice(0, knownMax)
    if (known.length > 0) words.push('--invite', this.#invitation)
    for (const other of known) words.push('--join', `127.0.0.1:${this.#ports.get(other)}`)
    const home = join(this.folder, name)
    const peer = new ArchivePeer({ name, home, logFile: join(this.folder, 'logs', `${name}.log`), words })
    this.#ports.set(peer, port)
    this.#peers.push(peer)
    await peer.start()
    return peer
  }

  /** Gone for good, disk and all; what it said was kept is remembered. */
  async remove(peer: ArchivePeer): Promise<void> {
    await peer.kill()
    this.#kept.push(...(await peer.kept()))
    await peer.destroy()
    this.#peers.splice(this.#peers.indexOf(peer), 1)
    this.#gone.push(peer)
  }

  /** What peers say is kept must be on disk before they are killed, or nobody would know that they did. */
  async writeLogs(): Promise<void> {
    await Promise.allSettled(this.answering.map((peer) => peer.writeLog()))
  }

  /** Everything that any peer ever said was kept. */
  async kept(): Promise<Kept[]> {
    return [...this.#kept, ...(await Promise.all(this.#peers.map((peer) => peer.kept()))).flat()]
  }

  /** Kills all, and leaves their folder. */
  async end(): Promise<void> {
    await Promise.all(this.#peers.map((peer) => peer.kill()))
  }

  /** Kills all first: a peer that runs would go on writing into what is being removed. */
  async removeFolder(): Promise<void> {
    await this.end()
    await removeFolder(this.folder)
  }
}

// Several peers of one network, each a process of its own on this machine, and what they must agree on.

import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ringKeyOf } from '../../src/model/ring-key.ts'
import { removeFolder } from '../../src/platform/fixtures/child-processes.ts'
import { freePort } from '../../src/platform/fixtures/free-port.ts'
import { CuttableNetwork } from './cuttable-network.ts'
import { PeerProcess, runWords } from './peer-process.ts'

const pollMs = 200

export interface RingPlan {
  readonly count: number
  readonly positions?: number
  /** Peers reach each other through a network that can be cut. */
  readonly isCuttable?: boolean
  /** By number, and this tree's where there is none. */
  readonly programs?: Readonly<Record<number, string>>
}

export class RingOfPeers {
  readonly peers: readonly PeerProcess[]
  readonly network: CuttableNetwork
  /** To its network. */
  readonly invitation: string
  readonly #folder: string

  private constructor(folder: string, parts: Pick<RingOfPeers, 'peers' | 'network' | 'invitation'>) {
    this.#folder = folder
    this.peers = parts.peers
    this.network = parts.network
    this.invitation = parts.invitation
  }

  /** The first makes the network; the others are invited, and begin with the first. */
  static async start(plan: RingPlan): Promise<RingOfPeers> {
    const folder = await mkdtemp(join(tmpdir(), 'polyhistor-ring-'))
    const network = new CuttableNetwork()
    const homes = Array.from({ length: plan.count }, (_, index) => join(folder, `peer-${index}`))
    const created = await runWords(['network', 'create', 'test', '--json', '--home', homes[0]!])
    const { invitation } = JSON.parse(created) as { invitation: string }
    const peers: PeerProcess[] = []
    const ring = new RingOfPeers(folder, { peers, network, invitation })
    try {
      const places = await Promise.all(homes.map((_, index) => placeOf(network, `${index}`, plan.isCuttable)))
      for (const [index, home] of homes.entries()) {
        const words = [
          '--listen',
          `127.0.0.1:${places[index]!.port}`,
          '--positions',
          String(plan.positions ?? 1),
        ]
        if (plan.isCuttable) words.push('--set', `ring.announce=127.0.0.1:${places[index]!.toldPort}`)
        if (index > 0) words.push('--invite', invitation, '--join', `127.0.0.1:${places[0]!.toldPort}`)
        peers.push(new PeerProcess({ home, words, program: plan.programs?.[index] }))
      }
      await ring.#startOne(0)
      // A few at a time: starting takes the processor.
      for (let index = 1; index < peers.length; index += 2) {
        await Promise.all(
          [index, index + 1].filter((at) => at < peers.length).map((at) => ring.#startOne(at)),
        )
      }
      return ring
    } catch (error) {
      await ring.end()
      throw error
    }
  }

  async #startOne(index: number): Promise<void> {
    await this.peers[index]!.start((pid) => this.network.belongs(pid, `${index}`))
  }

  /** Another invitation, for so many. */
  async invite(uses: number): Promise<string> {
    const home = this.peers[0]!.home
    return (await runWords(['network', 'invite', '--uses', String(uses), '-q', '--home', home])).trim()
  }

  async restart(index: number): Promise<void> {
    await this.#startOne(index)
  }

  /** Waits until these peers know exactly each other, and agree on the owner of every one of so many keys. Gives how long
   * it took. */
  async agree(indices: readonly number[], options: { keys: number; deadlineMs: number }): Promise<number> {
    const startMs = performance.now()
    const members = indices.map((index) => this.peers[index]!)
    for (;;) {
      const problem = await disagreement(members, options.keys).catch((error: Error) => error.message)
      const tookMs = performance.now() - startMs
      if (problem === undefined) return tookMs
      if (tookMs > options.deadlineMs) {
        const logs = members.map(({ log }) => log.slice(-1_000)).join('\n')
        throw new Error(`No agreement after ${Math.round(tookMs)} ms: ${problem}\n${logs}`)
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer.end('SIGKILL')))
    this.network.close()
    await removeFolder(this.#folder)
  }
}

/** What is wrong, if anything is. */
async function disagreement(members: readonly PeerProcess[], keyCount: number): Promise<string | undefined> {
  const views = await Promise.all(members.map((member) => member.view()))
  const positions = views.flatMap(({ peer, positions }) => positions.map(({ place }) => ({ place, peer })))
  positions.sort((one, other) => (one.place < other.place ? -1 : 1))
  const places = positions.map(({ place }) => place).join()
  for (const [index, { known }] of views.entries()) {
    const seen = known
      .map(({ contact }) => contact.place)
      .sort()
      .join()
    if (seen !== places) return `member ${index} knows ${known.length} of ${positions.length} positions`
  }
  const ownerOf = (key: string) => positions.find(({ place }) => place >= key) ?? positions[0]!
  for (let number = 0; number < keyCount; number++) {
    const key = ringKeyOf(`key ${number}`)
    const answers = await Promise.all(members.map((member) => member.lookup(key)))
    const expected = ownerOf(key)
    for (const [index, { owner }] of answers.entries()) {
      if (owner.position !== expected.place || owner.peer !== expected.peer) {
        return `member ${index} says ${key} belongs to ${owner.position}, and it belongs to ${expected.place}`
      }
    }
  }
  return undefined
}

/** A free port to listen on, and the one that others are told. */
async function placeOf(
  network: CuttableNetwork,
  name: string,
  isCuttable = false,
): Promise<{ port: number; toldPort: number }> {
  const port = await freePort()
  return { port, toldPort: isCuttable ? await network.portTo(name, port) : port }
}

// The five peers of the demo, as one network: begun together, crawling the little web, each of them killed and started at will.

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DemoPeer, runCommand } from './demo-peer.ts'

const names = ['Ada', 'Basil', 'Cleo', 'Dora', 'Emil']
/** The folder's name says whose it is, so that what a killed demo left can be told from what another one uses. */
const folderPrefix = 'polyhistor-demo-'

/** Everything that takes hours in an archive takes seconds here. */
const peerWords = [
  ...['--listen', '127.0.0.1:0', '--copies', '3', '--positions', '8', '--delay', '250', '--fresh', '4s-20s'],
  ...['--allow-address', '127.0.0.1/32', '--allow-address', '::1/128'],
  ...['--set', 'ring.mdns=no', '--set', 'ring.patience=2s', '--set', 'rank.maxAge=1m'],
  ...['--set', 'corroboration.share=0%', '--set', 'audits.every=1m', '--set', 'store.reserve=100MB'],
]

export class DemoNetwork {
  readonly peers: readonly DemoPeer[]
  readonly #folder: string
  readonly #invitation: string

  private constructor(folder: string, invitation: string) {
    this.#folder = folder
    this.#invitation = invitation
    this.peers = names.map((name) => new DemoPeer(name, join(folder, name.toLowerCase()), peerWords))
  }

  static async create(): Promise<DemoNetwork> {
    await removeLeftovers()
    const folder = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`))
    const first = join(folder, names[0]!.toLowerCase())
    await mkdir(first, { mode: 0o700 })
    const created = await runCommand(['network', 'create', 'Demo', '--json', '--home', first])
    return new DemoNetwork(folder, (JSON.parse(created) as { invitation: string }).invitation)
  }

  /** The first, then the others together. `tell` is called with each that is up. */
  async start(tell: (peer: DemoPeer) => void): Promise<void> {
    const [first, ...others] = this.peers
    await first!.start([])
    tell(first!)
    const begin = async (peer: DemoPeer) => {
      await this.startPeer(peer)
      tell(peer)
    }
    await Promise.all(others.map(begin))
  }

  get running(): DemoPeer[] {
    return this.peers.filter(({ state }) => state === 'running')
  }

  async startPeer(peer: DemoPeer): Promise<void> {
    const others = this.running.filter((other) => other !== peer)
    const known = await Promise.all(others.map((other) => other.addresses().catch(() => [])))
    const isMember = peer.id !== ''
    const invited = isMember || peer === this.peers[0] ? [] : ['--invite', this.#invitation]
    await peer.start([...invited, ...known.flat().flatMap((address) => ['--join', address])])
  }

  /** Kills all, and removes all they kept. */
  async remove(): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer.kill()))
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** Of demos that were killed: whose process is gone. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = new RegExp(`^${folderPrefix}(\\d+)-`).exec(name) ?? []
    if (pid === undefined || isAlive(Number(pid))) continue
    await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

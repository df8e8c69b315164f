// Real peers that archive together, and one member that means harm: it is on their ring, spoils what it answers, and sends spoilt
// questions to every service, so many in all. Peers are killed and started again meanwhile.
// `npm run torture -- hostile --messages N` runs it. The same on simulated machines, with damaged maps: sim/hostile.
//
// Afterwards: nobody has ended by itself or was frozen for a second, all answer, everything that was listed can be read, a new
// job ends, and nobody took more room than its share.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostileNetwork } from '../../sim/hostile/hostile-network.ts'
import { type SampleSubject, sampleQuestions } from '../../sim/hostile/sample-questions.ts'
import { ringCalls } from '../../src/app/ring/ring-calls.ts'
import { networkIdOf } from '../../src/network/membership/archive-network.ts'
import { readInvitation } from '../../src/network/membership/invitation.ts'
import { RingNode } from '../../src/network/ring/ring-node.ts'
import { ringOptionsDefault } from '../../src/network/ring/ring-options.ts'
import { CallServices } from '../../src/platform/calls/call-services.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import { type PeerId, PeerRefused } from '../../src/platform/network/network.ts'
import { RealClock } from '../../src/platform/real/clock.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { ArchivePeer, JobState, Listed } from '../network/archive-peer.ts'
import { addressOfSite } from '../network/generated-sites.ts'
import { NetworkOfPeers } from '../network/network-of-peers.ts'
import { SitesProcess } from '../network/sites-process.ts'
import { until } from '../network/until.ts'
import { type HostileMember, hostileMember } from '../ring/hostile-member.ts'
import { askHonestly } from './honest-questions.ts'

export interface HostileTorture {
  readonly messages: number
  readonly seed: string
  tell(sentence: string): void
}

const peers = 3
const sites = 3
const shareBytes = 300_000_000
const webPlan = { sites, pages: 20, images: 4, latencyMs: 0 }
/** Sent before anything else is done. */
const roundMessages = 10_000
const atOnce = 64
/** Before the next are sent, when some could not be. */
const pauseMs = 50
const silentMsMax = 120_000

export async function tortureWithHostile({ messages, seed, tell }: HostileTorture): Promise<string[]> {
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import ${join(import.meta.dirname, 'freeze-monitor.ts')}`
  const random = new SimulatedRandom(seed)
  const origin = await SitesProcess.start({ ...webPlan, seed })
  const words = ['--allow-address', '127.0.0.0/8', '--delay', '0', '--share', String(shareBytes)]
  const network = await NetworkOfPeers.start({ peers, words }, random.fork('network'))
  tell(`Seed ${seed}. Homes and logs: ${network.folder}`)
  try {
    const [first] = network.peers
    await crawl(first!, origin.web.start)
    const before = await readable(first!, await listings(network.peers))
    tell(`${before.length} captures are listed; the hostile member comes`)
    const about = { url: origin.web.start, aside: 'http://127.0.0.9:9/' }
    const attack = await Attack.begin(network, random.fork('attack'), about, async (services, targets) => {
      // It hears links, shares of jobs and readers' questions. The job ends when it is gone.
      const jobs = network.peers.map((peer) => peer.startJob([`${origin.web.start}?${peer.name}`]))
      const [{ id }] = (await Promise.all(jobs)) as [JobState]
      await listings(network.peers)
      for (const target of targets) await askHonestly(services, target, origin.web.urls.slice(0, 5), id)
    })
    for (let sent = 0; sent < messages; sent += roundMessages) {
      await attack.send(roundMessages)
      if (random.below(4) === 0) await restart(network.peers[random.below(peers)]!)
      tell(`${sent + roundMessages} messages: ${JSON.stringify(attack.sent)}`)
    }
    tell(`What became of them: ${JSON.stringify(attack.outcomes)}`)
    await attack.end()
    tell('The hostile member is gone: everything is read, and crawled again')
    const failures = await failuresOf(network, before, () => crawl(first!, origin.web.start))
    if (failures.length === 0) await network.removeFolder()
    return failures
  } finally {
    await network.end()
    await origin.stop()
  }
}

class Attack {
  readonly #network: HostileNetwork
  readonly #targets: readonly string[]
  readonly #random: SimulatedRandom
  readonly #ring: RingNode

  private constructor(network: HostileNetwork, ring: RingNode, targets: string[], random: SimulatedRandom) {
    this.#network = network
    this.#ring = ring
    this.#targets = targets
    this.#random = random
  }

  /** `work`: what is done honestly meanwhile. */
  static async begin(
    network: NetworkOfPeers,
    random: SimulatedRandom,
    about: Pick<SampleSubject, 'url' | 'aside'>,
    work: (services: CallServices, targets: readonly PeerId[]) => Promise<void>,
  ): Promise<Attack> {
    const { invitation } = network
    const { member, targets } = await joined(invitation, network.ports)
    const hostile = new HostileNetwork(member.network, random)
    hostile.signer = member.signer
    hostile.know(await sampleQuestions({ ...member, ...about, other: targets[0]!, nowMs: Date.now() }))
    const clock = new RealClock()
    const services = new CallServices(new Calls({ network: hostile, clock, random }))
    const { network: archive } = readInvitation(invitation)
    const ring = new RingNode(
      { clock, random, calls: ringCalls(hostile, services), tickets: member.members },
      { ...ringOptionsDefault, networkId: networkIdOf(archive), kind: archive.kind },
    )
    ring.start()
    const known = network.ports.map((port, index) => ({
      peer: targets[index]!,
      addresses: [`/ip4/127.0.0.1/tcp/${port}`],
    }))
    await ring.join(known)
    await work(services, targets)
    // Until it has been asked about everything that members ask each other.
    await clock.sleep(15_000)
    hostile.spoiltAnswers = 30
    return new Attack(hostile, ring, targets, random)
  }

  get sent(): Readonly<Record<string, number>> {
    return this.#network.sent
  }

  get outcomes(): Readonly<Record<string, number>> {
    return this.#network.outcomes
  }

  /** So many that were handed on: to a peer that was just started again some are not. */
  async send(count: number): Promise<void> {
    const target = () => this.#targets[this.#random.below(this.#targets.length)]!
    let lastMs = performance.now()
    for (let sent = 0; sent < count; ) {
      const handedOn = await Promise.all(Array.from({ length: atOnce }, () => this.#network.attack(target())))
      sent += handedOn.filter(Boolean).length
      if (handedOn.includes(true)) lastMs = performance.now()
      else if (performance.now() - lastMs > silentMsMax) throw new Error('Nobody hears the hostile member')
      if (handedOn.includes(false)) await sleep(pauseMs)
    }
  }

  /** Without a word, as such members go. */
  async end(): Promise<void> {
    await this.#network.close()
    await this.#ring.leave()
  }
}

/** Honest peers take any ticket of the invitation: the hostile one tries until it has one of its own. */
async function joined(
  invitation: string,
  ports: readonly number[],
): Promise<{ member: HostileMember; targets: PeerId[] }> {
  for (let ticket = 0; ; ticket++) {
    const member = await hostileMember(invitation, ticket)
    try {
      const targets = ports.map((port) => member.network.meet(`/ip4/127.0.0.1/tcp/${port}`))
      return { member, targets: await Promise.all(targets) }
    } catch (error) {
      await member.network.close()
      if (!(error instanceof PeerRefused) || ticket === peers) throw error
    }
  }
}

async function crawl(peer: ArchivePeer, start: string): Promise<void> {
  const { id } = await peer.startJob([start])
  await until('the crawl', async () => (await peer.job(id)).state === 'done')
}

async function restart(peer: ArchivePeer): Promise<void> {
  await peer.kill()
  await peer.start()
}

async function listings(all: readonly ArchivePeer[]): Promise<Listed[]> {
  const lists = await Promise.all(
    Array.from({ length: sites }, (_, site) => all[0]!.listed(addressOfSite(site))),
  )
  return lists.flat()
}

/** An archived 404 is one. */
async function readable(peer: ArchivePeer, listed: readonly Listed[]): Promise<Listed[]> {
  const reads = await Promise.all(listed.map((one) => peer.read(one).catch(() => undefined)))
  return listed.filter((_, index) => reads[index] !== undefined)
}

async function failuresOf(
  network: NetworkOfPeers,
  before: readonly Listed[],
  crawlAgain: () => Promise<void>,
): Promise<string[]> {
  const failures = network.faults.filter(
    (fault) => !/Questions from another peer|more than its budget/.test(fault),
  )
  for (const peer of network.peers) {
    for (const listed of before) {
      const read = await peer.read(listed).catch((error: Error) => error)
      if (read instanceof Error || read.length === 0)
        failures.push(`${peer.name} does not show ${listed.url}: ${read}`)
    }
    const bytes = await bytesIn(peer.home)
    if (bytes > shareBytes) failures.push(`${peer.name} takes ${bytes} bytes`)
    const { faults } = (await peer.status()) as { faults?: { total: { failed: number } } }
    if ((faults?.total.failed ?? 0) > 0) failures.push(`${peer.name}: ${JSON.stringify(faults)}`)
  }
  await crawlAgain().catch((error: Error) => failures.push(`Nothing is crawled any more: ${error.message}`))
  return failures
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const infos = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)))
  return infos.reduce((sum, info) => sum + 512 * (info?.blocks ?? 0), 0)
}

// Rules in a network whose peers are cut off and killed while rules are set: afterwards all have the same rules, and no peer asked for
// what it knew to be denied.
//
// The truth is in the web's log of arrivals, and in what each peer said of its rules at every look.

import assert from 'node:assert/strict'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { LinkedSites } from './linked-sites.ts'
import { WholeNetwork } from './whole-network.ts'

interface Rules {
  readonly rules: readonly ({ readonly access?: string } & Record<string, unknown>)[]
}

const delayMs = 1_000
const sitesCount = 5
const pages = 12

export async function ruleCampaign(seed: string): Promise<WholeNetwork> {
  const random = new SimulatedRandom(seed)
  const network = await WholeNetwork.start({ seed, peers: 4, delayMs, patienceMs: 3_600_000 })
  const sites = new LinkedSites({ sites: sitesCount, pages })
  sites.serveOn(network.web)
  await network.settled()
  const { id } = await network.startJob('peer-0', [sites.start])
  const { arrivals } = network.web
  await network.until('some pages', async () => arrivals.length > 12 || arrivals.length)
  const denied = sites.host(random.below(sitesCount))
  const watch = new DenialWatch(network, denied)
  const [victim = '', setter = '', other = ''] = shuffled(['peer-0', 'peer-1', 'peer-2', 'peer-3'], random)
  const isKilled = random.below(2) === 0
  if (isKilled) network.kill(victim)
  else
    network.world.network.cut(
      [victim],
      network.names.filter((name) => name !== victim),
    )
  await set(network, setter, { host: denied, access: 'deny', depth: 7 })
  if (!isKilled) {
    // Neither side hears of the other: the later word counts for all.
    await set(network, victim, { host: denied, access: 'deny', depth: 3 })
    await set(network, victim, { pattern: `no-such-${seed}`, priority: 'low' })
  }
  await set(network, other, { site: 'elsewhere.example', delay: '5s' })
  for (let look = 0; look < 20; look++) await watch.look()
  if (isKilled) await network.start(victim)
  else network.world.network.heal()
  await agreed(network, watch)
  const rules = await rulesOf(network, 'peer-1')
  assert.equal(rules.length, isKilled ? 2 : 3)
  assert.equal(rules.find(({ host }) => host === denied)!.depth, isKilled ? 7 : 3)
  await network.until(
    'the job to end',
    async () => {
      await watch.look()
      const job = await network.job(other, id)
      return job.state === 'done' || job
    },
    3_600_000,
  )
  watch.check()
  await carryOn(network, { id, denied, remover: other, watch })
  assert.deepEqual(network.faults, [])
  network.web.checkPoliteness(delayMs)
  return network
}

/** The denial is taken back, and what was held back goes on. */
async function carryOn(
  network: WholeNetwork,
  { id, denied, remover, watch }: { id: string; denied: string; remover: string; watch: DenialWatch },
): Promise<void> {
  const { ending, counters } = await network.job(remover, id)
  const wasHeld = ending !== 'complete'
  assert.equal(wasHeld, counters.pending! > 0, `${ending} with ${counters.pending} pending`)
  watch.end()
  await network.post(remover, `/api/v1/rules?host=${denied}`, {}, 'DELETE')
  await network.until('the job to come to its end', async () => {
    const job = await network.job(remover, id)
    return (job.state === 'done' && job.counters.pending === 0 && job.ending === 'complete') || job
  })
  if (!wasHeld) return
  const fetched = new Set(network.web.arrivals.filter(({ host }) => host === denied).map(({ path }) => path))
  for (let page = 0; page < pages; page++) assert(fetched.has(`/${page}`), `page ${page} of ${denied}`)
}

/** Since when each peer's process knows of the denial. */
class DenialWatch {
  readonly #network: WholeNetwork
  readonly #host: string
  readonly #knownAt = new Map<object, { readonly peer: string; readonly arrivals: number }>()

  constructor(network: WholeNetwork, host: string) {
    this.#network = network
    this.#host = host
  }

  async look(): Promise<void> {
    const { arrivals } = this.#network.web
    for (const peer of this.#network.peers) {
      if (this.#knownAt.has(peer)) continue
      const rules = await rulesOf(this.#network, peer.name)
      if (rules.some(({ host, access }) => host === this.#host && access === 'deny'))
        this.#knownAt.set(peer, { peer: peer.name, arrivals: arrivals.length })
    }
    await this.#network.advance(500)
    this.check()
  }

  /** A request that arrived when its peer knew. */
  check(): void {
    for (const { peer, arrivals } of this.#knownAt.values()) {
      const later = this.#network.web.arrivals.slice(arrivals)
      const wrong = later.find((arrival) => arrival.peer === peer && arrival.host === this.#host)
      assert.equal(
        wrong,
        undefined,
        `${peer} asked for ${wrong?.host}${wrong?.path} and knew that it is denied`,
      )
    }
  }

  /** What comes now is allowed. */
  end(): void {
    this.check()
    this.#knownAt.clear()
  }
}

async function agreed(network: WholeNetwork, watch: DenialWatch): Promise<void> {
  await network.until('all to have the same rules', async () => {
    await watch.look()
    const lists: Rules['rules'][] = []
    for (const name of network.names) lists.push(await rulesOf(network, name))
    const texts = new Set(lists.map((list) => JSON.stringify(list)))
    return texts.size === 1 || lists
  })
}

async function rulesOf(network: WholeNetwork, name: string): Promise<Rules['rules']> {
  return (await network.ask<Rules>(name, '/api/v1/rules')).rules
}

function set(network: WholeNetwork, name: string, rule: object): Promise<unknown> {
  return network.post(name, '/api/v1/rules', rule, 'PUT')
}

function shuffled(names: readonly string[], random: SimulatedRandom): string[] {
  const left = [...names]
  return names.map(() => left.splice(random.below(left.length), 1)[0]!)
}

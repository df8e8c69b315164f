// A revocation that is taken back, with whole peers. Who was revoked may have heard of that or not, run on or start again: it is out
// until a higher role than that of who revoked it grants it one, and takes part like any other from then on. With real processes:
// e2e/ring/revocation-undone.test.ts.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { hasCopies, statusOf } from '../peer/crawled-network.ts'
import { LinkedSites } from '../peer/linked-sites.ts'
import { WholeNetwork } from '../peer/whole-network.ts'

const [home, second, revoked] = ['peer-0', 'peer-1', 'peer-2'] as const
const hangMs = 300_000
/** Longer than it takes to come back to all. */
const outMs = 120_000
/** How long the others are waited for; a peer whose revocation is waited out longer than that may take them for gone. */
const patienceMs = 300_000
const aloneMs = 1_800_000
/** Pages are due again all the time. */
const freshness = { minMs: 60_000, maxMs: 120_000 }
/** So many that each peer owns some of them. */
const watched = Array.from({ length: 12 }, (_, number) => `watched-${number}.example`)

interface Roles {
  readonly peers: readonly { readonly peer: string; readonly role: string }[]
  readonly revoked: readonly string[]
}

class Undoing {
  readonly network: WholeNetwork
  readonly id: string

  private constructor(network: WholeNetwork) {
    this.network = network
    this.id = this.idOf(revoked)
  }

  /** `role`: of who is to be revoked. */
  static async start(seed: string, role: 'admin' | 'member'): Promise<Undoing> {
    const network = await WholeNetwork.start({ seed, peers: 3, copies: 3, delayMs: 0, patienceMs, freshness })
    await network.settled()
    for (const host of watched) network.web.serve(host, () => ({ body: `the news of ${host}` }))
    await network.startJob(
      home,
      watched.map((host) => `http://${host}/`),
    )
    const undoing = new Undoing(network)
    await network.until('each to crawl', async () => {
      const crawling = new Set(network.web.arrivals.map(({ peer }) => peer))
      return crawling.size === 3 || [...crawling]
    })
    await undoing.say(home, 'grant', second, 'admin')
    await undoing.say(home, 'grant', revoked, role)
    for (const name of [second, revoked])
      await network.until(`${name} to know the roles`, async () => {
        const { peers } = await undoing.rolesAt(name)
        const has = (of: string, what: string) =>
          peers.some((each) => each.peer === undoing.idOf(of) && each.role === what)
        return (has(second, 'admin') && has(revoked, role)) || peers
      })
    return undoing
  }

  idOf(name: string): string {
    return this.network.peer(name).home.ring!.peer
  }

  say(by: string, act: 'grant' | 'revoke', name: string, role?: string): Promise<{ standing: string }> {
    const about = { act, peer: this.idOf(name), reason: 'for the test', ...(role !== undefined && { role }) }
    return this.network.post(by, '/api/v1/network/roles', about)
  }

  rolesAt(name: string): Promise<Roles> {
    return this.network.ask(name, '/api/v1/network/roles')
  }

  knownAt(name: string): Set<string> {
    return new Set(
      this.network
        .peer(name)
        .home.ring!.view()
        .known.map(({ contact }) => contact.peer),
    )
  }

  problemsAt(name: string): string[] {
    return this.network.peer(name).home.ring!.problems()
  }

  /** The others agree, and the peer does not come back. */
  async isOut(): Promise<void> {
    await this.network.until('the revoked peer to be off the ring', async () =>
      [home, second].every((name) => !this.knownAt(name).has(this.id)),
    )
    await this.network.advance(outMs)
    for (const name of [home, second]) {
      assert.deepEqual((await this.rolesAt(name)).revoked, [this.id])
      assert.equal(this.knownAt(name).has(this.id), false)
    }
  }

  /** Its sites are due again, and its leases are with nobody that answers it: the others visit them in its stead. */
  async crawlsNothing(): Promise<void> {
    const { network } = this
    const { arrivals } = network.web
    const own = new Set(arrivals.filter(({ peer }) => peer === revoked).map(({ host }) => host))
    const before = arrivals.length
    await network.advance(aloneMs)
    const later = arrivals.slice(before)
    assert.deepEqual(
      later.filter(({ peer }) => peer === revoked),
      [],
    )
    const visited = new Set(later.map(({ host }) => host))
    assert.deepEqual(
      [...own].filter((host) => !visited.has(host)),
      [],
      'nobody visits them',
    )
    await assert.rejects(network.startJob(revoked, ['http://alone.example/']), /role/)
  }

  /** On everybody's ring, with its role; a job that it begins is crawled, and its copies count. */
  async takesPart(): Promise<void> {
    const { network } = this
    await network.settled()
    for (const name of [home, second, revoked]) {
      await network.until(
        `${name} to know of it`,
        async () => (await this.rolesAt(name)).revoked.length === 0,
      )
      const { peers } = await this.rolesAt(name)
      assert.equal(peers.find(({ peer }) => peer === this.id)?.role, 'member')
      assert.deepEqual(this.problemsAt(name), [])
    }
    const sites = new LinkedSites({ sites: 2, pages: 2 })
    sites.serveOn(network.web)
    const { id } = await network.startJob(revoked, [sites.start])
    await network.until('its job', async () => {
      const job = await network.job(home, id).catch(() => undefined)
      return job?.state === 'done' || job
    })
    await network.until('a copy of everything on each', async () => {
      for (const name of [home, second, revoked]) {
        const status = await statusOf(network, name)
        if (!hasCopies(status, 3)) return { name, sums: status.sums }
      }
      return true
    })
  }
}

test.each([
  { who: 'that resigned, and so knows of it', by: revoked, isRunning: true },
  { who: 'that resigned and is started again', by: revoked, isRunning: false },
  { who: 'that an administrator revoked', by: second, isRunning: true },
  { who: 'that an administrator revoked, and is started again', by: second, isRunning: false },
])(
  'a peer $who is out until it is granted a role, and takes part again',
  { timeout: hangMs },
  async ({ by, isRunning }) => {
    const undoing = await Undoing.start('undone', by === revoked ? 'admin' : 'member')
    const { network, id } = undoing
    await undoing.say(by, 'revoke', revoked)
    await undoing.isOut()
    assert.match(undoing.problemsAt(revoked).join(), /This peer was revoked/)
    await undoing.crawlsNothing()
    if (!isRunning) {
      network.kill(revoked)
      await network.start(revoked)
      await undoing.isOut()
      assert.match(undoing.problemsAt(revoked).join(), /This peer was revoked/)
      network.kill(revoked)
    }
    const grant = { act: 'grant', peer: id, role: 'member', reason: 'a mistake' }
    await network.post(home, '/api/v1/network/roles', grant)
    if (!isRunning) await network.start(revoked)
    await undoing.takesPart()
  },
)

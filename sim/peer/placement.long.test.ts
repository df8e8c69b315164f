import assert from 'node:assert/strict'
import { test } from 'vitest'
import { WholeNetwork } from './whole-network.ts'

interface SiteAnswer {
  readonly site: { readonly isCrawled: boolean; readonly lease?: { readonly members: string[] } } | null
}

interface Acted {
  readonly action: { readonly id: number; readonly outcome: string; readonly message: string }
}

const delayMs = 1_000
/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000
const site = 'river.example'

test(
  'a site that is moved is crawled by that peer: after restarts, not while it is away, and not any more when that is undone',
  async () => {
    const network = await WholeNetwork.start({
      seed: 'placement 1',
      peers: 4,
      delayMs,
      patienceMs: 3_600_000,
    })
    network.web.serve(`www.${site}`, (path) => pageOf(path))
    await network.settled()
    const job = await network.startJob('peer-0', [`https://www.${site}/0`])
    await crawledBySomebody(network)
    const first = (await crawlers(network))[0]!
    const { members } = (await facts(network, first)).site!.lease!
    assert.equal(members.length, 3)
    const target = members.map((peer) => nameOf(network, peer)).find((name) => name !== first)!
    const action = { action: 'move', site, peer: idOf(network, target) }
    const setter = network.names.find((name) => name !== first && name !== target)!
    const { action: moved } = await network.post<Acted>(setter, '/api/v1/admin/actions', action)
    assert.equal(moved.outcome, 'done', moved.message)
    await crawledBy(network, target)
    const arrivals = network.web.arrivals.length
    await network.until('more pages, by it', async () => {
      const later = network.web.arrivals.slice(arrivals)
      assert(later.every(({ peer }) => peer === target))
      return later.length > 3 || later.length
    })
    // Whoever owns the site reads it from its disk.
    network.kill(first)
    await network.start(first)
    await network.advance(60_000)
    assert.deepEqual(await crawlers(network), [target])
    network.kill(target)
    await crawledBy(network, first)
    await network.start(target)
    await crawledBy(network, target)
    await network.post(setter, `/api/v1/admin/actions/${moved.id}/undo`, {})
    await crawledBy(network, first)
    await network.until(
      'the job to end',
      async () => {
        const state = await network.job(setter, job.id)
        return state.state === 'done' || state
      },
      3_600_000,
    )
    const paths = new Set(network.web.arrivals.map(({ path }) => path))
    for (let page = 0; page < pages; page++) assert(paths.has(`/${page}`), `page ${page}`)
    network.web.checkPoliteness(delayMs)
    assert.deepEqual(network.faults, [])
    await network.end()
  },
  hangMs,
)

test(
  'a site is moved to one of those who keep it, and to nobody else',
  async () => {
    const network = await WholeNetwork.start({ seed: 'placement 2', peers: 4, delayMs })
    await network.settled()
    network.web.serve(`www.${site}`, (path) => pageOf(path))
    await network.startJob('peer-0', [`https://www.${site}/0`])
    await crawledBySomebody(network)
    const { members } = (await facts(network, (await crawlers(network))[0]!)).site!.lease!
    const outsider = network.names.find((name) => !members.includes(idOf(network, name)))!
    const move = (peer: string) =>
      network.post('peer-0', '/api/v1/admin/actions', { action: 'move', site, peer })
    await assert.rejects(() => move(idOf(network, outsider)), /409.*keeps nothing of it/s)
    await assert.rejects(() => move('nobody'), /409/)
    await network.end()
  },
  hangMs,
)

const pages = 150

function pageOf(path: string): { body: string } | undefined {
  const page = Number(path.slice(1))
  if (!(page < pages)) return undefined
  const links = Array.from({ length: pages }, (_, other) => `<a href="/${other}">${other}</a>`)
  return { body: `<title>Page ${page}</title>${page === 0 ? links.join('') : 'text'}` }
}

function idOf(network: WholeNetwork, name: string): string {
  return network.peer(name).home.ring!.view().peer
}

function nameOf(network: WholeNetwork, id: string): string {
  return network.names.find((name) => idOf(network, name) === id)!
}

function facts(network: WholeNetwork, name: string): Promise<SiteAnswer> {
  return network.post(name, `/api/v1/admin/site?site=${site}`, undefined, 'GET')
}

/** Who says that it crawls the site. */
async function crawlers(network: WholeNetwork): Promise<string[]> {
  const found: string[] = []
  for (const { name } of network.peers) if ((await facts(network, name)).site?.isCrawled) found.push(name)
  return found
}

async function crawledBy(network: WholeNetwork, name: string): Promise<void> {
  await network.until(`the site at ${name}`, async () => {
    const found = await crawlers(network)
    return (found.length === 1 && found[0] === name) || found
  })
}

async function crawledBySomebody(network: WholeNetwork): Promise<void> {
  await network.until('somebody to crawl the site', async () => {
    const found = await crawlers(network)
    return (found.length === 1 && network.web.arrivals.length > 4) || found
  })
}

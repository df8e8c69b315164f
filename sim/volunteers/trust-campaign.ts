// A campaign about trust: some peers crawl with the help of many volunteers, of which some leave and are replaced, and some lie, each in
// its own way. Told are the pages that are kept and are not what their servers sent, once the crawl and all second looks are over, and
// what that took in requests beyond one for each page.

import assert from 'node:assert/strict'
import type { TrustTerms } from '../../src/network/volunteers/volunteer-record.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { LinkedSites } from '../peer/linked-sites.ts'
import { type LiarKind, liarKinds, liarWebs } from '../peer/lying-web.ts'
import { LendingWorld } from './lending-world.ts'
import { OverdueBundles } from './overdue-bundles.ts'

export interface TrustOptions {
  readonly leaders: number
  readonly volunteers: number
  readonly liarShare: number
  /** Of all volunteers, that leave in an hour and are replaced. */
  readonly churnPerHour: number
  readonly sites: number
  readonly pages: number
  /** How much of what they bring do those that forge now and then forge. */
  readonly forgedShare: number
  readonly trust?: Partial<TrustTerms>
}

const optionsDefault: TrustOptions = {
  ...{ leaders: 3, volunteers: 60, liarShare: 0.1, churnPerHour: 0.5, sites: 8, pages: 300 },
  forgedShare: 0.5,
}
const delayMs = 1_000
/** After the last page: what is still open is looked at. */
const settlingMsMax = 1_800_000

export async function runTrustCampaign(
  seed: string,
  given: Partial<TrustOptions> = {},
): Promise<Record<string, number>> {
  const options = { ...optionsDefault, ...given }
  const random = new SimulatedRandom(`trust ${seed}`)
  const overdue = new OverdueBundles()
  const world = new LendingWorld({ seed, delayMs, trust: options.trust ?? {}, overhear: overdue.overhear })
  const sites = new LinkedSites(options)
  sites.serveOn(world.web)
  for (let count = 0; count < options.leaders; count++) await world.addLeader(`peer-${count}`)
  const running: { name: string; number: number; kind: LiarKind | 'honest' }[] = []
  let count = 0
  const add = () => {
    const number = count++
    const isLiar = random.below(1_000) < options.liarShare * 1_000
    const kind = isLiar ? liarKinds[random.below(liarKinds.length)]! : 'honest'
    const isForged = () => random.below(1_000) < options.forgedShare * 1_000
    const partner = kind === 'pair' ? running.findLast((one) => one.kind === 'pair') : undefined
    const { clock } = world.world.machine('peer-0')
    const seen =
      kind === 'honest' ? undefined : liarWebs(kind, { isForged, sleep: () => clock.sleep(30_000) })
    const name = world.addVolunteer(number, { seen, beside: partner?.number })
    running.push({ name, number, kind })
  }
  while (running.length < options.volunteers) add()
  await world.world.advance(2_000)
  const startMs = world.world.simulation.nowMs
  for (let site = 0; site < options.sites; site++) {
    const urls = Array.from({ length: options.pages }, (_, page) => sites.url(site, page))
    world.crawl(`peer-${random.below(options.leaders)}`, urls)
  }
  while (world.pagesLeft > 0) {
    assert.ok(world.world.simulation.nowMs - startMs < 86_400_000, 'the crawl does not end')
    for (const one of [...running]) {
      if (random.below(1_000_000) >= (options.churnPerHour / 60) * 1_000_000) continue
      world.kill(one.name)
      running.splice(running.indexOf(one), 1)
      add()
    }
    await world.world.advance(60_000)
  }
  const minutes = Math.round((world.world.simulation.nowMs - startMs) / 60_000)
  const requestsOfCrawl = requestsOf(world)
  const isSettled = () => world.pagesLeft === 0 && world.leaders.every(({ desk }) => desk.openPages === 0)
  await world.world.until('second looks', isSettled, { stepMs: 10_000, msMax: settlingMsMax })
  world.web.checkPoliteness(delayMs)
  const kept = new Map(world.leaders.flatMap(({ kept }) => [...kept]))
  let wrong = 0
  for (const url of sites.urls) {
    const [, site, page] = /site-(\d+)\.example\/(\d+)$/.exec(url)!
    if (kept.get(url)?.body !== sites.body(Number(site), Number(page))) wrong++
  }
  const pages = sites.urls.length
  const requests = requestsOf(world)
  const forgers = new Set(
    running.filter(({ kind }) => kind === 'pair' || kind === 'forging').map((one) => one.name),
  )
  const views = world.leaders.flatMap(({ desk }) => desk.views())
  return {
    ...{ pages, requests, wrong, minutes },
    wasted: Math.round((1_000 * (requests - pages)) / requests) / 1_000,
    later: requests - requestsOfCrawl,
    own: world.web.arrivals.filter(({ peer, path }) => path !== '/robots.txt' && peer.startsWith('peer-'))
      .length,
    proven: views.filter(({ state }) => state === 'proven').length,
    provenForgers: views.filter(({ id, state }) => state === 'proven' && forgers.has(id)).length,
    barred: views.filter(({ state }) => state === 'barred').length,
    ...overdue.figures,
  }
}

/** Fails where the promise is broken. */
export function checkedTrust(figures: Record<string, number>): Record<string, number> {
  const { wrong = 0, pages = 0 } = figures
  assert.ok(
    wrong <= pages / 1_000,
    `pages that were not sent by their servers are kept: ${JSON.stringify(figures)}`,
  )
  return figures
}

function requestsOf({ web }: LendingWorld): number {
  return web.arrivals.filter(({ path }) => path !== '/robots.txt').length
}

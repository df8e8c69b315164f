// A campaign with volunteers: whole peers crawl a web with the help of many, of which some die and come anew, and some lie, each in its
// own way. In the end every page is what its server sent, no host was asked by two at once or too soon, and who forges is shut out.

import assert from 'node:assert/strict'
import { type NetworkStatus, type VolunteerStatus, volunteersOf } from '../../src/model/peer-status.ts'
import { usesMax } from '../../src/network/membership/invitation.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { OverdueBundles } from '../volunteers/overdue-bundles.ts'
import { LinkedSites } from './linked-sites.ts'
import { liarKinds, liarWebs } from './lying-web.ts'
import { type SimulatedVolunteer, WholeNetwork } from './whole-network.ts'

export interface VolunteerCampaignOptions {
  readonly volunteers: number
  /** Of them; every second one of these lies. */
  readonly liarShare: number
  /** Of all, that die in each minute and are replaced. */
  readonly churnPerMinute: number
  readonly sites: number
  readonly pages: number
}

const optionsDefault: VolunteerCampaignOptions = {
  volunteers: 12,
  liarShare: 0.25,
  churnPerMinute: 0.1,
  sites: 8,
  pages: 20,
}
/** As many as an archive of some size would have, and half of them leave within an hour. */
export const manyVolunteers: VolunteerCampaignOptions = {
  volunteers: 1_000,
  liarShare: 0.1,
  churnPerMinute: 0.5 / 60,
  sites: 30,
  pages: 800,
}
const delayMs = 1_000
const settlingMsMax = 1_800_000
/** For what is fetched anew after the last of these looks. */
const refetchMs = 300_000

export async function runVolunteerCampaign(
  seed: string,
  given: Partial<VolunteerCampaignOptions> = {},
): Promise<Record<string, number>> {
  const options = { ...optionsDefault, ...given }
  const random = new SimulatedRandom(`volunteers ${seed}`)
  const overdue = new OverdueBundles()
  const network = await WholeNetwork.start({ seed, peers: 3, delayMs, overhear: overdue.overhear })
  const sites = new LinkedSites(options)
  sites.serveOn(network.web)
  await network.settled()
  let invitation = ''
  const forgers = new Set<string>()
  const running: SimulatedVolunteer[] = []
  let count = 0
  const add = async () => {
    if (count % usesMax === 0) invitation = await network.inviteVolunteers(usesMax)
    const name = `volunteer-${count++}`
    const isLiar = random.below(1_000) < options.liarShare * 1_000
    const kind = isLiar ? liarKinds[random.below(liarKinds.length)]! : 'honest'
    const { clock } = network.world.machine(name)
    const isForged = () => random.below(2) === 0
    const seen =
      kind === 'honest' ? undefined : liarWebs(kind, { isForged, sleep: () => clock.sleep(30_000) })
    const beside =
      kind === 'pair' ? running.findLast(({ name: other }) => forgers.has(other))?.name : undefined
    const volunteer = await network.addVolunteer(name, { invitation, beside, seen })
    if (kind === 'forging' || kind === 'pair') forgers.add(name)
    running.push(volunteer)
  }
  while (running.length < options.volunteers) await add()
  const startMs = network.world.simulation.nowMs
  const { id } = await network.startJob('peer-0', [sites.start])
  for (let minute = 0; minute < 240; minute++) {
    const { state } = await network.job('peer-0', id)
    if (state === 'done') break
    for (const one of [...running]) {
      if (random.below(1_000) >= options.churnPerMinute * 1_000) continue
      network.killVolunteer(one.name)
      running.splice(running.indexOf(one), 1)
      await add()
    }
    await network.advance(60_000)
  }
  const { state } = await network.job('peer-0', id)
  assert.equal(state, 'done', 'the job has not ended')
  const minutes = Math.round((network.world.simulation.nowMs - startMs) / 60_000)
  // What nothing speaks for yet is looked at when the crawl is over.
  await network.until(
    'second looks',
    async () => {
      const open = (await volunteersAt(network)).reduce((sum, one) => sum + (one.open ?? 0), 0)
      return open === 0 || `${open} pages are open`
    },
    settlingMsMax,
  )
  await network.advance(refetchMs)
  network.web.checkPoliteness(delayMs)
  let wrong = 0
  for (const url of sites.urls) {
    const [, site, page] = /site-(\d+)\.example\/(\d+)$/.exec(url)!
    // One that is missing is as wrong as a forged one: what was forged hid the link to it.
    const shown = await network.read('peer-1', `/web/2030id_/${url}`).catch(() => '')
    if (String(shown) !== sites.body(Number(site), Number(page))) wrong++
  }
  assert.deepEqual(network.faults, [])
  const known = await volunteersAt(network)
  const pages = network.web.arrivals.filter(({ path }) => path !== '/robots.txt').length
  const figures = {
    pages: sites.urls.length,
    requests: pages,
    wasted: Math.round((1_000 * (pages - sites.urls.length)) / pages) / 1_000,
    byVolunteers: network.web.arrivals.filter(({ peer }) => peer.startsWith('volunteer')).length,
    wrong,
    barred: known.filter((one) => one.state === 'barred').length,
    started: count,
    minutes,
    ...overdue.figures,
  }
  const told = `${wrong} of ${sites.urls.length} pages are not what their servers sent: ${JSON.stringify(figures)}`
  assert.ok(wrong / sites.urls.length <= 0.001, told)
  return figures
}

async function volunteersAt(network: WholeNetwork): Promise<VolunteerStatus[]> {
  const { peers } = await network.ask<NetworkStatus>('peer-0', '/api/v1/status')
  return volunteersOf(peers.flatMap(({ status }) => status ?? []))
}

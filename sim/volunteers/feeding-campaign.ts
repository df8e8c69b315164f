// One peer and many volunteers, each with room for four hosts, and as many hosts as that: whether all of them have work, and pages come as
// fast as the pace of the hosts lets them. The desk, the volunteers and their messages are the real ones; processor time is not simulated.

import { LinkedSites } from '../peer/linked-sites.ts'
import { LendingWorld } from './lending-world.ts'

const hostsOfVolunteer = 4
const pages = 60
const delayMs = 1_000
const origins = { responseMsMin: 20, responseMsMax: 200 }

export async function runFeedingCampaign(seed: string, volunteers = 100): Promise<Record<string, number>> {
  const world = new LendingWorld({ seed, delayMs, origins })
  const sites = new LinkedSites({ sites: hostsOfVolunteer * volunteers, pages })
  sites.serveOn(world.web)
  const leader = await world.addLeader('peer-0')
  for (let number = 0; number < volunteers; number++) world.addVolunteer(number)
  await world.world.advance(2_000)
  const startMs = world.world.simulation.nowMs
  world.crawl('peer-0', sites.urls)
  await world.world.until('the last page', () => world.pagesLeft === 0, { stepMs: 1_000, msMax: 3_600_000 })
  world.web.checkPoliteness(delayMs)
  const asked = world.web.arrivals.filter(({ path }) => path !== '/robots.txt')
  const seconds = (Math.max(...asked.map(({ startMs: atMs }) => atMs)) - startMs) / 1_000
  const meanMs = (origins.responseMsMin + origins.responseMsMax) / 2
  const possible = (1_000 * sites.urls.length) / pages / (delayMs + meanMs)
  const rounded = (value: number) => Math.round(100 * value) / 100
  const rate = sites.urls.length / seconds
  return {
    ...{ volunteers, hosts: sites.urls.length / pages, pages: sites.urls.length },
    requests: asked.length,
    atWork: leader.desk.views().filter(({ fetched }) => fetched > 0).length,
    byVolunteers: rounded(asked.filter(({ peer }) => peer !== 'peer-0').length / asked.length),
    pagesPerSecond: rounded(rate),
    ofPossible: rounded(rate / possible),
  }
}

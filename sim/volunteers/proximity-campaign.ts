// A campaign in a world of three continents: a peer and some volunteers on each, sites everywhere, and each peer crawls some of all.
// What a page takes is compared with what it takes where the peer that crawls its site fetches it, and with whoever lies nearest.

import assert from 'node:assert/strict'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { LinkedSites } from '../peer/linked-sites.ts'
import { nearClaiming } from '../peer/lying-web.ts'
import { Continents, continentCount } from './continents.ts'
import { LendingWorld } from './lending-world.ts'

export interface ProximityOptions {
  /** Of each continent. */
  readonly volunteers: number
  /** On top, in each continent: volunteers that say that every site is next door. */
  readonly liars: number
  readonly sites: number
  readonly pages: number
  /** Of servers, on each continent. */
  readonly networks: number
}

const optionsDefault: ProximityOptions = { volunteers: 4, liars: 1, sites: 24, pages: 1_000, networks: 4 }
const delayMs = 1_000
const origins = { responseMsMin: 5, responseMsMax: 25 }
const hoursMax = 24

export interface ProximityFigures extends Record<string, number> {
  readonly requests: number
  /** Means of a request: where the owner of its site had made it, as it was, and where whoever lies nearest had. */
  readonly ownersMs: number
  readonly meanMs: number
  readonly bestMs: number
  readonly faster: number
  readonly beyondBest: number
  /** Of the second half, when it is known who is near. */
  readonly beyondBestLater: number
  /** Shares of the requests. */
  readonly byLiars: number
  readonly byOwners: number
}

/** All requests count, also second looks and what is tried to find out who is near. */
export async function runProximityCampaign(
  seed: string,
  given: Partial<ProximityOptions> = {},
): Promise<ProximityFigures> {
  const options = { ...optionsDefault, ...given }
  const random = new SimulatedRandom(`proximity ${seed}`)
  const geography = new Continents(random.fork('ways'), options.networks)
  const world = new LendingWorld({ seed, delayMs, origins: { ...origins, geography } })
  const names: string[] = []
  const place = (name: string, continent: number) => {
    geography.place(name, continent, world.world)
    names.push(name)
  }
  for (let count = 0; count < continentCount; count++) {
    place(`peer-${count}`, count)
    await world.addLeader(`peer-${count}`)
  }
  const sites = new LinkedSites(options)
  sites.serveOn(world.web)
  const ownerOf = new Map<string, string>()
  for (let site = 0; site < options.sites; site++) {
    geography.place(sites.host(site), site % continentCount)
    ownerOf.set(sites.host(site), `peer-${random.below(continentCount)}`)
  }
  const liars = new Set<string>()
  for (let count = 0; count < (options.volunteers + options.liars) * continentCount; count++) {
    const isLiar = count >= options.volunteers * continentCount
    const name = world.addVolunteer(count, isLiar ? { seen: nearClaiming } : {})
    place(name, count % continentCount)
    if (isLiar) liars.add(name)
  }
  await world.world.advance(2_000)
  for (const [host, owner] of ownerOf) {
    const urls = sites.urls.filter((url) => new URL(url).host === host)
    world.crawl(owner, urls)
  }
  await world.world.until('the last page', () => world.pagesLeft === 0, {
    stepMs: 5_000,
    msMax: hoursMax * 3_600_000,
  })
  world.web.checkPoliteness(delayMs)
  // robots.txt is for who crawls the site, before anybody can be chosen.
  const fetches = world.web.arrivals.filter(({ path }) => path !== '/robots.txt')
  const sums = { ms: 0, ownersMs: 0, bestMs: 0, laterMs: 0, laterBestMs: 0, byLiars: 0, byOwners: 0 }
  for (const [index, { peer, host, isFirst, serverMs }] of fetches.entries()) {
    const ways = isFirst ? 2 : 1
    const timeOf = (name: string) => ways * geography.distanceMs(name, host) + serverMs
    const bestMs = Math.min(...names.map(timeOf))
    sums.ms += timeOf(peer)
    sums.ownersMs += timeOf(ownerOf.get(host)!)
    sums.bestMs += bestMs
    if (index >= fetches.length / 2) {
      sums.laterMs += timeOf(peer)
      sums.laterBestMs += bestMs
    }
    if (liars.has(peer)) sums.byLiars++
    if (peer === ownerOf.get(host)) sums.byOwners++
  }
  return {
    requests: fetches.length,
    ownersMs: round(sums.ownersMs / fetches.length),
    meanMs: round(sums.ms / fetches.length),
    bestMs: round(sums.bestMs / fetches.length),
    faster: round(sums.ownersMs / sums.ms),
    beyondBest: round(sums.ms / sums.bestMs),
    beyondBestLater: round(sums.laterMs / sums.laterBestMs),
    byLiars: round(sums.byLiars / fetches.length),
    byOwners: round(sums.byOwners / fetches.length),
  }
}

/** Fails where the promise is broken. */
export function checkProximity(figures: ProximityFigures): ProximityFigures {
  const told = JSON.stringify(figures)
  assert.ok(
    figures.faster >= 2,
    `pages are not fetched twice as fast as by the owners of their sites: ${told}`,
  )
  assert.ok(figures.beyondBest <= 1.15, `pages take more than 1.15 times what they could: ${told}`)
  return figures
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

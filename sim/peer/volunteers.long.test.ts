// Whole peers with volunteers that fetch for them: who asks what, when, and what becomes of those that lie or die.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { NetworkStatus } from '../../src/model/peer-status.ts'
import { LinkedSites } from './linked-sites.ts'
import { forging } from './lying-web.ts'
import { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000
const delayMs = 1_000

async function started(seed: string, options: { sites: number; pages: number }) {
  const network = await WholeNetwork.start({ seed, peers: 3, delayMs })
  const sites = new LinkedSites(options)
  sites.serveOn(network.web)
  await network.settled()
  const invitation = await network.inviteVolunteers(20)
  return { network, sites, invitation }
}

async function crawled(network: WholeNetwork, sites: LinkedSites): Promise<void> {
  const { id } = await network.startJob('peer-0', [sites.start])
  await network.until(
    'the job',
    async () => {
      const job = await network.job('peer-0', id)
      return job.state === 'done' || job
    },
    3_600_000,
  )
}

async function checkAll(network: WholeNetwork, sites: LinkedSites): Promise<void> {
  for (const url of sites.urls) {
    const [, site, page] = /site-(\d+)\.example\/(\d+)$/.exec(url)!
    const shown = String(await network.read('peer-1', `/web/2030id_/${url}`))
    assert.equal(shown, sites.body(Number(site), Number(page)), url)
  }
}

test(
  'volunteers fetch what peers crawl, at the pace of its hosts, and their captures carry their name',
  async () => {
    const { network, sites, invitation } = await started('volunteers', { sites: 6, pages: 12 })
    const volunteers = []
    for (let count = 0; count < 3; count++)
      volunteers.push(await network.addVolunteer(`volunteer-${count}`, { invitation }))
    await network.advance(5_000)
    await crawled(network, sites)
    network.web.checkPoliteness(delayMs)
    await checkAll(network, sites)
    const byVolunteers = network.web.arrivals.filter(({ peer }) => peer.startsWith('volunteer'))
    assert.ok(
      byVolunteers.length >= sites.urls.length / 2,
      `${byVolunteers.length} of ${network.web.arrivals.length}`,
    )
    const status = await network.ask<NetworkStatus>('peer-0', '/api/v1/status')
    const known = status.peers.flatMap((peer) => peer.status?.volunteers ?? [])
    assert.deepEqual(
      [...new Set(known.map(({ id }) => id))].sort(),
      volunteers.map(({ peer }) => peer).sort(),
    )
    assert.deepEqual(network.faults, [])
    for (const { volunteer } of volunteers) assert.ok(volunteer.figures.pages > 0)
  },
  hangMs,
)

test(
  'a volunteer that forges is caught, shut out, and nothing of it is left; one that dies has its bundles taken up by others',
  async () => {
    const { network, sites, invitation } = await started('liars', { sites: 6, pages: 12 })
    await network.addVolunteer('volunteer-0', { invitation })
    await network.addVolunteer('volunteer-1', { invitation })
    const liar = await network.addVolunteer('liar', { invitation, seen: (web) => forging(web) })
    await network.advance(5_000)
    const { id } = await network.startJob('peer-0', [sites.start])
    await network.advance(20_000)
    network.killVolunteer('volunteer-1')
    await network.until(
      'the job',
      async () => (await network.job('peer-0', id)).state === 'done' || 'not yet',
      3_600_000,
    )
    network.web.checkPoliteness(delayMs)
    await checkAll(network, sites)
    const status = await network.ask<NetworkStatus>('peer-0', '/api/v1/status')
    const known = status.peers.flatMap((peer) => peer.status?.volunteers ?? [])
    const states = known.filter((one) => one.id === liar.peer && one.fetched > 0)
    assert.ok(states.length > 0 && states.every(({ state }) => state === 'barred'), JSON.stringify(known))
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

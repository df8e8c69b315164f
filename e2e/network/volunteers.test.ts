// Volunteers as people run them: three peers crawl a web with their help, one of them is killed, one lies.

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { withBuilt } from '../../bench/earlier-commit.ts'
import type { NetworkStatus } from '../../src/model/peer-status.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { breachesOf } from './arrivals.ts'
import { startNetworkAndWeb } from './network-and-web.ts'
import { NetworkOfPeers } from './network-of-peers.ts'
import { SitesProcess } from './sites-process.ts'
import { until } from './until.ts'
import { inviteVolunteers, startBadVolunteer, startVolunteer } from './volunteer-processes.ts'
import { tortureVolunteers } from './volunteers-torture.ts'

const minutes = 60_000
const delayMs = 200

test(
  'volunteers in their sandbox fetch for three peers, politely; the liar is found, and the dead one is missed by nobody',
  async () => {
    const origin = await SitesProcess.start({
      sites: 6,
      pages: 40,
      images: 2,
      seed: 'volunteers',
      latencyMs: 10,
    })
    onTestFinished(() => origin.stop())
    const words = ['--allow-address', '127.0.0.0/8', '--delay', String(delayMs)]
    const network = await NetworkOfPeers.start({ peers: 3, words }, new SimulatedRandom('volunteers'))
    onTestFinished(() => network.removeFolder())
    const [first] = network.peers
    const invitation = await inviteVolunteers(first!.home, 9)
    const address = `127.0.0.1:${network.ports[0]}`
    const homeOf = (name: string) => join(network.folder, name)
    const startOf = (name: string) => ({ home: homeOf(name), invitation, address })
    const honest = [
      await startVolunteer(startOf('volunteer-0')),
      await startVolunteer(startOf('volunteer-1')),
    ]
    const liar = await startBadVolunteer(startOf('liar'), 'forging')
    onTestFinished(() => {
      for (const { process } of [...honest, liar]) process.kill('SIGKILL')
    })

    // Its page is its owner's alone.
    const { page } = honest[0]!
    assert.equal((await fetch(new URL('/', page))).status, 403)
    const opened = await fetch(page!, { redirect: 'manual' })
    assert.equal(opened.status, 303)
    assert.equal((await fetch(page!, { redirect: 'manual' })).status, 403, 'the link is good once')
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    const shown = await (await fetch(new URL('/', page), { headers: { cookie } })).text()
    assert.match(shown, /Stop/)

    const { id } = await first!.startJob([origin.web.start])
    await until('some pages by each of the honest', async () => {
      const { volunteers = [] } = await first!.ask<NetworkStatus>('/api/v1/status')
      const hasFetched = ({ id }: { id: string }) =>
        volunteers.some((one) => one.id === id && one.fetched > 0)
      return honest.every(hasFetched) || JSON.stringify(volunteers)
    })
    honest[1]!.process.kill('SIGKILL')
    await until('the job', async () => {
      const { state } = await first!.job(id)
      return state === 'done' || state
    })
    assert.deepEqual(breachesOf(await origin.arrivals(), delayMs), [])
    // One that has brought nothing could not lie.
    await until('the liar to be found', async () => {
      const { volunteers = [] } = await first!.ask<NetworkStatus>('/api/v1/status')
      const told = new Map(volunteers.map((one) => [one.id, one]))
      assert.notEqual(told.get(honest[0]!.id)?.state, 'barred', JSON.stringify(volunteers))
      const lying = told.get(liar.id)
      return (lying?.fetched ?? 0) <= 1 || lying!.state === 'barred' || JSON.stringify(volunteers)
    })
    for (const url of origin.web.urls) {
      const listed = (await first!.listed(new URL(url).host)).filter((capture) => capture.url === url)
      assert.equal(listed.length, 1, `${url} is kept ${listed.length} times`)
      assert.doesNotMatch((await first!.read(listed[0]!)).toString('latin1'), /is true/, url)
    }
    // It keeps nothing but who it is.
    const files = await readdir(join(homeOf('volunteer-0'), 'volunteer'))
    assert.deepEqual(files.sort(), ['identity.key', 'network.json', 'spool'])
  },
  25 * minutes,
)

test(
  'some die, one lies, one is slow: all is kept once and true, and politely',
  async () => {
    const shape = { peers: 3, volunteers: 6, killed: 1, lying: 1, slow: 1, sites: 8, pages: 24 }
    const { failures, figures } = await tortureVolunteers({ ...shape, seed: 'small', tell: () => {} })
    assert.deepEqual(failures, [], JSON.stringify(figures))
  },
  25 * minutes,
)

test(
  'the volunteer of the package, a bundle that may read nothing but itself, fetches as that of a clone does',
  async () => {
    const { network, origin } = await startNetworkAndWeb({
      ...{ peers: 1, sites: 3, pages: 20, images: 1, seed: 'packaged volunteer', latencyMs: 10 },
    })
    const [peer] = network.peers
    const invitation = await inviteVolunteers(peer!.home, 1)
    const address = `127.0.0.1:${network.ports[0]}`
    await withBuilt(async (built) => {
      const start = { home: join(network.folder, 'volunteer'), invitation, address }
      const volunteer = await startVolunteer(start, built)
      onTestFinished(() => void volunteer.process.kill('SIGKILL'))
      const { id } = await peer!.startJob([origin.web.start])
      await until('the job', async () => {
        const { state } = await peer!.job(id)
        return state === 'done' || state
      })
      const { volunteers = [] } = await peer!.ask<NetworkStatus>('/api/v1/status')
      const [told] = volunteers
      assert.ok(told!.fetched > 0 && told!.state !== 'barred', JSON.stringify(volunteers))
      for (const url of origin.web.urls) {
        const listed = (await peer!.listed(new URL(url).host)).filter((capture) => capture.url === url)
        assert.equal(listed.length, 1, `${url} is kept ${listed.length} times`)
      }
      assert.equal((await fetch(new URL('/', volunteer.page))).status, 403)
      assert.equal((await fetch(volunteer.page!, { redirect: 'manual' })).status, 303)
    })
  },
  25 * minutes,
)

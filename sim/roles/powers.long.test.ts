// Roles of whole peers, cut in two and merged: a revocation on one side, other words on the other; and what a member may begin.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { statementOf } from '../../src/network/announcements/announcement.ts'
import { announcementsQuestion } from '../../src/network/announcements/questions.ts'
import { nameOf, startedBy, writeJobAnnouncement } from '../../src/network/jobs/job-announcement.ts'
import { LinkedSites } from '../peer/linked-sites.ts'
import { WholeNetwork } from '../peer/whole-network.ts'

const [home, second, third, other] = ['peer-0', 'peer-1', 'peer-2', 'peer-3'] as const
const hangMs = 300_000
/** Longer than it takes to come back to all. */
const outMs = 120_000

interface Roles {
  readonly peers: readonly { readonly peer: string; readonly role: string }[]
  readonly revoked: readonly string[]
  readonly settings: Readonly<Record<string, number>>
}

/** What is the same on all. */
async function rolesAt(network: WholeNetwork, name: string): Promise<Roles> {
  const { peers, revoked, settings } = await network.ask<Roles>(name, '/api/v1/network/roles')
  return { peers, revoked, settings }
}

function knownAt(network: WholeNetwork, name: string): Set<string> {
  const { known } = network.peer(name).home.ring!.view()
  return new Set(known.map(({ contact }) => contact.peer))
}

function say(network: WholeNetwork, by: string, words: Record<string, unknown>): Promise<unknown> {
  return network.post(by, '/api/v1/network/roles', words)
}

test('who is revoked behind a cut acts on, and is out on both sides once they meet, also after a restart', {
  timeout: hangMs,
}, async () => {
  const network = await WholeNetwork.start({ seed: 'cut', peers: 4, copies: 3, delayMs: 0 })
  await network.settled()
  const honest = [home, second, third]
  const [idSecond, idThird, idOther] = [second, third, other].map(
    (name) => network.peer(name).home.ring!.peer,
  )
  await say(network, home, { act: 'grant', peer: idThird, role: 'admin' })
  await say(network, home, { act: 'grant', peer: idOther, role: 'admin' })
  for (const name of network.names)
    await network.until(`${name} to know the administrators`, async () => {
      const { peers } = await rolesAt(network, name)
      return peers.filter(({ role }) => role === 'admin').length === 3 || peers
    })

  network.world.network.cut([home, second], [third, other])
  await say(network, home, { act: 'revoke', peer: idOther, reason: 'gone bad' })
  // On the other side both act: the one with a right that it keeps, the other with one that has ended.
  await say(network, third, { act: 'settings', jobPagesMax: 500 })
  await say(network, other, { act: 'grant', peer: idSecond, role: 'admin' })
  await network.until('the other side to believe it meanwhile', async () => {
    const { peers } = await rolesAt(network, third)
    return peers.some(({ peer, role }) => peer === idSecond && role === 'admin') || peers
  })
  assert(knownAt(network, third).has(idOther!))
  await network.advance(outMs)
  network.world.network.heal()

  const areRid = async () => {
    const states: Roles[] = []
    for (const name of honest) states.push(await rolesAt(network, name))
    const isSame = states.every((state) => JSON.stringify(state) === JSON.stringify(states[0]))
    const isOff = honest.every((name) => !knownAt(network, name).has(idOther!))
    return (isSame && isOff && states[0]!.revoked.length === 1) || states
  }
  await network.until('all to have put it out', areRid)
  const { peers, revoked, settings } = await rolesAt(network, third)
  assert.deepEqual(revoked, [idOther])
  assert.equal(settings.jobPagesMax, 500)
  assert.equal(peers.find(({ peer }) => peer === idSecond)?.role, 'curator')
  for (const name of [other, third]) {
    network.kill(name)
    await network.start(name)
  }
  await network.until('the others to be together', async () =>
    honest.every((name) => knownAt(network, name).size === honest.length),
  )
  await network.advance(outMs)
  assert.equal(await areRid(), true)
})

/** As a member would that does not ask itself whether it may. */
async function announceJob(network: WholeNetwork, by: string, seed: string): Promise<void> {
  const { home: opened, platform } = network.peer(by)
  const { signer, peer: self, services } = opened.ring!
  const options = { seeds: [seed], scope: 'any' as const, budgets: {} }
  const starter = startedBy({ self, sign: (statement) => signer.sign(statement) }, { options, run: 0 })
  const nowMs = Math.round(platform.clock.nowMs())
  const job = { options, run: 0, startedBy: starter, state: 'running' as const, isSeeded: false }
  const value = new Uint8Array(writeJobAnnouncement({ ...job, createdAtMs: nowMs }))
  const unsigned = { kind: 'job', name: nameOf(options), value, version: nowMs, peer: self }
  const announcements = [{ ...unsigned, signature: signer.sign(statementOf(unsigned)) }]
  const question = announcementsQuestion.encode({ kind: 'tell', announcements })
  for (const name of [home, second])
    await network.complete(
      services.service('notices').call(network.peer(name).home.ring!.peer, question, { deadlineMs: 5_000 }),
    )
}

test('a member begins no job beyond the size that the network has set, and a curator does', {
  timeout: hangMs,
}, async () => {
  const network = await WholeNetwork.start({ seed: 'jobs', peers: 3, copies: 3, delayMs: 0 })
  await network.settled()
  const idThird = network.peer(third).home.ring!.peer
  await say(network, home, { act: 'settings', jobPagesMax: 3 })
  await say(network, home, { act: 'grant', peer: idThird, role: 'member' })
  await network.until('the member to know it', async () => {
    const { peers, settings } = await rolesAt(network, third)
    const isMember = peers.some(({ peer, role }) => peer === idThird && role === 'member')
    return (isMember && settings.jobPagesMax === 3) || { peers, settings }
  })
  const sites = new LinkedSites({ sites: 1, pages: 5 })
  sites.serveOn(network.web)
  const begin = (name: string, pages?: number) =>
    network.post<{ id: string }>(name, '/api/v1/jobs', {
      seeds: [sites.start],
      scope: 'any',
      ...(pages !== undefined && { pages }),
    })
  for (const pages of [undefined, 4])
    await assert.rejects(begin(third, pages), /is for administrators .* and curators/)
  await announceJob(network, third, sites.start)
  await network.advance(outMs)
  assert.deepEqual(network.web.arrivals, [])
  for (const [name, pages] of [
    [third, 3],
    [second, undefined],
  ] as const) {
    const { id } = await begin(name, pages)
    await network.until('its job', async () => {
      const job = await network.job(name, id)
      return job.state === 'done' || job
    })
    assert.equal((await network.job(name, id)).counters.fetched, pages ?? sites.urls.length)
  }
})

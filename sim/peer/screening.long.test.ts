// Newcomers that have to prove themselves, as whole peers: without places they keep a spare copy, get places when those around them
// vouch for them, and lose them when they fade.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { crawledNetwork, hasCopies, shownBy, statusOf } from './crawled-network.ts'
import type { WholeNetwork } from './whole-network.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 900_000
const minuteMs = 60_000
const web = { sites: 40, pages: 1, peers: 3, patienceMs: 3_000 }
const audits = { bytesPerSecond: 1_000_000, roundMs: 15_000 }
const trusted = ['peer-0', 'peer-1', 'peer-2']

function isOnRingOf(network: WholeNetwork, peer: string, seenBy: string): boolean {
  const { known } = network.peer(seenBy).home.ring!.view()
  return known.some(({ contact }) => contact.peer === peer)
}

/** A peer that loses its places begins anew, and does not run for a moment. */
function isSpareNow(network: WholeNetwork, name: string): boolean {
  return network.peers.some((one) => one.name === name && one.home.ring!.isSpare)
}

test(
  'a newcomer has no places, keeps a spare copy, gets its places when it has proved itself, and loses them when it is gone',
  async () => {
    const { network, sites } = await crawledNetwork({ ...web, audits, seed: 'screening 3' })
    const invitation = await network.inviteNewcomers(2, minuteMs)
    const { name, home, store } = await network.add(invitation)
    const { peer } = home.ring!
    await network.advance(30_000)
    assert.equal(home.ring!.isSpare, true)
    for (const other of trusted) assert.equal(isOnRingOf(network, peer, other), false)
    assert.equal((await statusOf(network, 'peer-0')).peers.length, 3)
    // It shows all, though it keeps next to nothing.
    assert.equal((await shownBy(network, name, sites)).size, sites.urls.length)
    const captures = async () => (await network.complete(store.stat())).captures
    await network.until('spare copies', async () => (await captures()) > 0, 2 * minuteMs)
    assert.equal(home.ring!.isSpare, true)
    const isPlaced = async () => trusted.every((other) => isOnRingOf(network, peer, other))
    await network.until('its places', isPlaced, 10 * minuteMs)
    assert.equal(home.ring!.isSpare, false)
    await network.until('three copies', async () => hasCopies(await statusOf(network, 'peer-0'), 3))
    network.kill(name)
    const isBarred = (other: string) => network.peer(other).home.ring!.members.isBarred(peer)
    await network.until('it to be given up', async () => trusted.every(isBarred), 10 * minuteMs)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'restarts take nothing from a newcomer: neither its own nor those of who watch it; and one that comes back after it was given up has no places',
  async () => {
    const { network } = await crawledNetwork({ ...web, audits, seed: 'screening restarts' })
    const { name, home } = await network.add(await network.inviteNewcomers(2, 4 * minuteMs))
    const { peer } = home.ring!
    const isSpare = () => network.peer(name).home.ring!.isSpare
    const isPlaced = async () => trusted.every((other) => isOnRingOf(network, peer, other))
    await network.advance(2 * minuteMs)
    await network.stop(name)
    await network.start(name)
    for (const other of trusted) {
      network.kill(other)
      await network.start(other)
      await network.advance(30_000)
    }
    assert.equal(isSpare(), true)
    await network.until('its places', isPlaced, 15 * minuteMs)
    assert.equal(isSpare(), false)

    network.crash(name)
    await network.advance(5_000)
    await network.start(name)
    await network.until('its places after a restart', isPlaced, 2 * minuteMs)
    assert.equal(isSpare(), false)

    network.kill(name)
    const isBarred = (other: string) => network.peer(other).home.ring!.members.isBarred(peer)
    await network.until('it to be given up', async () => trusted.every(isBarred), 10 * minuteMs)
    await network.start(name)
    await network.until('it to know that', async () => isSpareNow(network, name), 2 * minuteMs)
    for (const other of trusted) assert.equal(isOnRingOf(network, peer, other), false)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'newcomers whom everybody with places has left go on together, until one of those comes back',
  async () => {
    const { network, sites } = await crawledNetwork({ ...web, audits, seed: 'screening abandoned' })
    const invitation = await network.inviteNewcomers(2, 10 * minuteMs)
    const names = [(await network.add(invitation)).name, (await network.add(invitation)).name]
    const spareOf = (name: string) => network.peer(name).home.ring!.isSpare
    const captures = (name: string) => network.complete(network.peer(name).store.stat())
    for (const name of names)
      await network.until('spare copies', async () => (await captures(name)).captures > 0, 5 * minuteMs)
    for (const name of trusted) network.remove(name)
    // How they find each other without those in between: their owners say so.
    for (const name of names) {
      await network.stop(name)
      await network.start(name)
    }
    assert.deepEqual(names.map(spareOf), [true, true])
    const peerOf = (name: string) => network.peer(name).home.ring!.peer
    const [first, second] = names as [string, string]
    const areTogether = async () =>
      isOnRingOf(network, peerOf(first), second) && isOnRingOf(network, peerOf(second), first)
    await network.until('them on one ring', areTogether, 40 * minuteMs)
    assert.deepEqual(names.map(spareOf), [false, false])
    const { id } = await network.startJob(first, [sites.start])
    await network.until('a job of theirs', async () => {
      const job = await network.job(first, id)
      return job.state === 'done' || job
    })
    assert.equal((await shownBy(network, second, sites)).size, sites.urls.length)

    const { home } = await network.start('peer-0')
    const areOnProbation = async () => names.every((name) => isSpareNow(network, name))
    await network.until('them to be on probation again', areOnProbation, 20 * minuteMs)
    for (const name of names) assert.equal(isOnRingOf(network, peerOf(name), 'peer-0'), false)
    assert.equal(home.ring!.isSpare, false)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

test(
  'a member that proved itself vouches for the next one, also where but one that was always trusted is left',
  async () => {
    const { network } = await crawledNetwork({ ...web, audits, seed: 'screening mixed' })
    const older = await network.add(await network.inviteNewcomers(1, minuteMs))
    const isOn = (peer: string) => async () => trusted.every((name) => isOnRingOf(network, peer, name))
    await network.until('places of the first', isOn(older.home.ring!.peer), 10 * minuteMs)
    for (const name of ['peer-1', 'peer-2']) network.remove(name)
    const younger = await network.add(await network.inviteNewcomers(1, minuteMs))
    const { peer } = younger.home.ring!
    await network.until(
      'places of the second',
      async () => ['peer-0', older.name].every((name) => isOnRingOf(network, peer, name)),
      20 * minuteMs,
    )
    assert.equal(younger.home.ring!.isSpare, false)
    assert.deepEqual(network.faults, [])
  },
  hangMs,
)

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { PolyhistorError } from '../../errors.ts'
import { parseRingKey, type RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { SiteLeadership } from './site-leadership.ts'
import { leadAnswers, leadQuestion } from './wire/questions.ts'

const site = parseRingKey('5'.repeat(40))
const members = ['owner', 'other', 'third']

/** Three members of one site; the ring names the first of them that is in `owners`. */
function opened() {
  const world = simulatedWorld({ seed: 1 })
  const placed = new Map<RingKey, PeerId>()
  const listeners = new Set<() => void>()
  const silent = new Set<PeerId>()
  const cannot = new Set<PeerId>()
  const asked: string[] = []
  let owner = 'owner'
  const peers = new Map<PeerId, SiteLeadership>()
  for (const self of members) {
    const { clock, random } = world.machine(self)
    const leadership = new SiteLeadership({
      self,
      clock,
      random,
      choice: {
        sites: () => placed.keys(),
        leaderOf: (one) => placed.get(one),
        onChange: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
      isOwner: () => self === owner,
      replicaSet: () => (self === owner ? [self, ...members.filter((peer) => peer !== self)] : undefined),
      ownerOf: async () => ({ peer: owner, upTo: site }),
      isMember: (peer) => members.includes(peer),
      isLed: (one) => !cannot.has(self) && leadership.leads(one),
      open: () => {},
      ask: async (peer, question) => {
        asked.push(`${self} ${peer} ${leadQuestion.decode(question).kind}`)
        if (silent.has(peer) || silent.has(self)) throw new PolyhistorError('silent', 'No answer', {})
        return peers.get(peer)!.answer(self, question)
      },
    })
    peers.set(self, leadership)
    leadership.start()
  }
  return {
    world,
    silent,
    cannot,
    asked,
    peer: (name: PeerId) => peers.get(name)!,
    place: (peer: PeerId | undefined) => {
      if (peer === undefined) placed.delete(site)
      else placed.set(site, peer)
      for (const listener of listeners) listener()
    },
    setOwner: (peer: PeerId) => {
      owner = peer
    },
    leaders: () => members.filter((name) => peers.get(name)!.leads(site)),
  }
}

test('a site that is placed at another member is crawled there, and by its owner again when it is not placed any more', async () => {
  const { world, peer, place, leaders } = opened()
  await world.advance(1_000)
  assert.deepEqual(leaders(), ['owner'])
  place('other')
  await world.advance(100)
  assert.deepEqual(leaders(), ['other'])
  assert.equal(peer('owner').placedAt(site), 'other')
  assert.deepEqual(peer('other').membersOf(site), ['other', 'owner', 'third'])
  assert.equal(peer('owner').membersOf(site), undefined)
  place('third')
  await world.advance(100)
  assert.deepEqual(leaders(), ['third'])
  place(undefined)
  await world.advance(100)
  assert.deepEqual(leaders(), ['owner'])
  place('stranger')
  await world.advance(100_000)
  assert.deepEqual(leaders(), ['owner'])
})

test('who is silent loses the site to its owner, and is asked again less and less often', async () => {
  const { world, silent, asked, place, leaders } = opened()
  place('other')
  await world.advance(100)
  silent.add('other')
  await world.advance(35_000)
  assert.deepEqual(leaders(), ['owner'])
  asked.length = 0
  await world.advance(600_000)
  assert(asked.length > 1 && asked.length < 8, String(asked.length))
  silent.clear()
  await world.advance(1_000_000)
  assert.deepEqual(leaders(), ['other'])
})

test('who cannot get the lease in time loses the site to its owner', async () => {
  const { world, cannot, place, leaders } = opened()
  cannot.add('other')
  place('other')
  await world.advance(60_000)
  assert.deepEqual(leaders(), ['other'])
  await world.advance(70_000)
  assert.deepEqual(leaders(), ['owner'])
})

test('another owner goes on with whoever crawls the site; without any, that one stops', async () => {
  const { world, silent, setOwner, place, leaders } = opened()
  place('other')
  await world.advance(1_000)
  setOwner('third')
  await world.advance(6_000)
  assert.deepEqual(leaders(), ['other'])
  silent.add('third')
  await world.advance(60_000)
  assert.deepEqual(leaders(), ['third'])
})

test('only the owner by the ring can have a site crawled elsewhere, by members, and take it back', async () => {
  const { world, peer, place, leaders } = opened()
  const lead = async (from: PeerId, named: readonly PeerId[]) => {
    const question = leadQuestion.encode({ kind: 'lead', sites: [{ site, members: named }] })
    return leadAnswers.decode(await world.complete(peer('other').answer(from, question)), 1)
  }
  assert.deepEqual(await lead('third', members), ['no'])
  assert.deepEqual(await lead('owner', ['owner', 'third']), ['no'])
  assert.deepEqual(await lead('owner', [...members, 'stranger']), ['no'])
  assert.deepEqual(leaders(), ['owner'])
  place('other')
  await world.advance(100)
  await world.complete(peer('other').answer('third', leadQuestion.encode({ kind: 'back', sites: [site] })))
  assert.deepEqual(leaders(), ['other'])
  peer('other').close()
  await world.advance(30_000)
  assert.deepEqual(leaders(), ['owner'])
})

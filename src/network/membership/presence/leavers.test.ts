import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { silentLog } from '../../../platform/log.ts'
import { AnnouncingPeers } from '../../replication/fixtures/announcing-peers.ts'
import { Leavers } from './leavers.ts'
import type { Departure } from './presence.ts'
import { leftKind } from './presence-announcements.ts'

/** Three that notice each other; `away` is whom all of them miss. */
async function three(away: readonly string[]) {
  const peers = new AnnouncingPeers(1)
  peers.kinds = [leftKind]
  await peers.start('peer-a-11111111', 'peer-b-22222222', 'peer-c-33333333')
  const left: string[] = []
  const departures = new Map<string, Departure | undefined>()
  const leavers = [...peers.peers].map(([self, announcements]) => {
    const { clock } = peers.world.machine(self)
    const places = {
      self,
      left: (peer: string, departure: Departure | undefined) => {
        departures.set(`${self} ${peer}`, departure)
        left.push(`${self} ${peer}`)
      },
      missed: () => away,
      nowMs: () => clock.nowMs(),
    }
    return new Leavers({ announcements, places, clock, log: silentLog })
  })
  for (const each of leavers) await peers.world.complete(each.begin())
  return { peers, leavers, left, departures }
}

describe('a peer that is forgotten', () => {
  test('is not waited for by anybody, and is named by the end of its id', async () => {
    const { peers, leavers, left } = await three(['peer-x-12345678'])
    assert.equal(await peers.world.complete(leavers[0]!.forget('12345678')), 'peer-x-12345678')
    await peers.world.advance(1_000)
    const heard = ['peer-a-11111111', 'peer-b-22222222', 'peer-c-33333333']
    assert.deepEqual(
      left.sort(),
      heard.map((name) => `${name} peer-x-12345678`),
    )
  })

  test('says that it is here, when it is', async () => {
    const { peers, leavers } = await three(['peer-b-22222222'])
    await peers.world.complete(leavers[0]!.forget('peer-b-22222222'))
    await peers.world.advance(1_000)
    assert.deepEqual(peers.values('left', 'peer-b-22222222'), new Set(['back']))
  })

  test('is not forgotten again by the same lie: its own word stands, and the lie is answered now and then only', async () => {
    const { peers, leavers, departures } = await three(['peer-b-22222222'])
    const [a] = peers.peers.values()
    let words = 0
    a!.onChange(({ peer }) => void (peer === 'peer-b-22222222' && words++))
    for (let lie = 0; lie < 20; lie++) {
      await peers.world.complete(leavers[0]!.forget('peer-b-22222222'))
      await peers.world.advance(10_000)
    }
    assert(words <= 2, `answered ${words} times`)
    await peers.world.advance(600_000)
    for (const self of ['peer-a-11111111', 'peer-c-33333333'])
      assert.equal(departures.get(`${self} peer-b-22222222`), undefined)
    const [ownWord] = [...a!.named('left', 'peer-b-22222222')].filter(
      ({ peer }) => peer === 'peer-b-22222222',
    )
    assert.equal(Buffer.from(ownWord!.value).toString(), 'back')
  })

  test.each([
    ['peer-a-11111111', /No peer peer-a-11111111 is away/],
    ['5678', /No peer 5678 is away.*peer-x-12345678, peer-y-12345678/],
    ['12345678', /Several peers that are away end in 12345678/],
  ])('must be away, and one only: %s', async (name, message) => {
    const { leavers } = await three(['peer-x-12345678', 'peer-y-12345678'])
    await assert.rejects(leavers[0]!.forget(name), { code: 'peer-not-away', message })
  })
})

test('who leaves does not say that it is here', async () => {
  const { peers, leavers } = await three([])
  await peers.world.complete(leavers[1]!.leave())
  await peers.world.advance(1_000)
  assert.deepEqual(peers.values('left', 'peer-b-22222222'), new Set(['gone']))
})

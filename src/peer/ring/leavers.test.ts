import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { NoticingPeers } from '../../replica/fixtures/noticing-peers.ts'
import { silentLog } from '../../world/log.ts'
import { Leavers } from './leavers.ts'

/** Three that notice each other; `away` is whom all of them miss. */
async function three(away: readonly string[]) {
  const peers = new NoticingPeers(1)
  await peers.start('peer-a-11111111', 'peer-b-22222222', 'peer-c-33333333')
  const left: string[] = []
  const leavers = [...peers.peers].map(([self, notices]) => {
    const places = {
      self,
      left: (peer: string) => left.push(`${self} ${peer}`),
      away: () => away.map((peer) => ({ peer, sinceMs: 0, untilMs: 1 })),
    }
    return new Leavers({ notices, places, log: silentLog })
  })
  return { peers, leavers, left }
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

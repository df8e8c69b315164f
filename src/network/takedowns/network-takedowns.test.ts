import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import type { TakedownTarget } from '../../store/takedowns/takedowns.ts'
import { AnnouncingPeers } from '../replication/fixtures/announcing-peers.ts'
import { everyMember } from '../roles/role-authority.ts'
import { NetworkTakedowns } from './network-takedowns.ts'
import { takedownKind } from './takedown-announcement.ts'

const target: TakedownTarget = { kind: 'site', site: 'a.test' }

/** Three peers that are there, and one that is away. */
async function network(): Promise<{ peers: AnnouncingPeers; takedowns: NetworkTakedowns }> {
  const peers = new AnnouncingPeers(21, { compareMs: 1e9 })
  peers.kinds = [takedownKind]
  await peers.start('a', 'b', 'c')
  const takedowns = new NetworkTakedowns({
    announcements: peers.peers.get('a')!,
    store: { takedown: async () => 3, takedowns: () => [] },
    places: { peers: () => ['b', 'c'], members: () => ['b', 'c', 'away'] },
    log: silentLog,
  })
  await takedowns.open()
  return { peers, takedowns }
}

describe('a takedown on a network', () => {
  test('that all who are there have heard names those who are away', async () => {
    const { peers, takedowns } = await network()
    const outcome = await peers.world.complete(takedowns.takedown(target, 'asked for'))
    assert.deepEqual(outcome, { captures: 3, unheard: ['away'] })
  })

  test('names those who did not confirm it when it gives up waiting', async () => {
    const { peers, takedowns } = await network()
    peers.world.network.cut(['a'], ['c'])
    const outcome = await peers.world.complete(takedowns.takedown(target, 'asked for'))
    assert.deepEqual(outcome, { captures: 3, unheard: ['c', 'away'] })
  })
})

describe('where what is final takes two administrators', () => {
  test('one hides, and nothing is destroyed before a second one says the same', async () => {
    const peers = new AnnouncingPeers(22, { compareMs: 1e9 })
    peers.kinds = [takedownKind]
    await peers.start('a', 'b', 'c')
    const held = new Map<string, boolean | undefined>()
    const settings = { threshold: 2, takedownSignatures: 1, takedownDelayMs: 0, jobPagesMax: 0 }
    const authority = { ...everyMember, settings, isNow: (peer: string) => peer !== 'c' }
    const opened = ['a', 'b', 'c'].map((self) => {
      const store = {
        takedown: async (_target: TakedownTarget, _reason: string, options?: { isHeld?: boolean }) => {
          held.set(self, options?.isHeld)
          return 1
        },
        takedowns: () => [],
      }
      const announcements = peers.peers.get(self)!
      return new NetworkTakedowns({ announcements, store, authority, self, log: silentLog })
    })
    for (const takedowns of opened) await takedowns.open()
    const [a, b, c] = opened as [NetworkTakedowns, NetworkTakedowns, NetworkTakedowns]
    const states = async () => {
      await peers.world.advance(5_000)
      return ['a', 'b', 'c'].map((name) => held.get(name))
    }
    await peers.world.complete(a.takedown(target, 'asked for'))
    assert.deepEqual(await states(), [true, true, true])
    await peers.world.complete(c.takedown(target, 'a curator, too'))
    assert.deepEqual(await states(), [true, true, true])
    await peers.world.complete(b.takedown(target, 'asked for'))
    assert.deepEqual(await states(), [false, false, false])
    await peers.world.complete(b.release(target, 'after all not'))
    assert.deepEqual(await states(), [true, true, true])
  })
})

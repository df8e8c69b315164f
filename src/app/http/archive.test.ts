import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openStore } from '../../store/fixtures/open-store.ts'
import { pageCapture } from '../../store/fixtures/sample-captures.ts'
import type { TakedownTarget } from '../../store/takedowns/takedowns.ts'
import { PeerArchive } from './archive.ts'

const site: TakedownTarget = { kind: 'site', site: 'a.example' }

test('a release goes by the network, whose members may still hide it; --now has no way back here', async () => {
  const store = await openStore({ takedownUndoMs: 60_000 })
  await store.append(pageCapture('http://a.example/', 0, 'page'))
  let isHiddenByOthers = true
  const network = {
    takedown: async (target: TakedownTarget, reason: string) => ({
      captures: await store.takedown(target, reason),
      unheard: ['silent'],
    }),
    destroy: async (target: TakedownTarget, reason: string) => ({
      captures: await store.takedown(target, reason, { isNow: true }),
      unheard: ['silent'],
    }),
    release: async (target: TakedownTarget) => {
      if (!isHiddenByOthers) await store.release(target)
    },
  }
  const archive = new PeerArchive({ store, takedowns: network } as never, [])
  await assert.rejects(archive.release(site, ''), { code: 'store-not-found' })
  assert.deepEqual(await archive.takedown(site, ''), { captures: 1, unheard: ['silent'] })
  assert.deepEqual(await archive.release(site, ''), { captures: 0, isHidden: true })
  isHiddenByOthers = false
  assert.deepEqual(await archive.release(site, ''), { captures: 1, isHidden: false })
  assert.deepEqual(await archive.destroy(site, ''), { captures: 1, unheard: ['silent'] })
  await assert.rejects(archive.release(site, ''), { code: 'store-takedown-final' })
})

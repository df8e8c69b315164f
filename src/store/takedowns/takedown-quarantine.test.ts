// Takedowns that are none, at every entrance and wherever they are stored.

import assert from 'node:assert/strict'
import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import { localWorld } from '../../platform/real/local-world.ts'
import { openStore } from '../fixtures/open-store.ts'
import { pageCapture, sampleOptions } from '../fixtures/sample-captures.ts'
import { StoreIndex } from '../index/store-index.ts'
import { rebuildIndex } from '../rebuild/rebuild.ts'
import type { Store } from '../store.ts'
import type { TakedownTarget } from './takedowns.ts'

const start = Date.UTC(2024, 0, 1)
const page = 'http://good.example/'

const targets: Record<string, unknown> = {
  null: null,
  nothing: undefined,
  all: { kind: 'all' },
  'all with a URL': { kind: 'all', url: page },
  'a host': { kind: 'host', host: 'good.example', url: page },
  'an unknown kind': { kind: 'planet', url: page },
  'a site that is a number': { kind: 'site', site: 5 },
  'a site that is empty': { kind: 'site', site: '' },
  'a site that is none': { kind: 'site', site: 'good.example/with/a/path' },
  'a site of 400 kB': { kind: 'site', site: 'a'.repeat(400_000) },
  'a URL that is missing': { kind: 'url' },
  'a URL that is a number': { kind: 'url', url: 5 },
  'a URL that does not parse': { kind: 'prefix', url: 'http://[' },
  'a URL of 400 kB': { kind: 'url', url: `${page}${'a'.repeat(400_000)}` },
  'a list': [{ kind: 'url', url: page }],
}

async function filled(): Promise<Store> {
  const store = await openStore()
  await store.append(pageCapture(page, start, 'kept'))
  await store.append(pageCapture('http://bad.example/', start, 'hidden'))
  await store.takedown({ kind: 'site', site: 'bad.example' })
  return store
}

/** The page is there, the takedown that is one still hides, and the store tells of the others. */
async function checkOpens(folder: string, quarantined: number): Promise<void> {
  const store = await openStore({}, folder)
  assert.equal([...store.versions(parseUrl(page))].length, 1)
  assert.deepEqual(
    [...store.takedowns()].map(({ target }) => target),
    [{ kind: 'site', site: 'bad.example' }],
  )
  assert.ok(store.isTakenDown(parseUrl('http://bad.example/')))
  assert.equal((await store.stat()).quarantinedTakedowns, quarantined)
  assert.deepEqual(await store.checkIndex(), [])
  await store.takedown({ kind: 'url', url: 'http://other.example/' })
  await store.close()
}

describe('a takedown that is none', () => {
  for (const [name, target] of Object.entries(targets)) {
    test(`(${name}) is refused`, async () => {
      const store = await filled()
      await assert.rejects(store.takedown(target as TakedownTarget), { code: 'store-bad-target' })
      assert.equal([...store.scan({ kind: 'all' })].length, 1)
    })

    test(`(${name}) is set aside when it was stored`, async () => {
      const store = await filled()
      await store.close()
      const poison = JSON.stringify({ target, atMs: start, reason: '', isDone: false })
      await appendFile(join(store.folder, 'takedowns.jsonl'), `${poison}\n`)
      const map = await localWorld().keyValues.open(join(store.folder, 'index'), { hasJournal: true })
      const index = new StoreIndex(map, store.folder)
      await index.changeForGood(() => {
        index.takedowns.put(Buffer.from('poison'), Buffer.from(poison))
      })
      await map.close()
      await checkOpens(store.folder, 1)
    })
  }

  test('has a reason of any size, and is refused for it', async () => {
    const store = await filled()
    for (const reason of ['a'.repeat(10_000), 5 as unknown as string])
      await assert.rejects(store.takedown({ kind: 'url', url: page }, reason), { code: 'store-bad-target' })
  })

  test('is survived by a rebuild of the index, and by one without the index', async () => {
    const store = await filled()
    await store.close()
    const lines = [{ target: { kind: 'planet' } }, null, 5, [], { atMs: 3 }].map((line) =>
      JSON.stringify(line),
    )
    await appendFile(join(store.folder, 'takedowns.jsonl'), `${lines.join('\n')}\n`)
    const { indexBytesMax, volumeBytesMax } = sampleOptions
    await rebuildIndex(localWorld(), store.folder, { indexBytesMax, volumeBytesMax })
    await checkOpens(store.folder, 5)
    const kept = await readFile(join(store.folder, 'takedowns.quarantine.jsonl'), 'utf8')
    assert.equal(kept.trimEnd().split('\n').length, 5)
    assert.ok(!(await readFile(join(store.folder, 'takedowns.jsonl'), 'utf8')).includes('planet'))
    await rm(join(store.folder, 'takedowns.quarantine.jsonl'))
    const again = await openStore({}, store.folder)
    assert.equal((await again.stat()).quarantinedTakedowns, 0)
  })

  test('is not a line that a crash tore: that was never acknowledged', async () => {
    const store = await filled()
    await store.close()
    await appendFile(join(store.folder, 'takedowns.jsonl'), '{"target":{"kind":"url","ur')
    await checkOpens(store.folder, 0)
  })

  test('with a reason that is too long still hides, where it was stored', async () => {
    const store = await filled()
    await store.close()
    const line = {
      target: { kind: 'url', url: 'http://long.example/' },
      atMs: start,
      reason: 'a'.repeat(9_000),
    }
    await appendFile(join(store.folder, 'takedowns.jsonl'), `${JSON.stringify(line)}\n`)
    const again = await openStore({}, store.folder)
    assert.ok(again.isTakenDown(parseUrl('http://long.example/')))
  })
})

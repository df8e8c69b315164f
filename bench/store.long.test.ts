import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { describe, onTestFinished, test } from 'vitest'
import { gzip, zstd } from '../src/formats/warc/compression/compression.ts'
import { measureMillion } from './store/million.ts'
import { measureModes } from './store/modes.ts'
import { measureOperations } from './store/operations.ts'
import { page, pageBytes } from './store/page.ts'
import { Scene } from './store/scene.ts'
import { crawlsOf, measureSpace } from './store/space.ts'
import { measureVolumes } from './store/volumes.ts'

function scene(): { scene: Scene; lines: string[] } {
  const lines: string[] = []
  const scene = new Scene({ treeFolders: 4, dropsPageCache: false, print: (text) => lines.push(text) })
  onTestFinished(() => scene.end())
  return { scene, lines }
}

test('pages are distinct, of one size, and compress about four times', () => {
  const pages = Array.from({ length: 20 }, (_, number) => page(number))
  assert.ok(pages.every((bytes) => bytes.length === pageBytes))
  assert.equal(new Set(pages.map((bytes) => bytes.toString())).size, 20)
  assert.deepEqual(page(7), pages[7])
  const times = (20 * pageBytes) / pages.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)
  assert.ok(times > 3.5 && times < 4.5, `${times} times`)
})

describe('the experiments', () => {
  test('store, retrieve and delete give a rate for all sides, and leave nothing behind', async () => {
    const { scene: place, lines } = scene()
    const plan = { pages: 30, portion: 20, rounds: 2, callers: [1, 5] }
    const results = await measureOperations(place, plan)
    assert.equal(results.length, 2 * 5)
    assert.ok(results.every(({ perSecond }) => Object.values(perSecond).every((rate) => rate > 0)))
    const stored = results.filter(({ operation }) => operation === 'store')
    assert.ok(stored.every(({ processorUs }) => processorUs.store > 0 && processorUs.floor > 0))
    assert.match(lines.join('\n'), /store duplicate +30 +5 .* ≥ 10 × /)
    // All objects were deleted: they can be put again.
    const tree = await place.tree()
    await tree.put(0, page(0))
    assert.deepEqual(await tree.get(0), page(0))
  })

  test('modes keep duplicates once, or every time', async () => {
    const plan = { pages: 10, rounds: 1, callers: 3, duplicatePercents: [0, 50, 100] }
    const results = await measureModes(scene().scene, plan)
    assert.deepEqual(
      results.map(({ contents }) => [contents.regular, contents.compare, contents['force-new']]),
      [
        [10, 10, 10],
        [10, 10, 15],
        [10, 10, 20],
      ],
    )
  })

  test('volumes put every page into one of the folders', async () => {
    const plan = { pages: 24, rounds: 1, callers: 4, folderCounts: [1, 3] }
    const results = await measureVolumes(scene().scene, plan)
    assert.deepEqual(
      results.map(({ folders, choice, folderBytes }) => [folders, choice, folderBytes.length]),
      [
        [1, 'store', 1],
        [1, 'caller', 1],
        [3, 'store', 3],
        [3, 'caller', 3],
      ],
    )
    const byCaller = results.at(-1)!.folderBytes
    assert.ok(Math.min(...byCaller) > 0.8 * Math.max(...byCaller), `${byCaller}`)
  })

  test('space counts the same captures on every side', async () => {
    const plan = { pages: 40, crawls: 6, changedPercent: 5, compressions: [gzip, zstd] }
    const [full, revisits, ...stores] = await measureSpace(scene().scene, plan)
    assert.equal(stores.length, 2)
    assert.ok(revisits!.warcBytes < full!.warcBytes / 3)
    for (const store of stores) assert.ok(store.warcBytes < revisits!.warcBytes, store.name)
    const [, [, before], [, after]] = [...crawlsOf(plan)] as [
      unknown,
      [0, { body: Buffer }[]],
      [0, { body: Buffer }[]],
    ]
    assert.equal(before.filter(({ body }, i) => !body.equals(after[i]!.body)).length, 2)
  })

  test('a million, but fewer, are all found again', async () => {
    const plan = { captures: 400, crawls: 4, sites: 7, callers: 20, looks: [100, 400], lookups: 50 }
    const result = await measureMillion(scene().scene, plan)
    assert.deepEqual(
      result.looks.map(({ captures }) => captures),
      [100, 400],
    )
    assert.ok(result.versionsP50Ms <= result.versionsP99Ms)
    assert.ok(result.indexBytesPerCapture > 0)
  })
})

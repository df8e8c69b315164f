import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { localWorld } from '../platform/real/local-world.ts'
import { simulatedWorld } from '../platform/simulated/world.ts'
import { openStore } from './fixtures/open-store.ts'
import { pageCapture } from './fixtures/sample-captures.ts'
import { checkFormat } from './format-mark.ts'

const folder = '/home/somebody/archive/store'

describe('the format mark', () => {
  test('is there after a power cut, and so are the folders above it', async () => {
    for (let seed = 0; seed < 30; seed++) {
      const world = simulatedWorld({ seed })
      const machine = world.machine('a')
      await world.complete(checkFormat(machine, folder))
      machine.crash()
      machine.restart()
      assert.notEqual(
        await world.complete(machine.disk.stat(`${folder}/format.json`)),
        undefined,
        `seed ${seed}`,
      )
      await world.complete(checkFormat(machine, folder))
    }
  })

  test('is whole or not there when the power goes while it is made', async () => {
    for (let seed = 0; seed < 100; seed++) {
      const world = simulatedWorld({ seed })
      const machine = world.machine('a')
      void checkFormat(machine, folder)
      await world.advance(world.random.between(0, 12))
      machine.crash()
      machine.restart()
      await world.complete(checkFormat(machine, folder))
    }
  })

  test.each([
    ['{"program":"polyhistor","format":2}', /has format 2, and this version knows format 1/],
    ['{"program":"another","format":1}', /is not a store of this program/],
    ['{"program":"poly', /format.json is damaged, and no volume/],
  ])('%s is refused', async (text, message) => {
    const world = simulatedWorld({ seed: 1 })
    const { disk } = world.machine('a')
    const write = async (): Promise<void> => {
      await disk.makeFolder(folder)
      const file = await disk.open(`${folder}/format.json`, 'create')
      await file.write(0, Buffer.from(text))
    }
    await world.complete(write())
    await assert.rejects(world.complete(checkFormat({ disk }, folder)), {
      code: 'store-unknown-format',
      message,
    })
  })

  test.each(['', '{"program":"poly', '\0'.repeat(40), '7'])(
    '%j is written anew where volumes are ours',
    async (text) => {
      const store = await openStore()
      await store.append(pageCapture('http://a.test/', 1_000, 'page'))
      await store.close()
      const path = join(store.folder, 'format.json')
      const before = await readFile(path, 'utf8')
      await writeFile(path, text)
      const warnings: string[] = []
      const log = { ...silentLog, warn: (_: object, sentence: string) => warnings.push(sentence) }
      const again = await openStore({}, store.folder, { ...localWorld(), log })
      assert.equal([...again.scan({ kind: 'all' })].length, 1)
      assert.equal(await readFile(path, 'utf8'), before)
      assert.match(warnings.join(), /format mark of the store was damaged/)
    },
  )
})

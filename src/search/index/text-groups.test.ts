// Texts of documents by the group: each is found by its document, however large it is and whichever others were removed.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { SimulatedKeyValues } from '../../platform/simulated/key-value.ts'
import { Simulation } from '../../platform/simulated/simulation.ts'
import { putTexts, removeText, textAt } from './text-groups.ts'

const sizes = [0, 1, 300, 900, 1_400, 3_000, 20_000]
const documents = Array.from({ length: 60 }, (_, number) => 5 + 3 * number)

function textOf(document: number): Uint8Array {
  return new Uint8Array(sizes[document % sizes.length]!).fill(document)
}

test('a text is found by its document alone, and what is removed is gone whole', () => {
  const simulation = new Simulation({ seed: 1 })
  return simulation.complete(
    (async () => {
      const map = await new SimulatedKeyValues({ simulation }).mount().open('/texts')
      const table = map.table('texts')
      const [early, late] = [documents.slice(0, 40), documents.slice(40)]
      for (const some of [early, late])
        await map.transaction(() =>
          putTexts(
            table,
            some.map((document) => [document, textOf(document)]),
          ),
        )
      assert([...table.range()].length < documents.length / 2)
      // Peers ask for what a message can name, which is more than there is.
      assert.equal(textAt(table, 2 ** 48 - 1), undefined)
      const removed = new Set<number>()
      for (const document of documents.toSorted((one, other) => (one % 7) - (other % 7))) {
        for (const each of documents)
          assert.deepEqual(
            textAt(table, each) && Buffer.from(textAt(table, each)!),
            removed.has(each) ? undefined : Buffer.from(textOf(each)),
          )
        assert.equal(textAt(table, document + 1), undefined)
        await map.transaction(() => removeText(table, document))
        removed.add(document)
      }
      assert.deepEqual([...table.range()], [])
      await map.close()
    })(),
  )
})

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { Quickness } from './quickness.ts'

const slow = (): string => {
  const startMs = performance.now()
  while (performance.now() - startMs < 1);
  return 'at once'
}

/** How many are left to threads until the next is asked at once. */
async function threadTurns(quickness: Quickness): Promise<number> {
  let turns = 0
  while (!quickness.isQuick) {
    assert.equal(await quickness.ask(slow, async () => 'by thread'), 'by thread')
    assert.ok(++turns < 1_000, 'nothing is asked at once again')
  }
  return turns
}

describe('questions to the operating system', () => {
  test('are asked at once until an answer takes long', async () => {
    const quickness = new Quickness()
    assert.ok(quickness.isQuick)
    assert.equal(
      quickness.ask(slow, async () => 'by thread'),
      'at once',
    )
    assert.ok(!quickness.isQuick)
    assert.ok((await threadTurns(quickness)) > 0)
    assert.ok(quickness.isQuick)
  })

  test('are left to threads for longer the longer it stays slow, and not for ever', async () => {
    const quickness = new Quickness()
    const turns: number[] = []
    for (let round = 0; round < 8; round++) {
      quickness.ask(slow, async () => 'by thread')
      turns.push(await threadTurns(quickness))
    }
    assert.deepEqual(turns, [4, 8, 16, 32, 64, 64, 64, 64])
  })
})

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { RealSideWork } from './side-work.ts'

const module = new URL('../fixtures/side-module.ts', import.meta.url)
let side: RealSideWork
beforeEach(() => {
  side = new RealSideWork(module)
})
afterEach(() => side.close())

async function said(word: string, fits = true): Promise<string | undefined> {
  const output = await side.run({
    fill: (memory) => (fits ? memory.write(word) : undefined),
    here: () => (word.startsWith('nowhere') ? undefined : Buffer.from(`${word} here`)),
  })
  return output && Buffer.from(output).toString()
}

/** Many at a time, again and again until the thread has taken part. */
async function company(): Promise<void> {
  for (let round = 0; ; round++) {
    assert.ok(round < 100_000, 'the thread never took part')
    const words = Array.from({ length: 30 }, (_, place) => `${round}-${place}`)
    const answers = await Promise.all(words.map((word) => said(word)))
    let there = 0
    for (const [place, answer] of answers.entries()) {
      if (answer === `${words[place]} there`) there++
      else assert.equal(answer, `${words[place]} here`)
    }
    if (there > 0) return
    await new Promise((done) => setImmediate(done))
  }
}

describe('work that is shared with a thread beside this one', () => {
  test('is done here for who comes alone', async () => {
    for (let round = 0; round < 1_000; round++) assert.equal(await said('one'), 'one here')
    assert.equal(await said('nowhere'), undefined)
  })

  test('is done by both for many, and everyone gets the own answer', async () => {
    await company()
    for (let round = 0; round < 50; round++) {
      const words = Array.from({ length: 40 }, (_, place) => `${round} `.repeat(place))
      const answers = await Promise.all(words.map((word) => said(word)))
      for (const [place, answer] of answers.entries())
        assert.ok(answer === `${words[place]} there` || answer === `${words[place]} here`, String(answer))
    }
  })

  test('is done here where the thread cannot', async () => {
    await company()
    for (const word of ['cannot', 'throws']) {
      const answers = await Promise.all(Array.from({ length: 40 }, (_, place) => said(`${word} ${place}`)))
      assert.deepEqual(
        answers,
        answers.map((_, place) => `${word} ${place} here`),
      )
    }
    const large = await Promise.all(Array.from({ length: 40 }, () => said('large', false)))
    assert.deepEqual(new Set(large), new Set(['large here']))
  })

  test('is done here when the thread dies, and by another later', async () => {
    await company()
    const answers = await Promise.all(Array.from({ length: 40 }, (_, place) => said(`dies ${place}`)))
    assert.deepEqual(
      answers,
      answers.map((_, place) => `dies ${place} here`),
    )
    await company()
  })

  test('that is under way is done when it is closed, and so is what comes later', async () => {
    await company()
    const asked = Promise.all(Array.from({ length: 40 }, (_, place) => said(String(place))))
    await new Promise((done) => process.nextTick(done))
    await side.close()
    for (const [place, answer] of (await asked).entries()) assert.match(answer!, new RegExp(`^${place} `))
    assert.equal(await said('late'), 'late here')
  })
})

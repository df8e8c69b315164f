import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { gathered, wholeIfShort } from './answers.ts'

const piece = 'x'.repeat(20_000)

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('a list', () => {
  test('that is short is sent whole, so that its length can be told', async () => {
    const body = await wholeIfShort(gathered(['some ', 'lines']))
    assert.ok(body instanceof Uint8Array)
    assert.equal(Buffer.from(body).toString(), 'some lines')
    assert.deepEqual(await wholeIfShort(gathered([])), new Uint8Array())
  })

  test('that is long is streamed, with nothing left out or said twice', async () => {
    const texts = Array.from({ length: 7 }, (_, index) => `${index}${piece}`)
    const body = await wholeIfShort(gathered(texts))
    assert.ok(typeof body === 'object' && Symbol.asyncIterator in body)
    assert.equal(await textOf(body), texts.join(''))
  })

  test('that nobody begins to read ends what it is read from', async () => {
    let isOpen = true
    const texts = function* () {
      try {
        for (;;) yield piece
      } finally {
        isOpen = false
      }
    }
    const body = (await wholeIfShort(gathered(texts()))) as AsyncIterable<Uint8Array>
    assert.ok(isOpen)
    await body[Symbol.asyncIterator]().return?.()
    assert.equal(isOpen, false)
  })
})

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { AnswerHeads } from './answer-heads.ts'

test('what is remembered holds no more memory than it needs', () => {
  const block = Buffer.alloc(64 * 1024, 7)
  const heads = new AnswerHeads()
  const content = { digest: { algorithm: 'sha256', bytes: block.subarray(100, 132) }, overflow: 0 } as const
  heads.put('1', { head: block.subarray(200, 300), content, refersTo: undefined, isBroken: false })
  const kept = heads.get('1')!
  assert.deepEqual(Buffer.from(kept.content.digest.bytes), content.digest.bytes)
  assert.equal(kept.content.digest.bytes.buffer.byteLength, 32)
  assert.equal(kept.head!.buffer.byteLength, 100)
})

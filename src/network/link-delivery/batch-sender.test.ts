import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../../model/url/url.ts'
import { simulatedCompressor } from '../../platform/simulated/compressor.ts'
import { BatchSender } from './batch-sender.ts'
import { allAccepted } from './link-sink.ts'
import { batchAnswer } from './wire/answer-coding.ts'

const { href, ringKey } = parseUrl('http://example.com/')
const entry = {
  key: Buffer.alloc(1),
  ringKey,
  links: [{ href, kind: 'navigation', jobId: 'a', depth: 1 }],
}

/** What a batch sender makes of an answer that refuses the only link. */
async function outcomeOf(refusal: { isForNow: boolean }) {
  const refused = [{ from: 0, count: 1, ...refusal }]
  const answer = batchAnswer.encode({ isKnown: false, refused } as never)
  const needs = {
    calls: { call: async () => answer },
    compressor: simulatedCompressor,
    owners: { self: 'us' } as never,
    take: async () => allAccepted,
  }
  return new BatchSender(needs, 1_000).sendBatch('other', [entry as never], { wantsArc: false })
}

test('a link that is not the receiver’s is told from one that it cannot take for now: neither is forgotten', async () => {
  const foreign = await outcomeOf({ isForNow: false })
  assert.deepEqual(
    [foreign.taken, foreign.refused.map((one) => one.ringKey), foreign.later],
    [[], [ringKey], []],
  )
  const later = await outcomeOf({ isForNow: true })
  assert.deepEqual([later.taken, later.refused, later.later], [[], [], [ringKey]])
})

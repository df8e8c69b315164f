import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { digestOf, printDigest } from '../../model/digest.ts'
import { FieldList } from '../http/field-list.ts'
import { DigestCheck, judgeDigests } from './digest-check.ts'

const heads = [
  '',
  'HTTP/1.1 200 OK\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
  'HTTP/1.1 200 OK\nContent-Type: text/html\n\n',
  'HTTP/1.1 200 OK\r\nno end',
]
const bodies = ['', 'a body', '6\r\na body\r\n0\r\n\r\n', '6\r\na b', 'ffffffffff\r\nx', '\r\n\r\n']
const digested = ['', 'a body', '6\r\na body\r\n0\r\n\r\n', 'something else']
const spellings = [
  undefined,
  'md5:abc',
  ...digested.flatMap((text) => [sha('sha1', text), sha('sha256', text)]),
]

function sha(algorithm: 'sha1' | 'sha256', text: string): string {
  return printDigest(digestOf(algorithm, text))
}

test('a record in memory is judged as one that flows by, however it is cut', () => {
  const record = fc.record({
    type: fc.constantFrom('response', 'revisit', 'resource'),
    contentType: fc.constantFrom('application/http; msgtype=response', 'text/html'),
    head: fc.constantFrom(...heads),
    body: fc.constantFrom(...bodies),
    blockDigest: fc.constantFrom(...spellings, 'its own'),
    payloadDigest: fc.constantFrom(...spellings, 'of the body as it stands'),
    isSegment: fc.boolean(),
    cuts: fc.array(fc.nat(80), { maxLength: 4 }),
  })
  fc.assert(
    fc.property(record, ({ type, contentType, head, body, blockDigest, payloadDigest, isSegment, cuts }) => {
      const block = Buffer.from(head + body)
      const own = blockDigest === 'its own' ? sha('sha256', head + body) : blockDigest
      let fields = new FieldList().with('WARC-Type', type).with('Content-Type', contentType)
      if (own !== undefined) fields = fields.with('WARC-Block-Digest', own)
      const ofPayload = payloadDigest === 'of the body as it stands' ? sha('sha1', body) : payloadDigest
      if (ofPayload !== undefined) fields = fields.with('WARC-Payload-Digest', ofPayload)
      if (isSegment) fields = fields.with('WARC-Segment-Number', '1')
      const check = new DigestCheck({ fields })
      const ends = [...cuts.map((cut) => Math.min(cut, block.length)), block.length].sort((a, b) => a - b)
      for (const [index, end] of ends.entries()) check.update(block.subarray(ends[index - 1] ?? 0, end))
      const verdicts = check.finish()
      const judged = judgeDigests({ fields, block })
      assert.deepEqual(judged.verdicts, verdicts)
      assert.deepEqual(judged.payloadDigest, check.payloadDigest)
    }),
    { numRuns: 3_000, seed: 1 },
  )
})

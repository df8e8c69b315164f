import assert from 'node:assert/strict'
import { test } from 'vitest'
import { sampleRecords } from '../fixtures/sample-records.ts'
import { encodeRecordStream } from '../record-encoding.ts'
import { readWarc } from './reader.ts'

test('a gigabyte of zeros in one member takes no memory to speak of', async () => {
  const length = 1_000_000_000
  async function* zeros() {
    const chunk = Buffer.alloc(1_000_000)
    for (let sent = 0; sent < length; sent += chunk.length) yield chunk
  }
  const block = Object.assign(zeros(), { length })
  const record = { version: '1.1', fields: sampleRecords()[1]!.fields.without('Content-Length'), block }
  let memoryMax = 0
  let seen = 0
  const before = process.memoryUsage().rss
  for await (const item of readWarc(encodeRecordStream(record, { kind: 'gzip', level: 1 }))) {
    assert(item.kind === 'record')
    for await (const chunk of item.record.block as AsyncIterable<Uint8Array>) {
      seen += chunk.length
      if (seen % 1_000_000 < 65_536) memoryMax = Math.max(memoryMax, process.memoryUsage().rss)
    }
  }
  assert.equal(seen, length)
  assert(memoryMax - before < 200_000_000, `${memoryMax - before}`)
})

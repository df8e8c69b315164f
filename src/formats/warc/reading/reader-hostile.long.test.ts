// Files made to cost their reader dear: time stays in proportion to their size.

import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'vitest'
import { readWarc } from './reader.ts'

const head = (length: number, extra = '') =>
  `WARC/1.0\r\nWARC-Type: x\r\nWARC-Record-ID: <a:b>\r\nWARC-Date: 2020\r\n${extra}Content-Length: ${length}\r\n\r\n`
const digest = 'WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n'
const storedMember = Buffer.concat([
  Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0x20, 0x00, 0xdf, 0xff]),
  Buffer.from('WARC/1.0\r\n'),
  Buffer.alloc(22),
])

const files: Record<string, Buffer> = {
  'version lines only': Buffer.from('WARC/1.0\r\n'.repeat(50_000)),
  'version lines with a field each': Buffer.from('WARC/1.0\nA:b\n'.repeat(50_000)),
  'one endless line': Buffer.from(`WARC/1.0\r\n${'a'.repeat(3_000_000)}`),
  'heads that each claim the next megabyte': Buffer.from(head(1_000_000).repeat(20_000)),
  'the same with digests that must be tried': Buffer.from(head(1_000_000, digest).repeat(20_000)),
  'gzip magic numbers only': Buffer.from('1f8b080000000000'.repeat(200_000), 'hex'),
  'members that start well and never end': Buffer.concat(Array.from({ length: 40_000 }, () => storedMember)),
  'zstd magic numbers only': Buffer.from('28b52ffd'.repeat(400_000), 'hex'),
  'empty zstd frames': Buffer.from('28b52ffd2000010000'.repeat(50_000), 'hex'),
  'empty gzip members': Buffer.concat(Array.from({ length: 50_000 }, () => gzipSync(''))),
  'line ends in a member': gzipSync(Buffer.alloc(50_000_000, '\r\n')),
  'skippable frames of four gigabytes': Buffer.from('502a4d18ffffffff'.repeat(100_000), 'hex'),
}

/** Twenty times what a quiet machine needs: who reads everything once for each record in it does not end by then. */
const hangMs = 60_000

for (const [name, bytes] of Object.entries(files)) {
  test(name, { timeout: hangMs }, async () => {
    async function* chunks() {
      for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536)
    }
    let items = 0
    for await (const item of readWarc(chunks(), { verify: true })) items += item.kind === 'damage' ? 1 : 0
    assert(items <= bytes.length)
  })
}

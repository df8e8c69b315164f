import assert from 'node:assert/strict'
import { test } from 'vitest'
import { RecentHashes } from './recent-hashes.ts'
import { UrlHash } from './url-hash.ts'

const hashOf = (number: number) => new UrlHash().of(`http://example.com/${number}`, 0)

function remembered(recent: RecentHashes, from: number, to: number): number {
  let count = 0
  for (let number = from; number < to; number++) if (recent.has(hashOf(number))) count++
  return count
}

test('the table grows with what is put in, and keeps nearly all of it', () => {
  const recent = new RecentHashes(4_000_000)
  const bytesFirst = recent.bytes
  for (let number = 0; number < 100_000; number++) recent.add(hashOf(number))
  assert(recent.bytes > bytesFirst && recent.bytes < 16_000_000)
  assert(remembered(recent, 0, 100_000) > 99_000)
  assert.equal(remembered(recent, 100_000, 200_000), 0)
})

test('it never takes more than its size, and then the newest are kept', () => {
  const recent = new RecentHashes(1_000)
  for (let number = 0; number < 10_000; number++) recent.add(hashOf(number))
  assert(recent.bytes <= 8_000)
  assert.equal(remembered(recent, 0, 5_000), 0)
  assert(remembered(recent, 9_900, 10_000) > 95)
})

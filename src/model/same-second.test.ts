import assert from 'node:assert/strict'
import { test } from 'vitest'
import { firstKnown, type HeardCapture, knownFirstMs } from './same-second.ts'

const nowMs = 10 * knownFirstMs
const heard = (agoMs: number, isLater = false): HeardCapture => ({ heardAtMs: nowMs - agoMs, isLater })
const cases: [name: string, captures: HeardCapture[], isSure: boolean | undefined][] = [
  ['none', [], undefined],
  ['one that was crawled here', [{}], true],
  ['one that was crawled here, and a copy of another', [{}, heard(5, true)], true],
  ['a copy that has just come', [heard(5)], false],
  ['a copy that has lain here alone for a day', [heard(knownFirstMs)], true],
  ['two copies that came together long ago', [heard(5 * knownFirstMs), heard(5 * knownFirstMs, true)], false],
  ['a copy, and another a day later', [heard(2 * knownFirstMs), heard(knownFirstMs, true)], true],
  ['copies of an index that was made anew', [{ heardAtMs: 0 }, { heardAtMs: 0, isLater: true }], false],
]

test.each(cases)('whether the first is known for sure: %s', (_, captures, isSure) => {
  const known = firstKnown(captures, nowMs)
  assert.equal(known?.isSure, isSure)
  assert.equal(known?.first, captures[0])
})

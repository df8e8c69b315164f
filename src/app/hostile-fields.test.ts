// Fields that ended a peer, or would have: each is refused, or read as something harmless.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { counterMax, MessageWriter } from '../formats/wire/message-bytes.ts'
import { timestampMsMin } from '../model/timestamp.ts'
import { announcementsQuestion } from '../network/announcements/questions.ts'
import { contentRow } from '../network/content-directory/content-row.ts'
import { siteQuestion } from '../network/frontier-replication/wire/questions.ts'
import { memberQuestion } from '../network/leases/wire/questions.ts'
import { cursorPlace } from '../network/remote-reads/archive/network-cursor.ts'
import { readRequest } from '../network/remote-reads/wire/questions.ts'

const malformed = { code: 'message-malformed' }
const largest = Number.MAX_SAFE_INTEGER
const site = new Uint8Array(20)

describe('a hostile field', () => {
  test('a list from before the year 0 is one from the year 0', () => {
    const list = new MessageWriter().byte(0).byte(3).text('a.test').number(10).byte(0).text('')
    const question = readRequest.decode(list.number(1).number(1).finish())
    assert(question.kind === 'list')
    assert.equal(question.options.fromMs, timestampMsMin)
    const late = new MessageWriter().byte(0).byte(3).text('a.test').number(10).byte(0).text('')
    assert.throws(() => readRequest.decode(late.number(1).number(largest).finish()), malformed)
  })

  test('announcements of a range without keys are not asked for', () => {
    const fetch = (from: Uint8Array, to: Uint8Array) =>
      new MessageWriter().byte(2).bytes(from).byte(1).bytes(to).number(0).finish()
    const [none, one, two] = [new Uint8Array(), Uint8Array.of(1), Uint8Array.of(2)]
    for (const bytes of [fetch(none, none), fetch(one, none), fetch(two, one), fetch(one, one)])
      assert.throws(() => announcementsQuestion.decode(bytes), malformed)
    assert.equal(announcementsQuestion.decode(fetch(none, one)).kind, 'fetch')
  })

  test('an epoch that nobody can count on from is refused', () => {
    const learn = (epoch: number) =>
      new MessageWriter().byte(3).number(1).fixed(site).text('p').number(epoch).number(1).text('p').number(0)
    assert.throws(() => memberQuestion.decode(learn(largest).finish()), malformed)
    assert.equal(memberQuestion.decode(learn(counterMax).finish()).kind, 'learn')
    const recall = new MessageWriter().byte(1).number(1).fixed(site).number(largest).finish()
    assert.throws(() => siteQuestion.decode(recall), malformed)
  })

  test('so is a version of a row, and the year 10000', () => {
    const row = (version: number, atMs: number) =>
      new MessageWriter()
        .byte(0)
        .number(version)
        .fixed(new Uint8Array(32))
        .number(1)
        .text('http://a.test/')
        .number(atMs)
        .fixed(new Uint8Array(16))
        .finish()
    assert.equal(contentRow.decode(row(1, 1)).version, 1)
    assert.throws(() => contentRow.decode(row(largest, 1)), malformed)
    assert.throws(() => contentRow.decode(row(1, 253_402_300_800_000)), malformed)
  })

  test('a cursor is no longer than a key', () => {
    const bytes = Buffer.alloc(2_900, 1)
    bytes[bytes.length - 24] = 0
    assert.throws(() => cursorPlace(bytes.toString('base64url')), { code: 'store-bad-cursor' })
  })
})

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { FieldList } from '../../formats/http/field-list.ts'
import { plainRecord, refusedOrDone } from '../../model/fixtures/fuzzing.ts'
import type { ShownPage } from '../../platform/network/browser.ts'
import { browserAnswer, browserQuestion, pageIdBytes, partQuestion, shownAnswer } from './browser-messages.ts'

const id = fc.uint8Array({ minLength: pageIdBytes, maxLength: pageIdBytes })
const picture = fc.option(fc.uint8Array({ maxLength: 100 }), { nil: undefined })
const shown: fc.Arbitrary<ShownPage> = plainRecord({
  ending: fc.constantFrom('settled' as const, 'time' as const, 'crashed' as const),
  title: fc.string({ maxLength: 100, unit: 'binary' }),
  text: fc.string({ maxLength: 2_000, unit: 'binary' }),
  links: fc.array(
    plainRecord({
      href: fc.string({ maxLength: 200 }),
      text: fc.string({ maxLength: 200, unit: 'binary' }),
      isNoFollow: fc.boolean(),
    }),
    { maxLength: 20 },
  ),
  view: picture,
  thumbnail: picture,
})
const headers = fc
  .array(fc.tuple(fc.string({ maxLength: 300 }), fc.string({ maxLength: 2_000 })), { maxLength: 140 })
  .map((fields) => new FieldList(fields))

export const properties = [
  {
    name: 'what a browser saw is read as it was written, whatever characters stood there',
    property: fc.property(shown, (page) => {
      const read = browserAnswer.decode(browserAnswer.encode(shownAnswer(page)))
      assert.equal(read.kind, 'shown')
      assert.deepEqual({ ...read, kind: undefined }, { ...shownAnswer(page), kind: undefined })
    }),
  },
  {
    name: 'whatever a page asks for, it can be asked for or is refused, and is read as it was written',
    property: fc.property(
      id,
      fc.string({ maxLength: 40 }),
      fc.string({ maxLength: 500 }),
      headers,
      (page, method, href, fields) => {
        const question = partQuestion(page, 1, { method, href, headers: fields, body: page })
        if (question === undefined) return
        const read = browserQuestion.decode(browserQuestion.encode(question))
        assert.deepEqual({ ...read }, { ...question, href: href.toWellFormed(), headers: question.headers })
      },
    ),
  },
  {
    name: 'any bytes are read or refused',
    property: fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      refusedOrDone(() => browserQuestion.decode(bytes))
      refusedOrDone(() => browserAnswer.decode(bytes))
    }),
  },
]

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { FieldList } from '../../formats/http/field-list.ts'
import { conditionalHeaders, validatorsOf } from './conditional.ts'

const of = (name: string, value: string) => conditionalHeaders(validatorsOf(new FieldList([[name, value]])))

test('entity tags go back as they came, weak ones too', () => {
  for (const etag of ['"a"', '""', 'W/"a b"'.replace(' ', '_'), '"\xe9"', `"${'x'.repeat(1_000)}"`]) {
    assert.deepEqual(of('etag', etag), [['If-None-Match', etag]])
  }
})

test('dates go back as they came', () => {
  for (const date of ['Tue, 15 Nov 1994 12:45:26 GMT', 'Tuesday, 15-Nov-94 12:45:26 GMT']) {
    assert.deepEqual(of('LAST-MODIFIED', date), [['If-Modified-Since', date]])
  }
})

test('what is no validator is not sent', () => {
  for (const etag of [
    '',
    'a',
    '"a',
    '"a"b"',
    '"a", "b"',
    'w/"a"',
    '"a\r\nX: y"',
    '"\u2603"',
    `"${'x'.repeat(2_000)}"`,
  ]) {
    assert.deepEqual(of('ETag', etag), [], etag)
  }
  for (const date of ['', 'yesterday', '0', '-1', 'Tue, 15 Nov 1994 12:45:26 GMT\r\nX: y'].filter(
    (each) => Number.isNaN(Date.parse(each)) || each.includes('\n'),
  )) {
    assert.deepEqual(of('Last-Modified', date), [], date)
  }
  assert.deepEqual(conditionalHeaders(validatorsOf(new FieldList())), [])
})

test('both go together', () => {
  const headers = new FieldList([
    ['ETag', '"1"'],
    ['Last-Modified', 'Tue, 15 Nov 1994 12:45:26 GMT'],
  ])
  assert.deepEqual(conditionalHeaders(validatorsOf(headers)), [
    ['If-None-Match', '"1"'],
    ['If-Modified-Since', 'Tue, 15 Nov 1994 12:45:26 GMT'],
  ])
})

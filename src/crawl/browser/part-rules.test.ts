import assert from 'node:assert/strict'
import { test } from 'vitest'
import { FieldList } from '../../formats/http/field-list.ts'
import { ruleAgainst } from './part-rules.ts'

const codeOf = (method: string, isReadOnly: boolean) =>
  ruleAgainst(
    { method, href: 'https://a.test/', headers: new FieldList(), body: undefined },
    'data',
    isReadOnly,
  )?.code

test('as somebody with an account, a page sends nothing that could change something', () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS']) assert.equal(codeOf(method, true), undefined, method)
  for (const method of ['POST', 'PUT', 'PATCH', 'REPORT', 'DELETE'])
    assert.equal(codeOf(method, true), 'method', method)
  assert.equal(codeOf('POST', false), undefined)
})

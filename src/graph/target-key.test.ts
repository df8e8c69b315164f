import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl } from '../model/url/url.ts'
import { leadElsewhere } from './target-key.ts'

const { site } = parseUrl('http://www.a.test/')
const own = ['http://www.a.test/', 'http://a.test/x?y', 'http://shop.a.test:8080/z']

test('links lead elsewhere when one of them leads to another site, wherever it stands', () => {
  assert(!leadElsewhere(own.join('\n'), site))
  for (const at of [0, 1, 3]) assert(leadElsewhere(own.toSpliced(at, 0, 'http://b.test/').join('\n'), site))
})

test('no links lead nowhere', () => {
  assert(!leadElsewhere('', site))
})

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseUrl, urlCharsMax } from '../../model/url/url.ts'
import { targetOfFiled, urlOfViewTarget, viewKinds, viewOf, viewTarget, viewUrl } from './page-views.ts'

test('a view is filed with its page, and its target is that of Browsertrix', () => {
  for (const href of ['http://a.test/', 'https://a.test/x?y=1&z', 'http://a.test/?q=%23']) {
    const page = parseUrl(href)
    for (const kind of viewKinds) {
      const filed = viewUrl(page, kind)!
      assert.deepEqual(viewOf(filed.href), { page: href, kind })
      assert.equal(viewTarget(href, kind), `urn:${kind}:${href}`)
      assert.equal(targetOfFiled(filed.href), `urn:${kind}:${href}`)
      assert.equal(urlOfViewTarget(`urn:${kind}:${href}`)?.href, filed.href)
      assert.deepEqual([filed.site, filed.ringKey], [page.site, page.ringKey])
    }
  }
})

test('anything else is no view', () => {
  for (const href of [
    'http://a.test/',
    'http://a.test/?__wb_method=POST&view',
    'http://a.test/?__wb_method=VIEW&x',
  ])
    assert.equal(viewOf(href), undefined, href)
  for (const target of [
    'urn:sha256:00',
    'urn:view:ftp://a.test/',
    'urn:other:http://a.test/',
    'http://a.test/',
    '',
  ])
    assert.equal(urlOfViewTarget(target), undefined, target)
  assert.equal(targetOfFiled('http://a.test/?__wb_method=POST&a=1'), 'http://a.test/')
  assert.equal(viewUrl(parseUrl('http://a.test/'.padEnd(urlCharsMax, 'a')), 'thumbnail'), undefined)
})

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { LinkRewriter } from './link-rewriter.ts'

const replay = 'http://replay.localhost:7070'
const links = () => new LinkRewriter('20200101000000', 'http://a.org/b/c.html?d', replay)

describe('a link', () => {
  test.each([
    ['http://x.org/y', 'http://x.org/y'],
    ['HTTPS://X.org/Y?z#w', 'HTTPS://X.org/Y?z#w'],
    ['//x.org/y', 'http://x.org/y'],
    ['/y', 'http://a.org/y'],
    ['y.png', 'http://a.org/b/y.png'],
    ['?q=1', 'http://a.org/b/c.html?q=1'],
    ['../y', 'http://a.org/y'],
    ['../../../../y', 'http://a.org/y'],
    ['./y', 'http://a.org/b/y'],
    ['x/../y', 'http://a.org/b/y'],
    ['%2e%2e/y', 'http://a.org/y'],
    ['\\y', 'http://a.org/y'],
    [' \n/y\t ', 'http://a.org/y'],
    ['ht\ntp://x.org/', 'http://x.org/'],
    ['http:/y', 'http://a.org/y'],
    ['a:b/c'.replace('a:', 'a;'), 'http://a.org/b/a;b/c'],
    ['/q?u=http://x.org/../', 'http://a.org/q?u=http://x.org/../'],
    ['ä&amp;"', 'http://a.org/b/ä&amp;"'],
  ])('%j leads to %s in the archive', (link, target) => {
    assert.equal(links().rewrite(link, 'im_'), `/web/20200101000000im_/${target}`)
  })

  test.each([
    '',
    ' ',
    '#top',
    'mailto:x@y.org',
    'tel:1',
    'data:text/plain,x',
    'blob:http://a.org/1',
    'about:blank',
    'android-app://x',
    'http:///\\[',
    `${replay}/web/20200101000000mp_/http://a.org/`,
    `//replay.localhost:7070/web/2020mp_/http://a.org/`,
    '/web/20200101000000im_/http://a.org/',
  ])('%j stays', (link) => {
    assert.equal(links().rewrite(link, 'im_'), undefined)
  })

  test('rewritten twice is the same', () => {
    for (const link of ['/y', 'http://x.org/', '../z', 'q?w']) {
      const once = links().rewrite(link, 'mp_')!
      assert.equal(links().rewrite(once, 'mp_'), undefined)
    }
  })

  test('follows the base from where it is given', () => {
    const rewriter = links()
    rewriter.setBase('https://c.org/d/')
    assert.equal(rewriter.rewrite('e', 'mp_'), '/web/20200101000000mp_/https://c.org/d/e')
    rewriter.setBase('mailto:x')
    assert.equal(rewriter.rewrite('/e', 'mp_'), '/web/20200101000000mp_/https://c.org/e')
  })
})

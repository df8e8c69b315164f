import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import type { ContentKind } from '../content/content-kind.ts'
import { rewriteContent } from './rewrite-content.ts'

const origins = { archive: 'http://localhost:7070', replay: 'http://replay.localhost:7070' }
const page = {
  timestamp: '20200101000000',
  modifier: 'mp_',
  url: 'http://a.org/b/c.html',
  capturedAt: '20200101000000',
  capturedAtMs: Date.UTC(2020, 0),
} as const

function rewritten(text: string, kind: ContentKind = 'html'): string {
  const bytes = Buffer.from(text).toString('latin1')
  const made = Buffer.from(rewriteContent(bytes, kind, page, { origins }), 'latin1').toString()
  // What is put first is the same for all.
  return made.replace(/<script [^>]*data-polyhistor='[^']*'><\/script>/, '')
}

const at = (modifier: string, url: string) => `/web/20200101000000${modifier}/${url}`

describe('attributes', () => {
  test.each([
    ['<a href="/x">', `<a href="${at('mp_', 'http://a.org/x')}">`],
    ['<a href=/x>', `<a href="${at('mp_', 'http://a.org/x')}">`],
    ["<A HREF = '/x?a=1&amp;b=2'>", `<A HREF = '${at('mp_', 'http://a.org/x?a=1&amp;b=2')}'>`],
    ['<a href="&#104;ttp://x.org/">', `<a href="${at('mp_', 'http://x.org/')}">`],
    ['<a href="/ä">', `<a href="${at('mp_', 'http://a.org/ä')}">`],
    ['<a href=/x href=/y>', `<a href="${at('mp_', 'http://a.org/x')}" href=/y>`],
    [
      '<area href=x><q cite=y>',
      `<area href="${at('mp_', 'http://a.org/b/x')}"><q cite="${at('mp_', 'http://a.org/b/y')}">`,
    ],
    ['<img src=i.png>', `<img crossorigin="" src="${at('im_', 'http://a.org/b/i.png')}">`],
    [
      '<img crossorigin=use-credentials src=i.png>',
      `<img crossorigin="anonymous" src="${at('im_', 'http://a.org/b/i.png')}">`,
    ],
    [
      '<img srcset="/a,b.png 1x, /c.png 2x">',
      `<img crossorigin="" srcset="${at('im_', 'http://a.org/a,b.png')} 1x, ${at('im_', 'http://a.org/c.png')} 2x">`,
    ],
    ['<iframe src=f></iframe>', `<iframe src="${at('if_', 'http://a.org/b/f')}"></iframe>`],
    ['<frame src=f>', `<frame src="${at('fr_', 'http://a.org/b/f')}">`],
    [
      '<script src=s.js></script>',
      `<script crossorigin="" src="${at('js_', 'http://a.org/b/s.js')}"></script>`,
    ],
    [
      '<script type=module src=s.js></script>',
      `<script crossorigin="" type=module src="${at('esm_', 'http://a.org/b/s.js')}"></script>`,
    ],
    [
      '<video src=v poster=p><source src=w><track src=t>',
      `<video crossorigin="" src="${at('oe_', 'http://a.org/b/v')}" poster="${at('im_', 'http://a.org/b/p')}"><source src="${at('oe_', 'http://a.org/b/w')}"><track src="${at('oe_', 'http://a.org/b/t')}">`,
    ],
    [
      '<object data=o><embed src=e>',
      `<object data="${at('oe_', 'http://a.org/b/o')}"><embed src="${at('oe_', 'http://a.org/b/e')}">`,
    ],
    [
      '<form action=/f><button formaction=/g>',
      `<form action="${at('mp_', 'http://a.org/f')}"><button formaction="${at('mp_', 'http://a.org/g')}">`,
    ],
    ['<body background=b.gif>', `<body background="${at('im_', 'http://a.org/b/b.gif')}">`],
    [
      '<link rel=stylesheet href=s.css>',
      `<link crossorigin="" rel=stylesheet href="${at('cs_', 'http://a.org/b/s.css')}">`,
    ],
    [
      '<link rel="shortcut icon" href=i.ico>',
      `<link rel="shortcut icon" href="${at('im_', 'http://a.org/b/i.ico')}">`,
    ],
    [
      '<link rel=preload as=font href=f>',
      `<link rel=preload as=font href="${at('oe_', 'http://a.org/b/f')}">`,
    ],
    [
      '<link rel=modulepreload href=m><script type=importmap>{}</script>',
      `<link rel="x-archived-modulepreload" href="${at('esm_', 'http://a.org/b/m')}"><script type=importmap>{}</script>`,
    ],
    [
      '<video><track src=t.vtt></video>',
      `<video crossorigin=""><track src="${at('oe_', 'http://a.org/b/t.vtt')}"></video>`,
    ],
    ['<link rel=modulepreload href=m>', `<link rel=modulepreload href="${at('esm_', 'http://a.org/b/m')}">`],
    [
      '<svg><image xlink:href="i.png"/><use href="#u"/></svg>',
      `<svg><image xlink:href="${at('im_', 'http://a.org/b/i.png')}"/><use href="#u"/></svg>`,
    ],
    [
      '<p style="background:url(&quot;x.png&quot;)">',
      `<p style="background:url(&#34;${at('im_', 'http://a.org/b/x.png')}&#34;)">`,
    ],
    [
      '<meta http-equiv="Refresh" content="3;URL=\'/n\'">',
      `<meta http-equiv="Refresh" content="3;URL=&#39;${at('mp_', 'http://a.org/n')}&#39;">`,
    ],
  ])('%s', (text, expected) => {
    assert.equal(rewritten(text), expected)
  })

  test.each([
    [
      '<script integrity=x nonce=y></script>',
      '<script data-archived-integrity=x data-archived-nonce=y></script>',
    ],
    [
      '<a ping=/p referrerpolicy=no-referrer>',
      '<a data-archived-ping=/p data-archived-referrerpolicy=no-referrer>',
    ],
    [
      '<meta http-equiv=content-security-policy content=x>',
      '<meta http-equiv="x-archived-content-security-policy" content=x>',
    ],
    ['<meta name="Referrer" content=never>', '<meta name="x-archived-referrer" content=never>'],
    ['<a target=_blank>', '<a target="_self">'],
    ['<form target="_TOP">', '<form target="_self">'],
    ['<a target=frame1>', '<a target=frame1>'],
    ['<script type=speculationrules>{}</script>', '<script type="x-archived-speculationrules">{}</script>'],
    [
      '<link rel="preconnect" href="http://x.org">',
      `<link rel="x-archived-preconnect" href="${at('mp_', 'http://x.org')}">`,
    ],
    ['<link rel="dns-prefetch prefetch">', '<link rel="x-archived-dns-prefetch x-archived-prefetch">'],
  ])('%s loses its effect', (text, expected) => {
    assert.equal(rewritten(text), expected)
  })

  test('the base holds from where it stands', () => {
    assert.equal(
      rewritten('<a href=x><base href="//c.org/d/"><a href=x>'),
      `<a href="${at('mp_', 'http://a.org/b/x')}"><base href="${at('mp_', 'http://c.org/d/')}"><a href="${at('mp_', 'http://c.org/d/x')}">`,
    )
  })

  test('scripts in attributes and links run among wombat’s names', () => {
    assert.match(
      rewritten('<a onclick="top.x(\'y\')">'),
      /onclick="\{let top=[^"]+top\.x\(&#39;y&#39;\)\n\}\}"/,
    )
    assert.match(
      rewritten('<a href="javascript:top.x()">'),
      /href="javascript:\{let top=[^"]+top\.x\(\)%0A\}\}"/,
    )
    for (const text of ['<a onclick="f(1)">', '<a href="javascript:void(0)">'])
      assert.equal(rewritten(text), text)
  })

  test('a document in an attribute is a document', () => {
    const text = rewritten('<iframe srcdoc="&lt;a href=/x&gt;"></iframe>')
    assert.match(
      text,
      /srcdoc="&#60;script [^"]*start\.js[^"]*if_[^"]*&#60;a href=&#34;\/web\/20200101000000mp_\/http:\/\/a\.org\/x&#34;&#62;"/,
    )
    const deep = '<iframe srcdoc="'.repeat(30)
    assert.ok(rewritten(deep).length < 1_000_000)
  })
})

describe('elements with text', () => {
  test('styles, scripts and import maps are rewritten, data and templates are not', () => {
    assert.equal(
      rewritten('<style>a{b:url(x)}</style>'),
      `<style>a{b:url(${at('im_', 'http://a.org/b/x')})}</style>`,
    )
    assert.match(rewritten('<script>top</script>'), /<script>\{let top=.*\{top\n\}\}\n<\/script>/s)
    assert.equal(
      rewritten(
        '<script type=importmap>{"imports":{"a":"./a.js","b/":"https://x.org/b/"},"scopes":{"/s/":{"a":"/c.js"}}}</script>',
      ),
      `<script type=importmap>{"imports":{"a":"${at('esm_', 'http://a.org/b/a.js')}","b/":"${at('esm_', 'https://x.org/b/')}"},"scopes":{"${at('esm_', 'http://a.org/s/')}":{"a":"${at('esm_', 'http://a.org/c.js')}"}}}</script>`,
    )
    for (const text of [
      '<script type="application/ld+json">{"url":"http://x.org/","top":1}</script>',
      '<script type="text/template"><a href="/x">top</a></script>',
      '<textarea><a href="/x"></textarea>',
      '<title><a href="/x"></title>',
      '<!-- <a href="/x"> -->',
      '<xmp><a href="/x"></xmp>',
      '<a data-src="/x" title="/x" class="/x">',
      '<p>/x http://x.org/ location</p>',
      '<![CDATA[ <a href="/x"> ]]>',
    ])
      assert.equal(rewritten(text), text)
  })

  test('what the text ends in the middle of', () => {
    assert.match(rewritten('<script>top'), /^<script>\{let top=/)
    assert.equal(rewritten('<a href="/x'), '<a href="/x')
    assert.equal(rewritten('<style>a{b:url(x'), `<style>a{b:url(${at('im_', 'http://a.org/b/x')}`)
  })
})

describe('where our start goes', () => {
  const place = (text: string, kind: ContentKind = 'html') =>
    rewriteContent(text, kind, page, { origins }).replace(
      /<script [^>]*data-polyhistor='[^']*'><\/script>/,
      '[HERE]',
    )

  test.each([
    ['<!doctype html><html><head><title>', '<!doctype html><html><head>[HERE]<title>'],
    [
      '<!doctype html><!-- c --><html lang=x>\n<head a=b>\n<meta>',
      '<!doctype html><!-- c --><html lang=x>\n<head a=b>[HERE]\n<meta>',
    ],
    ['<p>x', '[HERE]<p>x'],
    ['<html><body>', '<html>[HERE]<body>'],
    ['text', '[HERE]text'],
    ['', '[HERE]'],
    // Behind a tag that is not ended, our own `>` would end it.
    ['<img src=http://x.org/', '[HERE]<img src=http://x.org/'],
    ['\xef\xbb\xbf<!doctype html><title>', '\xef\xbb\xbf<!doctype html>[HERE]<title>'],
    ['<script>top</script>', '[HERE]<script>'],
  ])('%j', (text, expected) => {
    assert.ok(place(text).startsWith(expected), place(text))
  })

  test('once only', () => {
    assert.equal(place('<head><head><body><head>').split('[HERE]').length, 2)
  })
})

describe('XML', () => {
  test('XHTML scripts stay well-formed, with CDATA or with references', () => {
    assert.match(rewritten('<script>if (a &amp;&amp; b) top</script>', 'xhtml'), /&amp;&amp; b\) top/)
    assert.match(
      rewritten('<script>//<![CDATA[\ntop && 1\n//]]></script>', 'xhtml'),
      /^<script>\/\/<!\[CDATA\[\n\{let top=/,
    )
  })

  test('a drawing has its links rewritten, other XML only its style sheet', () => {
    assert.equal(
      rewritten('<svg><image href="/x"/></svg>', 'svg'),
      `<svg><image href="${at('im_', 'http://a.org/x')}"/></svg>`,
    )
    assert.equal(
      rewritten('<?xml-stylesheet type="text/css" href="s.css"?><feed><link href="/x"/></feed>', 'xml'),
      `<?xml-stylesheet type="text/css" href="${at('cs_', 'http://a.org/b/s.css')}"?><feed><link href="/x"/></feed>`,
    )
  })
})

describe('other kinds', () => {
  test('a web manifest', () => {
    assert.equal(
      rewritten('{"name":"/x","start_url":"/s","icons":[{"src":"i.png"}]}', 'manifest'),
      `{"name":"/x","start_url":"${at('mp_', 'http://a.org/s')}","icons":[{"src":"${at('im_', 'http://a.org/b/i.png')}"}]}`,
    )
    assert.equal(rewritten('no json', 'manifest'), 'no json')
  })

  test('playlists and manifests of films', () => {
    assert.equal(
      rewritten(
        '#EXTM3U\n#EXT-X-KEY:METHOD=AES,URI="https://k.org/k"\na.ts\nhttp://c.org/b.ts\n/d.ts\n',
        'hls',
      ),
      `#EXTM3U\n#EXT-X-KEY:METHOD=AES,URI="${at('oe_', 'https://k.org/k')}"\na.ts\n${at('oe_', 'http://c.org/b.ts')}\n${at('oe_', 'http://a.org/d.ts')}\n`,
    )
    assert.equal(
      rewritten(
        '<MPD xmlns="urn:x"><BaseURL>http://c.org/</BaseURL><S media="/m$Number$" index="i"/></MPD>',
        'dash',
      ),
      `<MPD xmlns="urn:x"><BaseURL>${at('oe_', 'http://c.org/')}</BaseURL><S media="${at('oe_', 'http://a.org/m$Number$')}" index="i"/></MPD>`,
    )
  })
})

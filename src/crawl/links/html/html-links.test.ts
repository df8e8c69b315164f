import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { extract, foundIn, foundInHtml, linksIn } from '../fixtures/extraction.ts'
import { isRequisite } from '../link-source.ts'

/** Some HTML, and all that is found in it. */
const cases: Record<string, readonly (readonly [html: string, ...found: string[]])[]> = {
  'links for readers': [
    ['<a href="x">', 'a href → /dir/x'],
    ['<A HREF=/x>', 'a href → /x'],
    ["<a href='../x'>", 'a href → /x'],
    ['<a\nclass="y"\nhref = "x"\n>', 'a href → /dir/x'],
    ['<a href="?q">', 'a href → /dir/page.html?q'],
    ['<a href="//other.test/x">', 'a href → http://other.test/x'],
    ['<a href="HTTPS://Other.TEST:443/x#y">', 'a href → https://other.test/x'],
    ['<a href=" x\n">', 'a href → /dir/x'],
    ['<a href="x" href="y">', 'a href → /dir/x'],
    ['<a href="x #y">', 'a href → /dir/x%20'],
    ['<a href="a b é">', 'a href → /dir/a%20b%20%C3%A9'],
    ['<a href=x/>', 'a href → /dir/x/'],
    ['<a href>', ...[]],
    ['<a href="">', ...[]],
    ['<a name="x">', ...[]],
    ['<map><area href="x"></map>', 'area href → /dir/x'],
    ['<form action="x">', 'form action → /dir/x'],
    ['<form method=GET action="x">', 'form action → /dir/x'],
    ['<form method="post" action="x">', ...[]],
    ['<form method="dialog" action="x">', ...[]],
  ],
  'what is no link': [
    ['<a href="#x">', ...[]],
    ['<a href="page.html#x">', ...[]],
    ['<a href="http://example.com/dir/page.html">', ...[]],
    ['<a href="javascript:go()">', ...[]],
    ['<a href=" JavaScript:go()">', ...[]],
    ['<a href="java\nscript:go()">', ...[]],
    ['<a href="mailto:a@b.c"><a href="tel:1"><a href="about:blank"><a href="data:text/html,x">', ...[]],
    ['<a href="ftp://example.com/"><a href="file:///etc/passwd"><a href="blob:http://a.test/1">', ...[]],
    ['<a href="http://"><a href="http://a..b/"><a href="http://[x/">', ...[]],
    ['<img src="data:image/gif;base64,R0lGOD">', ...[]],
    ['<!-- <a href="x"> -->', ...[]],
    ['<script>document.write(\'<a href="x">\')</script>', ...[]],
    ['<textarea><a href="x"></textarea>', ...[]],
    ['<title><a href="x"></title>', ...[]],
    ['<blockquote cite="x"><meta property="og:image" content="y">', ...[]],
    ['<a href="x', ...[]],
    ['a < b href="x"', ...[]],
  ],
  'character references': [
    ['<a href="x?a=1&amp;b=2">', 'a href → /dir/x?a=1&b=2'],
    ['<a href="x?a=1&b=2">', 'a href → /dir/x?a=1&b=2'],
    ['<a href="x?a=1&copy=2">', 'a href → /dir/x?a=1&copy=2'],
    ['<a href="x?a&copy;">', 'a href → /dir/x?a%C2%A9'],
    ['<a href="&#x2F;x&#47;y">', 'a href → /x/y'],
    ['<a href="x?a=&quot;&amp;&lt;">', 'a href → /dir/x?a=%22&%3C'],
    ['<a href=\'x?a="&eacute;"\'>', 'a href → /dir/x?a=%22%C3%A9%22'],
    ['<a href="x?&amp;amp;">', 'a href → /dir/x?&amp;'],
    ['<a href="x?&nosuch;&">', 'a href → /dir/x?&nosuch;&'],
    ['<a href="java&#115;cript:x()">', ...[]],
    ['<img srcset="a?1&amp;2 1x">', 'img srcset → /dir/a?1&2'],
  ],
  'what a page needs': [
    ['<img src="x">', 'img src → /dir/x'],
    ['<image src="x">', 'img src → /dir/x'],
    ['<img src="a" srcset="b 1x, c 2x">', 'img src → /dir/a', 'img srcset → /dir/b', 'img srcset → /dir/c'],
    ['<picture><source srcset="a 100w, b"></picture>', 'source srcset → /dir/a', 'source srcset → /dir/b'],
    ['<img data-src="a" data-srcset="b 1x">', 'img data-src → /dir/a', 'img data-src → /dir/b'],
    ['<img data-original="a"><img data-lazy-src="b">', 'img data-src → /dir/a', 'img data-src → /dir/b'],
    ['<div data-src="a">', ...[]],
    ['<video src="a" poster="b"></video>', 'video src → /dir/a', 'video poster → /dir/b'],
    [
      '<audio src="a"><source src="b"><track src="c"></audio>',
      'audio src → /dir/a',
      'source src → /dir/b',
      'track src → /dir/c',
    ],
    ['<script src="x"></script>', 'script src → /dir/x'],
    ['<embed src="x"><object data="y"></object>', 'embed src → /dir/x', 'object data → /dir/y'],
    ['<input type="IMAGE" src="x"><input type="text" src="y">', 'input src → /dir/x'],
    ['<iframe src="x"></iframe>', 'iframe src → /dir/x'],
    ['<iframe data-src="x"></iframe>', 'iframe src → /dir/x'],
    [
      '<iframe srcdoc="<img src=x><a href=&quot;y?a=1&amp;amp;b&quot;>"></iframe>',
      'img src → /dir/x',
      'a href → /dir/y?a=1&b',
    ],
    ['<frameset><frame src="x"></frameset>', 'frame src → /dir/x'],
    ['<body background="x"><td background="y">', 'background → /dir/x', 'background → /dir/y'],
    [
      '<div data-bg="x.png"><div data-bg="true"><div data-background-image="url(y.png)">',
      'background → /dir/x.png',
      'background → /dir/y.png',
    ],
    ['<div data-bgset="x.png 1x, y.png 2x">', 'background → /dir/x.png', 'background → /dir/y.png'],
    [
      '<section data-background-video="a.mp4, b.webm" data-background-iframe="c"><section data-markdown="d.md"><section data-markdown>',
      'iframe src → /dir/c',
      'video src → /dir/a.mp4',
      'video src → /dir/b.webm',
      'script fetch → /dir/d.md',
    ],
    ['<noscript><img src="x"></noscript>', 'img src → /dir/x'],
    ['<template><img src="x"></template>', 'img src → /dir/x'],
  ],
  style: [
    ['<p style="background: url(x)">', 'css url → /dir/x'],
    ['<p style=\'background: url("x")\'>', 'css url → /dir/x'],
    ['<p style="background: url(&quot;x&quot;)">', 'css url → /dir/x'],
    ['<style>@import "a"; p { background: url(b) }</style>', 'css import → /dir/a', 'css url → /dir/b'],
    ['<style><!-- p { background: url(a) } --></style>', 'css url → /dir/a'],
    ['<style>a{}</style><p>url(x)</p>', ...[]],
    ['<STYLE>p{background:URL(x)}</STYLE><a href=y>', 'css url → /dir/x', 'a href → /dir/y'],
    ['<style>p{background:url(x)}', 'css url → /dir/x'],
  ],
  'link elements': [
    ['<link rel="stylesheet" href="x">', 'link stylesheet → /dir/x'],
    ['<link rel="Alternate StyleSheet" href="x">', 'link stylesheet → /dir/x'],
    ['<link rel="shortcut icon" href="x">', 'link icon → /dir/x'],
    [
      '<link rel="apple-touch-icon" href="x"><link rel="mask-icon" href="y">',
      'link icon → /dir/x',
      'link icon → /dir/y',
    ],
    [
      '<link rel="preload" as="font" href="x"><link rel=modulepreload href="y">',
      'link preload → /dir/x',
      'link preload → /dir/y',
    ],
    [
      '<link rel="preload" as="image" imagesrcset="a 1x, b 2x">',
      'link preload → /dir/a',
      'link preload → /dir/b',
    ],
    ['<link rel="manifest" href="x">', 'link manifest → /dir/x'],
    ['<link rel="alternate" type="application/rss+xml" href="x">', 'link feed → /dir/x'],
    ['<link rel="alternate" type="application/atom+xml; x=y" href="x">', 'link feed → /dir/x'],
    ['<link rel="alternate" hreflang="de" href="x">', 'link page → /dir/x'],
    ['<link rel="alternate" type="application/json+oembed" href="x">', ...[]],
    [
      '<link rel=canonical href=a><link rel=next href=b><link rel=prev href=c><link rel=amphtml href=d>',
      'link page → /dir/a',
      'link page → /dir/b',
      'link page → /dir/c',
      'link page → /dir/d',
    ],
    ['<link rel="sitemap" href="x">', 'link sitemap → /dir/x'],
    ['<link rel="dns-prefetch" href="//a.test"><link rel=preconnect href="//b.test">', ...[]],
    ['<link rel="pingback" href="x"><link rel="constructor" href="y"><link href="z">', ...[]],
  ],
  redirects: [
    ['<meta http-equiv="refresh" content="5; url=x">', 'meta refresh → /dir/x'],
    ['<meta http-equiv=Refresh content="0;URL=\'x\'">', 'meta refresh → /dir/x'],
    ['<meta http-equiv=refresh content="0.5,x">', 'meta refresh → /dir/x'],
    ['<meta http-equiv=refresh content="0 url = &quot;x&quot; y">', 'meta refresh → /dir/x'],
    ['<meta http-equiv=refresh content="5">', ...[]],
    ['<meta http-equiv=refresh content="5;">', ...[]],
    ['<meta http-equiv=refresh content="5; url=page.html">', ...[]],
    ['<meta http-equiv=refresh content="x">', ...[]],
    ['<meta http-equiv=refresh content="5url=x">', ...[]],
    ['<meta http-equiv=refresh>', ...[]],
    ['<meta name=refresh content="5; url=x">', ...[]],
  ],
  'the base': [
    ['<base href="/b/"><a href="x">', 'a href → /b/x'],
    ['<a href="x"><base href="/b/">', 'a href → /b/x'],
    ['<base href="/b/"><base href="/c/"><a href="x">', 'a href → /b/x'],
    ['<base target="_top"><base href="/c/"><a href="x">', 'a href → /c/x'],
    [
      '<base href="//other.test/d"><a href="x"><a href="/y">',
      'a href → http://other.test/x',
      'a href → http://other.test/y',
    ],
    ['<base href="data:,x"><a href="x">', 'a href → /dir/x'],
    ['<base href="javascript:x"><a href="x">', 'a href → /dir/x'],
    ['<base href="/b/"><a href="#x">', ...[]],
  ],
  'SVG within': [
    [
      '<svg><image href="a"/><image xlink:href="b"/><use href="c#d"/><use xlink:href="#e"/></svg>',
      'svg href → /dir/a',
      'svg href → /dir/b',
      'svg href → /dir/c',
    ],
    ['<svg><a xlink:href="x"></a></svg>', 'a href → /dir/x'],
    ['<svg><filter><feImage href="x"/></filter></svg>', 'svg href → /dir/x'],
    ['<svg><title/><a href="x"></a></svg><a href="y">', 'a href → /dir/x', 'a href → /dir/y'],
    ['<svg><style>p{fill:url(x)}</style></svg>', 'css url → /dir/x'],
    ['<svg><style/><text>url(x)</text></svg>', ...[]],
    ['<svg/><title><a href="x"></title>', ...[]],
    ['<svg><div></div><title><a href="x"></title>', ...[]],
    ['<svg><title>t</title></svg><script>"<a href=x>"</script>', ...[]],
    ['<math><mi href="x"></mi></math><script>"<a href=y>"</script>', ...[]],
  ],
  'twice the same': [
    ['<a href="x"><a href="x#a"><a href="./x">', 'a href → /dir/x'],
    ['<a href="x"><img src="x">', 'img src → /dir/x'],
    ['<img src="x"><a href="x">', 'img src → /dir/x'],
    ['<img src="x"><iframe src="x"></iframe>', 'iframe src → /dir/x'],
  ],
}

for (const [title, htmls] of Object.entries(cases)) {
  describe(title, () => {
    for (const [html, ...found] of htmls) test(html, () => assert.deepEqual(foundInHtml(html), found))
  })
}

describe('what a page says of itself', () => {
  test('rel=nofollow is told, unless another link to the same page has none', () => {
    const body =
      '<a rel="ugc NoFollow" href="a"><a href="b" rel=nofollow><a href="b"><a href="c" rel="nofollower">'
    assert.deepEqual(
      linksIn({ body, type: 'text/html' }).map(({ isNoFollow }) => isNoFollow),
      [true, false, false],
    )
  })

  test('the kinds of its links, and their URLs', () => {
    const body = '<a href="a"><img src="b"><iframe src="c"></iframe><meta http-equiv=refresh content="0;d">'
    const links = linksIn({ body, type: 'text/html' })
    assert.deepEqual(
      links.map(({ kind }) => kind),
      ['navigation', 'requisite', 'frame', 'redirect'],
    )
    assert.deepEqual(
      links.map(({ kind }) => isRequisite(kind)),
      [false, true, true, false],
    )
    assert.equal(links[0]!.url.target, '/dir/a')
  })

  test('its title, in one line, and not that of an image within', () => {
    const titleOf = (body: string) => extract({ body, type: 'text/html' }).title
    assert.equal(
      titleOf('<svg><title>no</title></svg><title> A &amp;\n B&eacute; </title><title>no</title>'),
      'A & Bé',
    )
    assert.equal(titleOf('<p>x'), undefined)
    assert.equal(titleOf('<title></title>'), undefined)
    assert.equal(titleOf(`<title>${'x'.repeat(5_000)}</title>`)!.length, 1_000)
  })

  test('robots directives, of its headers too, for everyone and for us', () => {
    const body =
      '<meta name="Robots" content="noarchive"><meta name="me" content="noindex"><meta name="other" content="nofollow">'
    const robots = (headers: [string, string][]) => {
      const { noArchive, noIndex, noFollow } = extract({ body, type: 'text/html', headers }).robots
      return { noArchive, noIndex, noFollow }
    }
    assert.deepEqual(robots([]), { noArchive: true, noIndex: true, noFollow: false })
    assert.deepEqual(robots([['X-ROBOTS-TAG', 'me: nofollow']]), {
      noArchive: true,
      noIndex: true,
      noFollow: true,
    })
    assert.equal(extract({ body: '', headers: [['x-robots-tag', 'none']] }).robots.noFollow, true)
  })

  test('the base that it chose', () => {
    assert.equal(extract({ body: '<base href="/b/">', type: 'text/html' }).baseHref, 'http://example.com/b/')
    assert.equal(extract({ body: '', type: 'text/html' }).baseHref, 'http://example.com/dir/page.html')
  })

  test('a result is plain data', () => {
    const result = extract({ body: '<title>x</title><a href="a"><img src="b">', type: 'text/html' })
    assert.deepEqual(structuredClone(result), result)
  })
})

test('XHTML closes what HTML leaves open', () => {
  const body = '<html><head><title/><script src="a"/><style/></head><body><a href="b"/></body></html>'
  assert.deepEqual(foundIn({ body, type: 'application/xhtml+xml' }), [
    'script src → /dir/a',
    'a href → /dir/b',
  ])
  assert.deepEqual(foundInHtml(body), [])
})

test('a page like many', async () => {
  const body = await readFile(join(import.meta.dirname, '../fixtures/page.html'))
  const expected = await readFile(join(import.meta.dirname, '../fixtures/page-links.txt'), 'utf8')
  const href = 'https://www.gazette.example/2026/harbour/lighthouse.html'
  const result = linksIn({ body, type: 'text/html; charset=utf-8', href })
  assert.equal(`${result.map(({ kind, via, href }) => `${kind} | ${via} | ${href}`).join('\n')}\n`, expected)
})

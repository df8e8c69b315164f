import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { extract, foundIn } from './fixtures/extraction.ts'

const urlset = `<?xml version="1.0" encoding="UTF-8"?>
<!-- made by hand -->
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> http://example.com/a?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod>
    <xhtml:link rel="alternate" hreflang="de" href="http://example.com/de/a"/>
    <image:image><image:loc>http://example.com/a.png</image:loc></image:image></url>
  <url><loc><![CDATA[http://example.com/b&c]]></loc></url>
  <url><loc></loc></url>
</urlset>`
const urlsetFound = [
  'sitemap page → /a?x=1&y=2',
  'sitemap page → /de/a',
  'sitemap media → /a.png',
  'sitemap page → /b&c',
]

describe('sitemaps', () => {
  test.for([
    'application/xml',
    'text/xml; charset=utf-8',
    'text/plain',
    'text/html',
    undefined,
    'application/octet-stream',
  ])('of pages, as %s', (type) => assert.deepEqual(foundIn({ body: urlset, type }), urlsetFound))

  test('of sitemaps', () => {
    const body =
      '<s:sitemapindex xmlns:s="x"><s:sitemap><s:loc>http://example.com/1.xml</s:loc></s:sitemap></s:sitemapindex>'
    assert.deepEqual(foundIn({ body, type: 'application/xml' }), ['sitemap index → /1.xml'])
  })

  test('that are gzip files', () => {
    const body = gzipSync(urlset)
    const href = 'http://example.com/dir/map.xml.gz'
    assert.deepEqual(foundIn({ body, href, type: 'application/x-gzip' }), urlsetFound)
    assert.deepEqual(
      foundIn({ body, href: 'http://example.com/sitemap?page=1', type: 'application/xml' }),
      urlsetFound,
    )
    assert.deepEqual(foundIn({ body: body.subarray(0, -40), href }).slice(0, 1), urlsetFound.slice(0, 1))
    assert.deepEqual(foundIn({ body, href: 'http://example.com/download.gz' }), [])
    assert.deepEqual(foundIn({ body: Buffer.concat([body, Buffer.from('<!---->')]), href }), urlsetFound)
  })

  test('that are damaged or far too large gzip files', () => {
    const href = 'http://example.com/map.xml.gz'
    const bomb = extract({ body: gzipSync(Buffer.alloc(60_000_000, 32), { level: 1 }), href })
    assert.equal(bomb.isCut, true)
    assert.equal(bomb.format, 'none')
    const damaged = Buffer.from(gzipSync(urlset))
    damaged.fill(0xff, 12, 60)
    assert.deepEqual(foundIn({ body: damaged, href }), [])
  })

  test('that are cut off, up to the last whole URL', () => {
    const body = '<urlset><url><loc>http://example.com/a</loc></url><url><loc>http://example.com/lon'
    assert.deepEqual(foundIn({ body, type: 'application/xml' }), ['sitemap page → /a'])
  })

  test('as plain text', () => {
    const body = '\ufeffhttp://example.com/a\r\n\r\n  https://other.test/b \nnonsense\nhttp://'
    const found = ['sitemap page → /a', 'sitemap page → https://other.test/b']
    assert.deepEqual(foundIn({ body, type: 'text/plain' }), found)
    assert.deepEqual(foundIn({ body: 'See http://example.com/a', type: 'text/plain' }), [])
  })
})

describe('feeds', () => {
  test('RSS', () => {
    const body = `<rss version="2.0" xmlns:atom="a" xmlns:media="m"><channel><title>x</title><link>http://example.com/</link>
      <atom:link rel="self" href="http://example.com/feed"/><atom:link rel="next" href="/feed?2"/>
      <item><link>/1?a&amp;b</link><guid>http://example.com/guid/1</guid><comments>/1/comments</comments>
        <description>&lt;a href="/no"&gt;</description></item>
      <item><link><![CDATA[/2]]></link><guid isPermaLink="false">http://example.com/no</guid><guid>tag:x</guid>
        <enclosure url="/2.mp3" type="audio/mpeg"/><media:content url="/2.jpg"><media:thumbnail url="/2s.jpg"/></media:content></item>
    </channel></rss>`
    assert.deepEqual(foundIn({ body, type: 'application/rss+xml' }), [
      'feed page → /',
      'feed next → /feed?2',
      'feed page → /1?a&b',
      'feed page → /guid/1',
      'feed page → /1/comments',
      'feed page → /2',
      'feed media → /2.mp3',
      'feed media → /2.jpg',
      'feed media → /2s.jpg',
    ])
  })

  test('Atom', () => {
    const body = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><link href="/"/><link rel="self" href="/f"/>
      <link rel="hub" href="/h"/><link rel="prev-archive" href="/f?1"/>
      <entry><id>http://example.com/no</id><link rel="alternate" href="/a&#x3F;b"/><link rel="enclosure" href="/a.mp3"/>
      <content type="text/html" src="/c"/></entry></feed>`
    assert.deepEqual(foundIn({ body, type: 'application/atom+xml' }), [
      'feed page → /',
      'feed next → /f?1',
      'feed page → /a?b',
      'feed media → /a.mp3',
      'feed page → /c',
    ])
  })

  test('RDF', () => {
    const body =
      '<?xml version="1.0"?><rdf:RDF><channel><link>/</link></channel><item><link>/1</link></item></rdf:RDF>'
    assert.deepEqual(foundIn({ body, type: 'text/xml' }), ['feed page → /', 'feed page → /1'])
  })
})

describe('images, applications and players', () => {
  test('SVG', () => {
    const body = `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="a.css"?><!DOCTYPE svg PUBLIC "x" "y">
      <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><title>t</title>
      <style><![CDATA[@import "b.css"; a { fill: url(#c) }]]></style><image xlink:href="d.png"/><use href="e.svg#f"/>
      <a href="/g"><rect style="fill: url(h.svg#i)"/></a><script href="j.js"/></svg>`
    const found = [
      'xml stylesheet → /dir/a.css',
      'css import → /dir/b.css',
      'svg href → /dir/d.png',
      'svg href → /dir/e.svg',
      'a href → /g',
      'css url → /dir/h.svg',
      'script src → /dir/j.js',
    ]
    for (const type of ['image/svg+xml', 'application/xml', undefined])
      assert.deepEqual(foundIn({ body, type }), found)
  })

  test('web application manifests', () => {
    const body = JSON.stringify({
      start_url: '/?app',
      icons: [{ src: 'a.png' }, { src: 1 }, null, 'x'],
      screenshots: [{ src: 'b.png' }],
      shortcuts: [{ url: '/new', icons: [{ src: 'c.png' }] }],
    })
    const found = [
      'manifest page → /?app',
      'manifest icon → /dir/a.png',
      'manifest icon → /dir/b.png',
      'manifest page → /new',
      'manifest icon → /dir/c.png',
    ]
    assert.deepEqual(foundIn({ body, type: 'application/manifest+json' }), found)
    assert.deepEqual(
      foundIn({ body, type: 'application/json', href: 'http://example.com/dir/manifest.json' }),
      found,
    )
    assert.deepEqual(foundIn({ body, type: 'application/json' }), [])
    for (const broken of [
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{"icons":{}}',
      '{"icons":[[[]]]}',
      '['.repeat(500_000),
    ]) {
      assert.deepEqual(foundIn({ body: broken, type: 'application/manifest+json' }), [])
    }
  })

  test('HLS playlists', () => {
    const body =
      '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k.bin"\n#EXTINF:9,\na.ts\r\n\n#EXT-X-MEDIA:TYPE=AUDIO,URI="b.m3u8"\nlow/c.m3u8\n'
    const found = ['k.bin', 'a.ts', 'b.m3u8', 'low/c.m3u8'].map((name) => `playlist entry → /dir/${name}`)
    assert.deepEqual(foundIn({ body, type: 'application/vnd.apple.mpegurl' }), found)
    assert.deepEqual(foundIn({ body, type: 'text/plain' }), found)
  })

  test('DASH manifests', () => {
    const body =
      '<MPD><BaseURL>http://example.com/v/</BaseURL><Representation><BaseURL>a.mp4</BaseURL><SegmentList><Initialization sourceURL="i.mp4"/><SegmentURL media="s1.m4s"/><SegmentTemplate media="$Number$.m4s"/></SegmentList></Representation></MPD>'
    const found = ['a.mp4', 'i.mp4', 's1.m4s'].map((name) => `playlist entry → /dir/${name}`)
    assert.deepEqual(foundIn({ body, type: 'application/dash+xml' }), found)
  })
})

describe('what a body is', () => {
  const html = '<!DOCTYPE html><a href="x">'
  const formatOf = (body: string | Uint8Array, type?: string) => extract({ body, type }).format

  test('by its type', () => {
    assert.equal(formatOf(html, 'Text/HTML ; charset=utf-8'), 'html')
    assert.equal(formatOf('plain', 'text/html'), 'html')
    assert.equal(formatOf('', 'text/html'), 'html')
    for (const type of ['text/javascript', 'application/javascript', 'application/x-javascript'])
      assert.equal(formatOf('run()', type), 'script', type)
    for (const type of ['text/plain', 'image/png', 'application/pdf', 'video/mp4', 'text/csv', 'nonsense']) {
      assert.equal(formatOf(html, type), 'none', type)
    }
    assert.equal(formatOf('<html xmlns="x"><a href="y"/></html>', 'application/xml'), 'xhtml')
  })

  test('by its look where it has none', () => {
    for (const body of [html, '<html>', '  <BODY>', '<!-- x --><p>', '<a href=x>', '<!--'])
      assert.equal(formatOf(body), 'html', body)
    for (const body of ['', 'plain', '{"a":1}', '< html>', '<nonsense>', 'function(){}'])
      assert.equal(formatOf(body), 'none', body)
    assert.equal(formatOf(html, 'application/octet-stream'), 'none')
  })

  test('whether it is HTML is told', () => {
    assert.equal(extract({ body: html, type: 'text/html' }).isHtml, true)
    assert.equal(extract({ body: urlset, type: 'text/xml' }).isHtml, false)
  })

  test('binary called HTML is none, but a stray control character spoils no page', () => {
    const noise = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919 + (i >> 3)) & 0xff)
    assert.equal(formatOf(noise, 'text/html'), 'none')
    assert.equal(formatOf(Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0', 'latin1'), 'text/html'), 'none')
    assert.equal(formatOf(Buffer.from('%PDF-1.7\n<a href=x>'), 'text/html'), 'none')
    assert.equal(formatOf(gzipSync(html), 'text/html'), 'none')
    assert.deepEqual(foundIn({ body: `<p>${'text '.repeat(30)}\0<a href="x">`, type: 'text/html' }), [
      'a href → /dir/x',
    ])
  })

  test('UTF-16 is text all the same', () => {
    const body = Buffer.from('\ufeff<a href="é">', 'utf16le')
    assert.deepEqual(foundIn({ body, type: 'text/html' }), ['a href → /dir/%C3%A9'])
    assert.deepEqual(foundIn({ body: body.subarray(2), type: 'text/html; charset=utf-16le' }), [
      'a href → /dir/%C3%A9',
    ])
  })

  test('a legacy charset is read, and links are in UTF-8', () => {
    const body = Buffer.from('<meta charset=windows-1251><title>\xcf</title><a href="\xcf?\xcf">', 'latin1')
    const { title, charset } = extract({ body, type: 'text/html' })
    assert.deepEqual({ title, charset }, { title: 'П', charset: 'windows-1251' })
    assert.deepEqual(foundIn({ body, type: 'text/html' }), ['a href → /dir/%D0%9F?%D0%9F'])
  })
})

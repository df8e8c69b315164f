import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { readSeedList } from './seed-list.ts'

const read = (text: string, base?: string) => readSeedList(Buffer.from(text), base)
const a = 'https://a.test/x?y=1&z=2'
const b = 'http://b.test/'

const sitemap = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
<url><loc>https://a.test/x?y=1&amp;z=2</loc><image:image><image:loc>https://a.test/i.png</image:loc></image:image></url><url><loc> ${b} </loc></url></urlset>`

describe('a list of seeds', () => {
  test.each<[string, string, string]>([
    ['lines', 'lines', `# mine\n${a}\r\n\n  b.test \n${a}\n`],
    ['a sitemap', 'sitemap', sitemap],
    [
      'RSS',
      'feed',
      `<rss version="2.0"><channel><link>https://self.test/</link><item><link>https://a.test/x?y=1&amp;z=2</link><guid>1</guid></item><item><link><![CDATA[${b}]]></link></item></channel></rss>`,
    ],
    [
      'Atom',
      'feed',
      `<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://self.test/"/><entry><link rel="edit" href="https://no.test/"/><link href="https://a.test/x?y=1&amp;z=2"/></entry><entry><link rel="alternate" href="${b}"/></entry></feed>`,
    ],
    [
      'OPML',
      'opml',
      `<opml version="2.0"><head><title>x</title></head><body><outline text="folder"><outline type="rss" xmlUrl="https://no.test/feed" htmlUrl="https://a.test/x?y=1&amp;z=2"/></outline><outline xmlUrl="${b}"/></body></opml>`,
    ],
    [
      'a bookmarks file',
      'bookmarks',
      `<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n<TITLE>Bookmarks</TITLE><DL><p><DT><H3>Folder</H3><DL><p><DT><A HREF="https://a.test/x?y=1&amp;z=2" ADD_DATE="1">A</A></DL><p><DT><A HREF="${b}">B</A><DT><A HREF="javascript:alert(1)">no</A></DL>`,
    ],
    [
      'bookmarks of Chrome',
      'json',
      JSON.stringify({
        checksum: 'x',
        roots: {
          bookmark_bar: {
            children: [{ type: 'folder', children: [{ type: 'url', url: a }] }],
            type: 'folder',
          },
          other: { children: [{ type: 'url', url: b }] },
          sync_transaction_version: '1',
        },
        version: 1,
      }),
    ],
    [
      'bookmarks of Firefox',
      'json',
      JSON.stringify({
        type: 'text/x-moz-place-container',
        children: [{ children: [{ uri: a, title: 'A' }] }, { uri: b }, { uri: 'place:sort=8' }],
      }),
    ],
    ['JSON Feed', 'json', JSON.stringify({ version: 'x', items: [{ url: a }, { url: b }] })],
    ['a JSON list', 'json', JSON.stringify([a, { url: b }])],
  ])('is %s', (_, format, text) => {
    const list = read(text)
    assert.equal(list.format, format)
    assert.deepEqual(list.urls, [a, b])
    assert.deepEqual(readSeedList(gzipSync(text)).urls, [a, b], 'packed')
    assert.deepEqual(read(`\uFEFF${text}`).urls, [a, b], 'with a mark of its byte order')
  })

  test('an index names sitemaps, and addresses are relative to where it came from', () => {
    const index = '<sitemapindex><sitemap><loc>https://a.test/1.xml.gz</loc></sitemap></sitemapindex>'
    assert.deepEqual(read(index).sitemaps, ['https://a.test/1.xml.gz'])
    const feed = '<rss><channel><item><link>/page</link></item></channel></rss>'
    assert.deepEqual(read(feed, 'https://a.test/feed').urls, ['https://a.test/page'])
    assert.deepEqual(read(feed), { format: 'feed', urls: [], sitemaps: [], skipped: 1 })
  })

  test('what is none of these is refused with a word', () => {
    assert.throws(() => read(''), /empty/)
    assert.throws(() => read('<html><a href="x">x</a></html>'), /none that is known/)
    assert.throws(() => read('\x89PNG\0\0'), /none that is known/)
    assert.throws(() => read('WARC/1.1\r\nWARC-Type: warcinfo\r\n'), /is an archive/)
    assert.throws(() => read('{"a":'), /begins like JSON, and is none/)
    assert.throws(
      () => readSeedList(Buffer.concat([Buffer.of(0x1f, 0x8b, 8), Buffer.alloc(20)])),
      /damaged gzip/,
    )
    assert.throws(() => read('http://a.test/\nnot a url at all\n'), /not a url at all/)
  })

  test('entities are not expanded, whatever they were made for', () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
<urlset><url><loc>http://x.test/&b;&f;</loc></url><url><loc>${b}</loc></url></urlset>`
    const { urls } = read(bomb)
    assert(urls.includes(b))
    assert(
      urls.every((url) => !url.includes('root:') && url.length < 60),
      urls.join(),
    )
  })

  test('a file that is nested to take for ever does not', () => {
    assert.throws(() => read(`<urlset>${'<a>'.repeat(200_000)}`), /nested too deep/)
    const nested = `${'['.repeat(3_000)}"${b}"${']'.repeat(3_000)}`
    assert.deepEqual(read(nested).urls, [b])
  })
})

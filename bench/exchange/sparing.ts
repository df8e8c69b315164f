// What it costs to find out which links of a changed page were sent before: by reading the links of its last version, or by
// asking the memory of links sent lately. Of processor time, a page with 40 links to other sites.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { extractLinks } from '../../src/crawl/links/extract-links.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import { marked, RecentlySent } from '../../src/network/link-delivery/outbox/recently-sent.ts'
import { RealDisk } from '../../src/platform/real/disk/disk.ts'
import { RealKeyValues } from '../../src/platform/real/key-value/key-value.ts'
import { mixedWeb } from './link-mixes.ts'

const linksPerPage = 40
const pageCount = 50
const rounds = 20
const between = 'What a page says between two of its links, which is more than the links themselves. '.repeat(
  2,
)

export interface SparingFigures {
  readonly pageBytes: number
  /** Inflating and reading the last version, without looking it up or reading the disk. */
  readonly lastVersionMicros: number
  readonly recentlySentMicros: number
}

export async function measureSparing(): Promise<SparingFigures> {
  const links = mixedWeb(linksPerPage * pageCount)
  const pages = Array.from({ length: pageCount }, (_, page) => {
    const own = links.slice(page * linksPerPage, (page + 1) * linksPerPage)
    return Buffer.from(`<html>${own.map(({ href }) => `<p>${between}<a href="${href}">link</a>`).join('')}`)
  })
  const stored = pages.map((page) => gzipSync(page))
  const url = parseUrl('http://page.example/')
  const read = (page: number): void => {
    const bytes = gunzipSync(stored[page]!)
    extractLinks({ bytes, contentType: 'text/html', headers: [], agent: 'polyhistor', url })
  }
  const folder = mkdtempSync(join(tmpdir(), 'polyhistor-bench-'))
  const map = await new RealKeyValues({ disk: new RealDisk() }).open(folder)
  const sent = new RecentlySent(map, 250_000)
  const forwarded = links.map(({ href, ...rest }) => ({ ...rest, url: parseUrl(href) }))
  const remember = await map.transaction(() => sent.put(forwarded.map(marked)))
  remember()
  const ask = (page: number): void => {
    for (let link = 0; link < linksPerPage; link++) sent.has(marked(forwarded[page * linksPerPage + link]!))
  }
  const figures = {
    pageBytes: pages[0]!.length,
    lastVersionMicros: microsOf(read),
    recentlySentMicros: microsOf(ask),
  }
  await map.close()
  rmSync(folder, { recursive: true })
  return figures
}

/** A page, of the second half of the rounds: the first is for warming up. */
function microsOf(work: (page: number) => void): number {
  let before = process.cpuUsage()
  for (let round = 0; round < 2 * rounds; round++) {
    if (round === rounds) before = process.cpuUsage()
    for (let page = 0; page < pageCount; page++) work(page)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / (rounds * pageCount)
}

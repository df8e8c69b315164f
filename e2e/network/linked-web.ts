// A small web on this machine that is the same on every run and at every visit: for tests that compare what peers make of it with what one
// program makes of it.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Corpus } from '../../bench/search/corpus.ts'

export interface WebPage {
  readonly href: string
  readonly html: string
}

export interface LinkedWeb {
  readonly pages: readonly WebPage[]
  readonly sites: number
  readonly start: string
  close(): Promise<void>
}

const sitesMax = 24
const wordsPerPage = 80

/** Sites at addresses of their own; each page is linked to from the first page of its site, with words of its own, and each site from the
 * one before. */
export async function startLinkedWeb(count: number): Promise<LinkedWeb> {
  const addresses = Array.from({ length: sitesMax }, (_, site) => `127.2.0.${site + 1}`)
  const bodies = new Map<string, string>()
  const servers = addresses.map((address) =>
    createServer(({ url }, response) => {
      const body = bodies.get(address + url)
      response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' })
      response.end(body ?? 'nothing')
    }),
  )
  const origins: string[] = []
  for (const [site, server] of servers.entries()) {
    server.listen(0, addresses[site]!)
    await once(server, 'listening')
    origins.push(`http://${addresses[site]}:${(server.address() as AddressInfo).port}`)
  }
  const corpus = new Corpus(1)
  const titles = Array.from({ length: count }, () => corpus.page(0, 1).title)
  const hrefOf = (number: number): string =>
    `${origins[number % sitesMax]}/${number < sitesMax ? '' : number}`
  const pages = titles.map((title, number) => {
    const link = (other: number): string => `<a href="${hrefOf(other)}">${titles[other]}</a>`
    const own: number[] = []
    for (let other = number + sitesMax; number < sitesMax && other < count; other += sitesMax) own.push(other)
    const targets = [(number + 1) % sitesMax, (number * 7 + 3) % count, ...own]
    const { text } = corpus.page(number, wordsPerPage)
    const html = `<!doctype html><title>${title}</title>${targets.map(link).join(' ')}<p>only${number}x ${text}`
    bodies.set(new URL(hrefOf(number)).hostname + new URL(hrefOf(number)).pathname, html)
    return { href: hrefOf(number), html }
  })
  return {
    pages,
    sites: sitesMax,
    start: hrefOf(0),
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

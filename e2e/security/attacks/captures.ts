// Captures that nobody crawled, or that nobody keeps: of another time, of others' sites, in place of what was captured.

import { writeCopiesQuestion } from '../../../src/replica/captures/wire/questions.ts'
import type { ArchivePeer, Listed } from '../../network/archive-peer.ts'
import type { Attack } from '../attack.ts'
import { chosen, crawledSiteOfHostile, madeUpUrls } from '../chosen-sites.ts'
import { type Forgery, forgedCaptures } from '../forged-captures.ts'
import { type Stage, sleep } from '../stage.ts'

const forgedText = 'This page was forged.'
const settleMs = { short: 1_000, full: 20_000 }

async function give({ hostile, ids }: Stage, forgeries: readonly Omit<Forgery, 'body'>[]): Promise<void> {
  const body = Buffer.from(`<title>forged</title><p>${forgedText}`)
  const captures = await forgedCaptures(forgeries.map((forgery) => ({ ...forgery, body })))
  const messages = [Uint8Array.from(writeCopiesQuestion({ kind: 'give', captures }))]
  await hostile.do('ask', { service: 'replica', peers: ids, messages, channel: 'bulk' })
}

/** Pages that were captured, one of each site. */
async function pagesOf(stage: Stage): Promise<Listed[]> {
  const listed = (await stage.someListed()).filter(({ url }) => url.endsWith('/'))
  return [...new Map(listed.map((one) => [one.url, one])).values()]
}

/** Pages of sites that all honest peers come before it to keep. Nobody has ever crawled them. */
async function urlsOfOthers(stage: Stage): Promise<string[]> {
  const isLast = (peers: readonly string[]): boolean => peers.at(-1) === stage.hostileId
  const urls = await chosen(stage, madeUpUrls(), isLast)
  if (urls.length === 0) throw new Error('Every site of thousands is one that it may keep')
  return urls.slice(0, 8)
}

/** Peers that show the forged text for the URL, now or at that time. */
async function shownBy(peers: readonly ArchivePeer[], url: string, timestamp: string): Promise<string[]> {
  const found: string[] = []
  for (const peer of peers) {
    const bytes = await peer.read({ url, timestamp }).catch(() => Buffer.alloc(0))
    if (bytes.includes(forgedText)) found.push(`${peer.name} shows a forged page for ${url} at ${timestamp}`)
  }
  return found
}

export const captureAttacks: readonly Attack[] = [
  {
    name: 'captures: dated 2099',
    tries: 'Captures of crawled pages from the year 2099, to be shown as the newest',
    run: async (stage) => {
      const pages = await pagesOf(stage)
      await give(
        stage,
        pages.map(({ url }) => ({ url, atMs: Date.UTC(2099, 0) })),
      )
      return (await Promise.all(pages.map(({ url }) => shownBy(stage.honest, url, '2099')))).flat()
    },
  },
  {
    name: 'captures: of others’ sites',
    tries: 'Captures of now, of sites that it neither crawls nor keeps',
    run: async (stage) => {
      const urls = await urlsOfOthers(stage)
      const atMs = Date.now()
      await give(
        stage,
        urls.map((url) => ({ url, atMs })),
      )
      const timestamp = new Date(atMs).toISOString().replace(/\D/g, '').slice(0, 14)
      return (await Promise.all(urls.map((url) => shownBy(stage.honest, url, timestamp)))).flat()
    },
  },
  {
    name: 'captures: the same second',
    tries: 'A second capture of a page for the very second in which it was captured',
    run: async (stage) => {
      const pages = await pagesOf(stage)
      const times = pages.flatMap(({ url, timestamp }) => {
        const [date, time] = [timestamp.slice(0, 8), timestamp.slice(8)]
        const second = Date.parse(
          `${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`,
        )
        return [0, 999].map((ms) => ({ url, atMs: second + ms }))
      })
      await give(stage, times)
      const shown = pages.map(({ url, timestamp }) => shownBy(stage.honest, url, timestamp))
      return (await Promise.all(shown)).flat()
    },
  },
  {
    name: 'captures: false confirmations',
    tries:
      'It says that it keeps what it is given and throws it away, and that it has all that others ask for',
    run: async ({ hostile, size }) => {
      await hostile.do('behave', { how: 'thief' })
      await sleep(settleMs[size])
      return []
    },
  },
  {
    name: 'captures: owned up to nothing',
    tries: 'Afterwards it answers again, and has nothing of what it said it kept',
    run: async ({ hostile, size }) => {
      await hostile.do('behave', { how: 'honest' })
      await sleep(settleMs[size])
      return []
    },
  },
  {
    name: 'reading: denied',
    tries: 'Of a site that it owns it tells readers that it has all captures, and that there are none',
    run: async (stage) => {
      const { url, stop } = await crawledSiteOfHostile(stage)
      await stage.hostile.do('behave', { how: 'denier' })
      try {
        const lists = await Promise.all(stage.honest.map((peer) => peer.listed(new URL(url).hostname)))
        const hidden = stage.honest.filter((_, index) => !lists[index]!.some((one) => one.url === url))
        return hidden.map(({ name }) => `${name} does not list ${url} any more`)
      } finally {
        await stage.hostile.do('behave', { how: 'honest' })
        stop()
      }
    },
  },
]

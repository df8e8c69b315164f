// Captures that nobody crawled, or that nobody keeps: of another time, of others' sites, in place of what was captured.

import { randomBytes } from 'node:crypto'
import { digestOf } from '../../../src/model/digest.ts'
import { contentQuestion } from '../../../src/network/content-directory/questions.ts'
import { copiesQuestion } from '../../../src/network/replication/captures/wire/questions.ts'
import type { ArchivePeer } from '../../network/archive-peer.ts'
import type { Attack } from '../attack.ts'
import { chosen, crawledSite, madeUpUrls, pageText } from '../chosen-sites.ts'
import { type Forgery, forgedCaptures } from '../forged-captures.ts'
import { recoverMsMax, type Stage, sleep, within } from '../stage.ts'

const poisonId = '01234567-89ab-4cde-8f01-23456789abcd'
const forgedText = 'This page was forged.'
/** So long peers remember a URL's captures as they were. */
const rememberedMs = 3_000
const settleMs = { short: 1_000, full: 20_000 }

async function give({ hostile, ids }: Stage, forgeries: readonly Omit<Forgery, 'body'>[]): Promise<void> {
  const body = Buffer.from(`<title>forged</title><p>${forgedText}`)
  const captures = await forgedCaptures(forgeries.map((forgery) => ({ ...forgery, body })))
  const messages = [Uint8Array.from(copiesQuestion.encode({ kind: 'give', captures }))]
  await hostile.do('ask', { service: 'replica', peers: ids, messages, channel: 'bulk' })
}

/** By stage: a page that an honest peer crawled and it keeps a copy of, so that it may bring captures of it. */
const kept = new WeakMap<Stage, Promise<string>>()

function keptByHostile(stage: Stage): Promise<string> {
  let url = kept.get(stage)
  if (url === undefined) kept.set(stage, (url = crawlOne(stage)))
  return url
}

/** Of a site that an honest peer owns, and it is the next to keep. */
async function crawlOne(stage: Stage): Promise<string> {
  const { url, stop } = await crawledSite(stage, ([, second]) => second === stage.hostileId)
  stop()
  return url
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

/** Honest peers that do not show the page, now or at that time. */
async function unread({ honest }: Stage, url: string, timestamp = '2'): Promise<string[]> {
  const found: string[] = []
  for (const peer of honest) {
    let shown = ''
    const isShown = async (): Promise<boolean> => {
      shown = await peer.read({ url, timestamp }).then(String, ({ message }: Error) => message)
      return shown.includes(pageText)
    }
    await within(recoverMsMax, `${url} at ${peer.name}`, isShown).catch(() => {
      found.push(`${peer.name} does not show ${url}: ${shown.slice(0, 200)}`)
    })
  }
  return found
}

async function forgeSameSecond(stage: Stage): Promise<string[]> {
  const url = await keptByHostile(stage)
  const listed = await stage.honest[0]!.listed(new URL(url).hostname)
  const { timestamp } = listed.find((one) => one.url === url)!
  const [, date, time] = /^(\d{8})(\d{6})$/.exec(timestamp)!
  const secondMs = Date.parse(
    `${date!.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time!.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`,
  )
  await give(
    stage,
    [0, 999].map((ms) => ({ url, atMs: secondMs + ms })),
  )
  await sleep(rememberedMs)
  return [...(await shownBy(stage.honest, url, timestamp)), ...(await unread(stage, url, timestamp))]
}

export const captureAttacks: readonly Attack[] = [
  {
    name: 'captures: dated 2099',
    tries: 'A capture from the year 2099 of a page whose site it keeps, to be shown as the newest',
    run: async (stage) => {
      const url = await keptByHostile(stage)
      await give(stage, [{ url, atMs: Date.UTC(2099, 0) }])
      await sleep(rememberedMs)
      return shownBy(stage.honest, url, '2099')
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
    tries: 'Captures for the very second in which an honest peer captured the page, of a site that it keeps',
    run: forgeSameSecond,
  },
  {
    name: 'captures: false signatures',
    tries:
      'Captures of a page whose site it keeps, signed: with a signature that was made for another page, with one of a capture of the day before, and dated days before it was signed',
    run: async (stage) => {
      const url = await keptByHostile(stage)
      const [nowMs, earlyMs, againMs] = [Date.now(), Date.now() - 3 * 86_400_000, Date.now() - 60_000]
      await give(stage, [
        { url, atMs: nowMs, signed: 'foreign' },
        { url, atMs: earlyMs, signed: 'backdated' },
        { url, atMs: againMs, signed: 'replayed' },
      ])
      await sleep(rememberedMs)
      const times = [nowMs, earlyMs, againMs].map((ms) =>
        new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14),
      )
      return (await Promise.all(times.map((timestamp) => shownBy(stage.honest, url, timestamp)))).flat()
    },
  },
  {
    name: 'captures: false confirmations',
    tries:
      'It says that it keeps what it is given and throws it away, and that it has all that others ask for',
    run: async (stage) => {
      await stage.hostile.do('behave', { how: 'thief' })
      const url = await crawlOne(stage)
      await sleep(settleMs[stage.size])
      const stolen = await stage.hostile.do('stolenCount', undefined)
      if (stolen === 0) throw new Error('Nothing was given to it')
      return unread(stage, url)
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
    name: 'captures: withheld',
    tries: 'Of a site that it owns it gives nobody the captures that it keeps, nor says which they are',
    run: async (stage) => {
      const { url, stop } = await crawledSite(stage, (peers) => peers[0] === stage.hostileId)
      stop()
      await stage.hostile.do('behave', { how: 'withholder' })
      try {
        return await unread(stage, url)
      } finally {
        await stage.hostile.do('behave', { how: 'honest' })
      }
    },
  },
  {
    name: 'contents: poisoned directory',
    tries:
      'It registers a content that is yet to be crawled as kept elsewhere, with a capture that nobody made, and says that it has it',
    run: async (stage) => {
      const body = `<title>kept</title><p>${pageText}<p>${randomBytes(6_000).toString('hex')}`
      const capture = { url: 'http://poison.test/', capturedAtMs: Date.now(), recordId: poisonId }
      const items = [{ digest: digestOf('sha256', body), sizeBytes: Buffer.byteLength(body), capture }]
      const rows = items.map((place) => ({ kind: 'place' as const, version: 2 ** 40, place }))
      await stage.hostile.do('behave', { how: 'poisoner' })
      try {
        const messages = [
          contentQuestion.encode({ kind: 'register', items }),
          contentQuestion.encode({ kind: 'copy', items: rows }),
        ].map((message) => Uint8Array.from(message))
        await stage.hostile.do('ask', { service: 'content', peers: stage.ids, messages })
        const { url, stop } = await crawledSite(stage, ([owner]) => owner !== stage.hostileId, body)
        stop()
        return await unread(stage, url)
      } finally {
        await stage.hostile.do('behave', { how: 'honest' })
      }
    },
  },
  {
    name: 'reading: denied',
    tries: 'Of a site that it owns it tells readers that it has all captures, and that there are none',
    run: async (stage) => {
      const { url, stop } = await crawledSite(stage, (peers) => peers[0] === stage.hostileId)
      await stage.hostile.do('behave', { how: 'denier' })
      try {
        const listed = async (peer: ArchivePeer): Promise<boolean> =>
          (await peer.listedAtOnce(new URL(url).hostname)).some((one) => one.url === url)
        const hidden = stage.honest.map((peer) =>
          within(recoverMsMax, 'a listed capture', () => listed(peer)).then(
            () => [],
            () => [`${peer.name} does not list ${url} any more`],
          ),
        )
        return (await Promise.all(hidden)).flat()
      } finally {
        await stage.hostile.do('behave', { how: 'honest' })
        stop()
      }
    },
  },
]

// Floods: well-formed messages of every kind, more of them than any honest peer sends.

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jobIdOf } from '../../../src/crawl/frontier/jobs/crawl-job.ts'
import { ringKeyOf, ringKeyToBytes } from '../../../src/model/ring-key.ts'
import { parseUrl } from '../../../src/model/url/url.ts'
import { auditQuestion, keysMax, nonceBytes, stepsMax } from '../../../src/network/audits/audit-messages.ts'
import { lookQuestion } from '../../../src/network/corroboration/corroboration-messages.ts'
import { noHistory } from '../../../src/network/link-delivery/wire/history.ts'
import { encodeLinks } from '../../../src/network/link-delivery/wire/link-coding.ts'
import { packBatch } from '../../../src/network/link-delivery/wire/packed-batch.ts'
import { copiesQuestion } from '../../../src/network/replication/captures/wire/questions.ts'
import { saltBytes } from '../../../src/network/replication/comparison/fingerprint.ts'
import { encodeQuestion as encodeComparison } from '../../../src/network/replication/comparison/question.ts'
import { ringQuestion } from '../../../src/network/ring/wire/questions.ts'
import { localWorld } from '../../../src/platform/real/local-world.ts'
import type { Attack } from '../attack.ts'
import { forgedCaptures } from '../forged-captures.ts'
import { jobAnnouncement } from '../hostile-jobs.ts'
import type { Stage } from '../stage.ts'

const announcementBytes = 500_000
const counts = {
  short: {
    announcements: 90,
    takedowns: 3_000,
    jobs: 250,
    links: 10,
    linksEach: 2_000,
    lookups: 2_000,
    copies: 100,
    comparisons: 400,
    challenges: 400,
    looks: 100,
  },
  full: {
    announcements: 2_400,
    takedowns: 1_000_000,
    jobs: 5_000,
    links: 200,
    linksEach: 5_000,
    lookups: 100_000,
    copies: 5_000,
    comparisons: 50_000,
    challenges: 20_000,
    looks: 2_000,
  },
} as const
const splits = 500

/** Where a site is cut: a ring key and the beginning of a SURT, as the program names such announcements. */
function splitNames(stage: Stage): string[] {
  const { ringKey, surt } = parseUrl(stage.origin.web.start)
  return Array.from({ length: splits }, (_, index) =>
    Buffer.concat([ringKeyToBytes(ringKey), Buffer.from(`${surt}${index}`)]).toString('base64url'),
  )
}

/** Into a job that it announced itself, with scope `any`: every link is one that must be fetched. */
async function floodLinks({ hostile, ids, identity, size }: Stage): Promise<string[]> {
  const { links, linksEach } = counts[size]
  const { compressor } = localWorld()
  const options = { seeds: ['http://127.9.9.9:9/links'], scope: 'any' as const, budgets: {} }
  await hostile.do('announce', { peers: ids, announcements: [jobAnnouncement(identity, options)] })
  const jobId = jobIdOf(options)
  const messages: Uint8Array[] = []
  for (let batch = 0; batch < links; batch++) {
    const made = Array.from({ length: linksEach }, (_, index) => ({
      jobId,
      kind: 'navigation' as const,
      depth: 1,
      href: `http://127.8.${batch % 250}.${1 + (index % 250)}:9/${batch}/${index}`,
    }))
    const packed = await packBatch(compressor, encodeLinks(made), { history: noHistory, wantsArc: false })
    messages.push(Uint8Array.from(packed))
  }
  await hostile.do('ask', { service: 'crawl', peers: ids, messages, deadlineMs: 20_000 })
  return []
}

async function floodCopies(stage: Stage): Promise<string[]> {
  const { hostile, ids, size } = stage
  const urls = Array.from({ length: counts[size].copies }, (_, index) => `http://flood-${index}.test/`)
  const forged = await forgedCaptures(
    urls.map((url) => ({ url, atMs: Date.now(), body: randomBytes(30_000) })),
  )
  const messages = forged.map((capture) =>
    Uint8Array.from(copiesQuestion.encode({ kind: 'give', captures: [capture] })),
  )
  await hostile.do('ask', { service: 'replica', peers: ids, messages, channel: 'bulk' })
  return []
}

export const floodAttacks: readonly Attack[] = [
  {
    name: 'flood: announcements',
    tries: '2,400 announcements of 500 kB (90 in the tests), more than the share of a peer',
    run: async ({ hostile, ids, size }) => {
      await hostile.do('floodAnnouncements', {
        peers: ids.slice(0, 1),
        count: counts[size].announcements,
        valueBytes: announcementBytes,
      })
      return []
    },
  },
  {
    name: 'flood: a million announcements',
    tries:
      'A million takedowns, each of another site (3,000 in the tests), signed, and without the role for any',
    run: async ({ hostile, ids, honest, size }) => {
      await hostile.do('floodTakedowns', { peers: ids.slice(0, 1), count: counts[size].takedowns })
      const response = await fetch(new URL('/api/v1/takedowns', honest[0]!.url))
      const { takedowns } = (await response.json()) as { takedowns: unknown[] }
      return takedowns.length > 0 ? [`${takedowns.length} of them are in force`] : []
    },
  },
  {
    name: 'flood: jobs',
    tries: '5,000 jobs (250 in the tests), each with seeds at addresses that do not answer',
    run: async ({ hostile, ids, identity, size }) => {
      const announcements = Array.from({ length: counts[size].jobs }, (_, index) =>
        jobAnnouncement(identity, {
          seeds: [`http://127.9.9.9:9/flood/${index}`],
          scope: 'page',
          budgets: {},
        }),
      )
      await hostile.do('announce', { peers: ids.slice(0, 1), announcements })
      return []
    },
  },
  {
    name: 'flood: links',
    tries: 'A million links into a job of its own (20,000 in the tests), to addresses that do not answer',
    run: floodLinks,
  },
  {
    name: 'flood: lookups',
    tries: '100,000 lookups on the ring at once (2,000 in the tests)',
    run: async ({ hostile, ids, size }) => {
      const messages = Array.from({ length: 100 }, (_, index) =>
        Uint8Array.from(
          ringQuestion.encode({ kind: 'find', key: ringKeyOf(`flood ${index}`), successorsMax: 64 }),
        ),
      )
      await hostile.do('ask', { service: 'ring', peers: ids, messages, times: counts[size].lookups / 100 })
      return []
    },
  },
  {
    name: 'flood: copies',
    tries: '5,000 captures of sites that nobody crawls (100 in the tests), 30 kB each, given to every peer',
    run: floodCopies,
  },
  {
    name: 'flood: comparisons',
    tries: '50,000 comparisons of everything with nothing (400 in the tests)',
    run: async ({ hostile, ids, size }) => {
      const range = { from: new Uint8Array(), to: undefined }
      const question = encodeComparison({ salt: new Uint8Array(randomBytes(saltBytes)), ranges: [{ range }] })
      const messages = [Uint8Array.from(copiesQuestion.encode({ kind: 'compare', bytes: question }))]
      const announcements = [Uint8Array.from(Buffer.concat([Buffer.from([1]), question]))]
      const times = counts[size].comparisons / 2
      await hostile.do('ask', { service: 'replica', peers: ids, messages, times })
      await hostile.do('ask', { service: 'notices', peers: ids, messages: announcements, times })
      return []
    },
  },
  {
    name: 'flood: challenges',
    tries: '20,000 challenges to show copies of captures that nobody has (400 in the tests)',
    run: async ({ hostile, ids, size }) => {
      const keys = Array.from({ length: keysMax }, () => new Uint8Array(randomBytes(64)))
      const nonce = new Uint8Array(randomBytes(nonceBytes))
      const question = auditQuestion.encode({ kind: 'challenge', nonce, steps: stepsMax, keys })
      const messages = [Uint8Array.from(question)]
      await hostile.do('ask', { service: 'audits', peers: ids, messages, times: counts[size].challenges })
      return []
    },
  },
  {
    name: 'flood: second looks',
    tries:
      '2,000 times it has every peer fetch a page (100 in the tests) for a second look, of a server that it wants to harm',
    run: async ({ hostile, ids, size }) => {
      let asked = 0
      const server = createServer((_, response) => {
        asked++
        response.end('a page')
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
        const messages = [Uint8Array.from(lookQuestion.encode({ url }))]
        const times = counts[size].looks
        await hostile.do('ask', { service: 'corroboration', peers: ids, messages, times })
        const most = 4 * ids.length
        return asked > most ? [`${asked} requests reached the server; ${most} are borne`] : []
      } finally {
        server.closeAllConnections()
        server.close()
      }
    },
  },
  {
    name: 'flood: splits',
    tries: '500 splits of a site in one message',
    run: async (stage) => {
      const value = new Uint8Array(Buffer.from('here'))
      const announcements = splitNames(stage).map((name) => ({ kind: 'split', name, value }))
      await stage.hostile.do('announce', { peers: stage.ids, announcements, isTogether: true })
      return []
    },
  },
]

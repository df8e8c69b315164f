// Jobs with fields of the wrong kind, and one with patterns that take for ever to match.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jobIdOf } from '../../../src/crawl/frontier/jobs/crawl-job.ts'
import type { Attack } from '../attack.ts'
import { jobAnnouncement } from '../hostile-jobs.ts'
import { recoverMsMax, type Stage, sleep, within } from '../stage.ts'

/** Between a page that was fetched and the end of looking at its links. */
const watchMs = { short: 2_000, full: 20_000 }

/** Nobody listens there: it costs nobody anything. */
function seedOf(name: string): string {
  return `http://127.9.9.9:9/${encodeURIComponent(name)}`
}

function job(name: string, tries: string, options: object, more: object = {}): Attack {
  return {
    name: `job: ${name}`,
    tries,
    run: async ({ hostile, ids, identity }) => {
      const all = { seeds: [seedOf(name)], scope: 'page', budgets: {}, ...options }
      await hostile.do('announce', { peers: ids, announcements: [jobAnnouncement(identity, all, more)] })
      return []
    },
  }
}

/** A page with a link that such a pattern takes hours to refuse. */
async function slowPattern(stage: Stage): Promise<string[]> {
  const link = `/${'a'.repeat(1_900)}`
  let fetched = 0
  const server = createServer(({ url }, response) => {
    if (url !== '/robots.txt') fetched++
    const links = Array.from({ length: 5 }, (_, index) => `<a href="${link}${index}">x</a>`).join('\n')
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<title>slow</title>${links}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.9.9.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const seeds = [1, 2, 3, 4].map((page) => `http://127.9.9.1:${port}/${page}`)
    const options = { seeds, scope: 'host' as const, budgets: {}, include: ['.*.*.*~'] }
    await stage.hostile.do('announce', {
      peers: stage.ids,
      announcements: [jobAnnouncement(stage.identity, options)],
    })
    // Such a job is sound, so it is taken: also a sign that others are refused for what they say, and not for who says it.
    await within(recoverMsMax, 'the job to be taken', () => isListed(stage, jobIdOf(options)))
    await within(recoverMsMax, 'pages with long links to be fetched', async () => fetched > 0)
    await sleep(watchMs[stage.size])
    return []
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function isListed({ honest }: Stage, id: string): Promise<boolean> {
  const { jobs } = await honest[0]!.ask<{ jobs: { id: string }[] }>('/api/v1/jobs')
  return jobs.some((job) => job.id === id)
}

export const jobAttacks: readonly Attack[] = [
  job('seeds [5]', 'A job whose seed is a number', { seeds: [5] }),
  job('budgets null', 'A job whose budgets are null', { budgets: null }),
  job('include 5', 'A job whose patterns are a number', { include: 5 }),
  job('include [null]', 'A job with a pattern that is null', { include: [null] }),
  job('absent 5', 'A job whose list of absent peers is a number', {}, { absent: 5 }),
  job('absent {}', 'A job whose list of absent peers is an object', {}, { absent: {} }),
  job('departed {x: null}', 'A job with a departed peer that did nothing', {}, { departed: { x: null } }),
  {
    name: 'job: slow patterns',
    tries: 'The pattern .*.*.*~ against long links',
    run: slowPattern,
  },
]

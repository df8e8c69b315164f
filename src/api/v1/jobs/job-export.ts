// `/api/v1/jobs/{id}/wacz`: what a job kept, as one file that can be taken elsewhere.
//
// By the log of this peer: of each URL the version that the job captured last, and of a page that a browser showed what it saw and was
// answered. On a network other peers' logs have the rest.

import { type ArchivedCapture, type CaptureIndex, isRevisit } from '../../../model/archive.ts'
import type { JobLogLine, JobService, JobView } from '../../../model/jobs/job-service.ts'
import { firstOf } from '../../../model/listed.ts'
import { tryParseUrl } from '../../../model/url/url.ts'
import { type ShownPageSource, shownPage } from '../../../store/reading/shown-page.ts'
import { ApiError } from '../../api-error.ts'
import type { Route } from '../../route.ts'
import type { ArchiveService } from '../archive/archive-service.ts'

interface Needs {
  readonly jobs: JobService
  readonly archive: Pick<CaptureIndex, 'versions' | 'scan'>
  readonly service: Pick<ArchiveService, 'read' | 'export'>
}

/** All are looked up and held while it is written. */
const capturesMax = 50_000
const keptOutcomes: ReadonlySet<string> = new Set(['new', 'changed', 'same'])
/** A line is written after its capture, within this. */
const lateMs = 60_000

export function jobExportRoutes(needs: Needs): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/api/v1/jobs/{id}/wacz',
      operation: {
        summary: 'What a job kept, as a WACZ file; on a network as far as this peer fetched it',
        type: 'application/wacz',
      },
      handle: async ({ parameters, signal }) => {
        const job = await needs.jobs.find(parameters.id!)
        if (job === undefined) throw new ApiError('job-unknown', 'There is no such job.')
        const captures = await capturesOf(needs, job)
        const filename = `crawl-${job.id}.wacz`
        const request = { format: 'wacz', selection: { kind: 'all' }, captures, filename } as const
        const { chunks } = needs.service.export({
          ...request,
          title: `Crawl of ${job.seeds[0] ?? job.id}`,
          signal,
        })
        return {
          status: 200,
          headers: [
            ['Content-Type', 'application/wacz'],
            ['Content-Disposition', `attachment; filename="${filename}"`],
            ['X-Content-Type-Options', 'nosniff'],
            ['Cache-Control', 'no-store'],
          ],
          body: chunks,
        }
      },
    },
  ]
}

async function capturesOf({ jobs, archive, service }: Needs, job: JobView): Promise<ArchivedCapture[]> {
  const source: ShownPageSource = {
    versions: (url, options) => archive.versions(url, options),
    scan: (selection, options) => archive.scan(selection, options),
    read: (capture) => service.read(capture),
  }
  const lines = new Map<string, JobLogLine>()
  for await (const line of jobs.log({ jobId: job.id })) {
    if (keptOutcomes.has(line.outcome) && line.atMs >= job.createdAtMs) lines.set(line.url, line)
    if (lines.size > capturesMax)
      throw new ApiError(
        'request-bad-parameter',
        `The job kept more than ${capturesMax} URLs: export its sites instead (/api/v1/export?site=…&from=…).`,
      )
  }
  const captures = new Map<string, ArchivedCapture>()
  const add = (found: readonly ArchivedCapture[]) => {
    for (const capture of found) captures.set(capture.cursor, capture)
  }
  for (const { url: href, atMs } of lines.values()) {
    const url = tryParseUrl(href)
    const found = url === null ? [] : await versionAt(archive, url, atMs)
    add(found)
    const [page] = found
    const shown = page && /html/.test(page.mime) && (await shownPage(source, url!, page.capturedAtMs))
    if (shown) add([...shown.views, ...shown.answers])
  }
  return [...captures.values()]
}

/** With the version that it repeats, where it only says that nothing had changed. */
async function versionAt(
  archive: Needs['archive'],
  url: NonNullable<ReturnType<typeof tryParseUrl>>,
  atMs: number,
): Promise<ArchivedCapture[]> {
  const found: ArchivedCapture[] = []
  let toMs = atMs + lateMs
  for (let step = 0; step < 10; step++) {
    const version = await firstOf(archive.versions(url, { toMs, reverse: true, limit: 1 }))
    if (version === undefined) break
    found.push(version)
    if (!isRevisit(version)) break
    toMs = version.capturedAtMs
  }
  return found
}

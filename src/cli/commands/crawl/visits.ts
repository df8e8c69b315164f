// `polyhistor visits`: which pages are visited again and when; how often that is, changed or stopped, for a page, a site or
// everything.

import { join } from 'node:path'
import { visitRequestOf, visitsJson, withPlannedVisits } from '../../../app/crawl/planned-visits.ts'
import type { VisitRule, VisitTarget } from '../../../model/jobs/planned-visit.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import { formatTable, minute } from '../../output/table.ts'
import { refuseAlone } from '../../peer/refuse-alone.ts'
import { withArchive, withArchiveToRead } from '../../peer/running-peer.ts'
import { UsageError } from '../../usage-error.ts'

interface Options {
  url?: string
  site?: string
  all?: boolean
  every?: string
  stop?: boolean
  resume?: boolean
  limit: number
}

interface ShownVisit {
  readonly url: string
  readonly due: string
  readonly visited: string | null
  readonly failures: number
  readonly state: string
}

interface Shown {
  readonly visits: readonly ShownVisit[]
  readonly rules: readonly { readonly target: VisitTarget; readonly bounds: VisitRule['bounds'] | null }[]
}

export async function plannedVisits(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  const { url, site, all, every, stop, resume } = options
  const isChange = every !== undefined || stop === true || resume === true
  if (isChange && url === undefined && site === undefined && !all)
    throw new UsageError('Say which visits: --url URL, --site SITE or --all.')
  if (isChange) await change(context, { url, site, all, every, stop, resume })
  const shown = await look(context, options)
  if (context.isJson) await context.terminal.printJson(shown)
  else await show(context, shown)
  return exitCodes.ok
}

function change(context: Context, request: Record<string, unknown>): Promise<unknown> {
  const [target, checked] = visitRequestOf(request)
  return withArchive<unknown>(context, {
    store: async (store) => {
      if (target.kind !== 'all') await refuseAlone(context, 'the rule')
      await withPlannedVisits(crawlFolder(context), store, (visits) => visits.change(target, checked))
    },
    peer: (peer) => peer.post('/api/v1/visits', request),
  })
}

function look(context: Context, { url, site, limit }: Options): Promise<Shown> {
  return withArchiveToRead(context, {
    store: (store) =>
      withPlannedVisits(
        crawlFolder(context),
        store,
        (service) => visitsJson(service, { url, site }, limit) as Promise<Shown>,
      ),
    peer: (peer) => peer.get<Shown>('/api/v1/visits', { url, site, limit: String(limit) }),
  })
}

function crawlFolder({ home }: Context): string {
  return join(home.folder, 'crawl')
}

async function show({ terminal }: Context, { visits, rules }: Shown): Promise<void> {
  if (visits.length === 0) await terminal.printLine('No visits are planned.')
  else {
    const rows = visits.map(({ url, due, visited, failures, state }) => [
      state === 'planned' ? minute(due) : state.replace('-', ' '),
      visited === null ? '-' : minute(visited),
      failures === 0 ? '' : failures === 1 ? 'failed once' : `failed ${failures} times`,
      url,
    ])
    await terminal.printLine(formatTable(['next', 'last', '', 'url'], rows, terminal.width))
  }
  for (const { target, bounds } of rules)
    await terminal.printLine(`Rule: ${nameOf(target)}: ${printed(bounds)}`)
}

function nameOf(target: VisitTarget): string {
  if (target.kind === 'all') return 'everything'
  return target.kind === 'site' ? `the site ${target.site}` : target.url
}

function printed(bounds: VisitRule['bounds'] | null): string {
  if (!bounds) return 'not visited again'
  return `every ${span(bounds.minMs)} to ${span(bounds.maxMs)}`
}

function span(ms: number): string {
  if (ms >= 86_400_000) return `${Number((ms / 86_400_000).toFixed(1))}d`
  return ms >= 3_600_000 ? `${Number((ms / 3_600_000).toFixed(1))}h` : `${Number((ms / 60_000).toFixed(1))}m`
}
